"""Variables that reach ROCm, and what MIOpen keeps between runs."""

from __future__ import annotations

from typing import NamedTuple


class Setting(NamedTuple):
    """A variable that ROCm, MIOpen or the loader reads, and where it was set."""

    name: str
    value: str
    file: str
    """``""`` for the live environment."""
    line: int
    """1-based; 0 for the live environment."""
    effect: str
    """What it really does (``assets/variables.toml``); ``""`` when not known to us."""
    within: str = ""
    """The environment, application or service that alone sees it; ``""`` when everything does."""


class MiopenStore(NamedTuple):
    """A folder in which MIOpen keeps compiled kernels or choices between runs."""

    path: str
    kind: str
    """``kernels`` (the compiled cache) or ``choices`` (find and performance databases)."""
    version: str
    """The MIOpen release that it belongs to, for example ``2.20.0``; ``""`` when not told."""
    targets: tuple[str, ...]
    """For example ``gfx1030_18``: target and work-group processors as MIOpen names its files."""
    bytes: int
