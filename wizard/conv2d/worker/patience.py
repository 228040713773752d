"""How long a launch is waited for: a soft deadline, looks, and a hard one that progress moves."""

from __future__ import annotations

from dataclasses import dataclass, field

from wizard.conv2d.worker.evidence import Look

SOFT = 0.5
"""Share of the deadline after which it is looked at."""


@dataclass(slots=True)
class Patience:
    """When to look, when to look again, and when to give up; times are those of one clock."""

    began: float
    limit: float
    """Seconds without progress after which it has hung."""
    longest: float
    """Seconds after which it has hung even while it progresses."""
    every: float
    """Seconds between two looks, at most."""
    looks: list[Look] = field(default_factory=list)
    """The last two."""
    until: float = field(init=False)
    """The hard deadline as it stands."""
    _next: float = field(init=False)

    def __post_init__(self) -> None:
        """The first look comes at the soft deadline, the second by the hard one however short."""
        self.every = min(self.every, self.limit * (1 - SOFT))
        self.until = self.began + self.limit
        self._next = self.began + self.limit * SOFT

    def seconds_to_wait(self, now: float) -> float:
        """Until the next look; the last one comes at the deadline itself."""
        return max(0.0, min(self._next, self.until) - now)

    def note(self, look: Look, now: float) -> bool:
        """Take a look into account; true when it moved the deadline."""
        before = self.looks[-1] if self.looks else None
        self.looks = [*self.looks[-1:], look]
        self._next = now + self.every
        if before is None:
            # However late the first look came: without a second one nothing can be said.
            self.until = max(self.until, self._next)
        elif _progressed(before, look):
            return self._move(now)
        return False

    def is_over(self, now: float) -> bool:
        """True when it has hung: two looks without progress at the deadline, or far too long."""
        return len(self.looks) > 1 and now >= self.until

    def _move(self, now: float) -> bool:
        until = min(now + self.limit, self.began + self.longest)
        moved = until > self.until
        self.until = max(self.until, until)
        return moved


def _progressed(before: Look, after: Look) -> bool:
    return after.log_lines > before.log_lines or after.cache_bytes > before.cache_bytes
