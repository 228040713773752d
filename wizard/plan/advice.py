"""Which stack to take on this machine for these applications, and why."""

from __future__ import annotations

from dataclasses import dataclass

from wizard.plan.fit import Fit


@dataclass(frozen=True, slots=True)
class Road:
    """One stack as the Choose screen shows it: everything said of it here."""

    fit: Fit
    rank: int
    """1 is the suggestion."""
    why: tuple[str, ...]
    in_favour: tuple[str, ...]
    against: tuple[str, ...]
    unknown: tuple[str, ...]
    also: tuple[str, ...]
    """What else would change, such as settings that break this road, with file and line."""
    cost: str
    undo: str
    your_card: str
    """What is known for this card: always honest about what was never tested."""


@dataclass(frozen=True, slots=True)
class Advice:
    """All roads, best first, and what would change the order."""

    roads: tuple[Road, ...]
    headline: str
    """One or two sentences: the suggestion and its main reason."""
    would_change: tuple[str, ...]
