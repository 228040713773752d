"""What happens while a plan is carried out, one value an event."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

CHECKED, REMOVED = "files checked", "files removed"
"""Units of a rollback: first it checks that each file is as it was left, then it removes them."""
RESTORED = "files removed or restored"
"""In place of the second one, where files come back as well."""


@dataclass(frozen=True, slots=True)
class StepStarted:
    """A step begins."""

    number: int
    """1-based."""
    total: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Output:
    """Lines that a program printed, cleaned of control characters."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the running step is."""

    done: int
    total: int
    """0 when not known."""
    unit: str
    """``bytes``, ``files``, ``packages`` or ``percent``; ``seconds`` for a wait; or one of those of
    a rollback."""
    what: str
    """For example the file being fetched."""
    seconds_left: float | None


@dataclass(frozen=True, slots=True)
class Done:
    """Who acted has proved the outcome; the text says what was found."""

    outcome: str


@dataclass(frozen=True, slots=True)
class StepFinished:
    """A step is done and its outcome was verified."""

    number: int
    seconds: float
    already_done: bool
    outcome: str


@dataclass(frozen=True, slots=True)
class StepFailed:
    """A step failed: what happened, what it means, what to do next."""

    number: int
    happened: str
    meaning: str
    next_step: str


@dataclass(frozen=True, slots=True)
class PlanFinished:
    """Nothing more will happen."""

    ok: bool
    cancelled: bool
    changed: bool
    relogin_needed: bool
    run: str
    """Id of the run: what ``rollback`` takes."""
    log: str
    """Path of the full log; ``""`` for a dry run."""
    would_change: bool = False
    """True at the end of a dry run that found something left to do."""
    restart_needed: bool = False
    """True where the kernel still holds a driver that is gone from the disk."""


Event = Union[  # noqa: UP007 - one closed union, matched exhaustively
    StepStarted, Output, Progress, StepFinished, StepFailed, PlanFinished
]
