"""Does a stack fit: machine x applications x stack -> verdict with its reasons."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Verdict(Enum):
    """What can be said of one workload on one stack for this card, in words first."""

    WORKS = "works"
    LIKELY = "likely"
    POSSIBLE = "possible"
    UNKNOWN = "unknown"
    DISPUTED = "disputed"
    HANGS = "hangs?"
    SLOW = "very slow"
    NO = "no"


@dataclass(frozen=True, slots=True)
class Cell:
    """The verdict on one application with one stack."""

    application: str
    verdict: Verdict
    because: str
    claims: tuple[str, ...]
    """Ids of the claims that it rests on, weightiest first."""


@dataclass(frozen=True, slots=True)
class Fit:
    """One stack held against this machine and the applications asked for."""

    stack: str
    possible: bool
    """False when something on this machine rules it out."""
    obstacles: tuple[str, ...]
    """What rules it out, and what would mend that."""
    needs: tuple[str, ...]
    """What it needs that is not there yet, such as Python 3.10 by uv."""
    cells: tuple[Cell, ...]
    """One for each application asked for, in their order."""
    python: str
    """Path of the interpreter to use, or ``uv:3.10`` when uv must bring it."""
    download_bytes: int | None
    installed_bytes: int | None
