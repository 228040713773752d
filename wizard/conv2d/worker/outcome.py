"""What a launch came to, before anybody judges it."""

from __future__ import annotations

from dataclasses import dataclass, field

from wizard.conv2d.worker.events import Event
from wizard.conv2d.worker.hang_classes import Evidence
from wizard.conv2d.worker.miopen_log import Reading

HUNG = ("hung", "unkillable")
"""Kinds of outcomes that no answer came with."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a launch ended, before anybody judges the numbers."""

    kind: str
    """``measured``, ``error``, ``out of memory``, ``hung``, ``unkillable``, ``crashed``,
    ``no device``, ``fork unsafe``, ``import failed`` or ``not launched``; of a health check also
    ``healthy`` or ``wrong``."""
    phase: str
    text: str = ""
    seconds: float = 0.0
    """The deadline that was missed, for what hung."""
    figures: Event = field(default_factory=dict)
    """``cold``, ``warm``, ``memory`` and ``parts`` of a measured shape."""
    evidence: Evidence | None = None
    """What was seen of a shape that hung."""
    reading: Reading | None = None
    """What MIOpen's log said last; of what came back, which algorithm it took."""
    printed: str = ""
    """The last that a process which died or hung had printed, on many lines."""


NOT_LAUNCHED = Outcome("not launched", "start")


@dataclass(frozen=True, slots=True)
class Watched:
    """A process that SIGKILL has not ended yet."""

    seconds_left: float
    """How much longer it is watched."""
