"""One aspect of a stack, as a value."""

from __future__ import annotations

from dataclasses import dataclass

UNKNOWN = "unknown"
RUN = "run-"
"""How the ids of verdicts on applications begin."""
HERE = "this machine"
"""The grade of what was seen on this machine."""
PUBLISHED = "published"
"""The grade of figures from a source that ``because`` names."""


@dataclass(frozen=True, slots=True)
class Aspect:
    """What is said of one aspect of a stack."""

    id: str
    title: str
    """At most 14 characters, for the head of a row."""
    word: str
    """The verdict or the figure; ``unknown`` where nobody says anything."""
    grade: str
    """How well it is supported: that of the claim that decides it, or where a figure is from."""
    because: str
    """The reason in words, without a full stop."""
    claims: tuple[str, ...]
    """Ids of the claims behind it, strongest first, refuted ones last."""


@dataclass(frozen=True, slots=True)
class LineSpeed:
    """How fast this machine's line once was."""

    bytes_per_s: float
    date: str
    """ISO date of the measurement."""
