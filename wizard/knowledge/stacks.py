"""Stacks: what can be installed, as data in ``assets/stacks.toml``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stack:
    """One road to a working torch, as ``assets/stacks.toml`` describes it."""

    id: str
    title: str
    """For people, for example ``ROCm 5.2 wheels, torch 1.13.1``."""
    torch: str
    """Version shown to people, for example ``1.13.1+rocm5.2``."""
    requirements: tuple[str, ...]
    """What one resolver run installs; ``{gfx}`` stands for the card's own target."""
    constraints: tuple[str, ...]
    """Left in the venv so that a later ``pip install`` does not undo the stack."""
    index: str
    """Address of the wheel index; ``""`` when pip's own configuration serves."""
    index_replaces_pypi: bool
    """True when the index holds every dependency too."""
    index_source: str
    """Who says that the index is there, and when that was last known."""
    pythons: tuple[str, ...]
    """Minor versions, best first, for example ``("3.10", "3.9", "3.8")``."""
    gfx: tuple[str, ...]
    """Targets that the stack can run on; empty when it needs no GPU."""
    environment: tuple[tuple[str, str], ...]
    """Variables that the stack sets before torch loads."""
    unset: tuple[str, ...]
    """Variables that must not reach torch."""
    system_release: str
    """ROCm release of the ``venv+system`` footprint; ``""`` without one."""
    hashes: tuple[tuple[str, str], ...]
    """Known wheels: file name and SHA-256, each from the sources named in the data."""
    download_bytes: int | None
    installed_bytes: int | None
    size_source: str
    executable_stack: bool
    """True when its libraries ask for an executable stack (refused by glibc 2.41 and later)."""
    one_line: str
    """What it is for, in under 40 characters."""
    cautions: tuple[str, ...]
    """What its user must know, such as the end of security updates."""


def load_stacks() -> tuple[Stack, ...]:
    """All stacks, in the order of the file."""
    raise NotImplementedError
