"""How long a step still takes, by the speed that is measured while it runs."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace

from wizard.core.events import Event, Output, Progress

WINDOW_S = 30.0
"""The speed is the mean of this long."""
WATCHED_S = 4.0
"""Before that a speed is a guess."""
LONGEST_S = 48 * 3600.0
"""More means that it stands still."""
SAMPLE_S = 0.25
"""No more samples than four a second."""
TOLD_S = 0.1
"""No more than about ten events a second."""


class TimeLeft:
    """Watches the events of a run; only bytes have a speed that says anything about the rest."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._seen: deque[tuple[float, int]] = deque()
        self._total = 0

    def take(self, event: Event) -> None:
        """Measures on; any other step begins from nothing."""
        match event:
            case Progress(unit="bytes") if event.total > 0:
                self._note(event.done, event.total)
            case Output():
                pass
            case _:
                self._seen.clear()

    @property
    def seconds(self) -> float | None:
        """The time left at this moment; None while nobody can say."""
        if not self._seen:
            return None
        now = self._clock()
        self._forget_before(now - WINDOW_S)
        (then, before), (_, done) = self._seen[0], self._seen[-1]
        if now - then < WATCHED_S or done <= before:
            return None
        left = (self._total - done) * (now - then) / (done - before)
        return left if left <= LONGEST_S else None

    def _note(self, done: int, total: int) -> None:
        now = self._clock()
        if self._seen and done < self._seen[-1][1]:
            self._seen.clear()  # it began anew
        if len(self._seen) > 1 and now - self._seen[-2][0] < SAMPLE_S:
            self._seen.pop()
        self._seen.append((now, done))
        self._total = total
        self._forget_before(now - WINDOW_S)

    def _forget_before(self, limit: float) -> None:
        # One sample from before the window stays: speed is measured from there.
        while len(self._seen) > 2 and self._seen[1][0] <= limit:
            self._seen.popleft()


class Pace:
    """Turns byte counts into Progress events with the time left, a few times a second."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._told = float("-inf")
        self._left = TimeLeft(clock)

    def tell(self, done: int, total: int, what: str, *, always: bool = False) -> Progress | None:
        """The event for this moment; None when the last one is too recent."""
        now = self._clock()
        if now - self._told < TOLD_S and not always:
            return None
        self._told = now
        event = Progress(done, total, "bytes", what, None)
        self._left.take(event)
        return replace(event, seconds_left=self._left.seconds)
