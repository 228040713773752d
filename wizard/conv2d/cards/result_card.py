"""A result card: everything of a run that somebody else needs to compare, and nobody's name."""

from __future__ import annotations

from dataclasses import dataclass

from wizard.conv2d.verdicts import Result

SCHEMA = 1
FIGURES = ("cold_s", "warm_s", "max_abs_error", "tolerance")
COUNTS = ("nonfinite", "memory_bytes")
OWN_WORDS = ("hang_class", "phase", "process", "operation")
"""Fields of a result that hold words of this program alone, or nothing."""


@dataclass(frozen=True, slots=True)
class Chip:
    """The card that was measured, as its kernel and its ids tell of it."""

    name: str | None = None
    gfx: str | None = None
    """Its own target, whatever an override calls it; None where several cards leave it open."""
    pci_id: str | None = None
    vram_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Stack:
    """What it was measured with."""

    torch: str | None = None
    hip: str | None = None
    libraries: tuple[str, ...] = ()
    driver: str | None = None
    kernel: str | None = None
    distribution: str | None = None
    glibc: str | None = None


@dataclass(frozen=True, slots=True)
class ResultCard:
    """A run, fit to be given to strangers."""

    time: str
    """When it was measured: ISO, UTC, to the minute."""
    version: str
    """Of the program that wrote it."""
    finished: bool
    chip: Chip
    stack: Stack
    results: tuple[Result, ...]
    """Without free texts; what was published for a shape is left out, being no part of a run."""
