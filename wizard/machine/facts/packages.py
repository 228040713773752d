"""Packages of the system, their sources, and ROCm outside of packages."""

from __future__ import annotations

from typing import NamedTuple

from wizard.core.fact import Fact


class SystemFile(NamedTuple):
    """A file of the system that belongs to a ROCm set-up; a package may own it."""

    path: str
    kind: str
    """``key``, ``pin``, ``alternative``, ``loader path``, ``udev rule``, ``opencl vendor`` or
    ``module option``."""
    detail: str
    """What it says, in one line."""


class RocmTree(NamedTuple):
    """A folder of ROCm or of AMD's driver packages, such as ``/opt/rocm-5.7.1``."""

    path: str
    version: Fact[str]
    link_to: str | None
    """Target when the path is a link (``/opt/rocm`` usually is)."""
    owner: Fact[str]
    """The package that dpkg says put it there; ``""`` when it knows of none."""
