"""Roads: every way that somebody has gone or named, also those that no stack of ours installs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from wizard.knowledge.rows import read_rows

INSTALLABLE, BY_HAND, GONE, ELSEWHERE, WAITING = STATES = (
    "installable",
    "by hand",
    "gone",
    "elsewhere",
    "waiting",
)


@dataclass(frozen=True, slots=True)
class OtherRoad:
    """One road, whether we install it or not, and why."""

    id: str
    title: str
    """At most 44 characters, for one line of a list."""
    stack: str
    """The stack that installs it; ``""`` when this program does not."""
    state: str
    """One of ``STATES``."""
    because: str
    """What speaks for and against it, or what became of it, in plain words."""
    by_hand: tuple[str, ...]
    """What its traveller does; commands are written out."""
    claims: tuple[str, ...]
    """Ids of the claims that this rests on, weightiest first; none where nobody said anything."""
    source: str
    date: str
    """ISO date, or its known part, of what the source says."""


@cache
def load_roads() -> tuple[OtherRoad, ...]:
    """All roads, in the order of the file."""
    return read_rows("roads.toml", "road", OtherRoad, {})
