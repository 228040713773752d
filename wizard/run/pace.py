"""How fast it goes and how long it still takes, told a few times a second."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from wizard.run.events import Progress

INTERVAL_S = 0.1
"""No more than about ten events a second."""
WINDOW_S = 15.0
"""The speed is the mean of this long."""


class Pace:
    """Turns byte counts into Progress events with the time left."""

    def __init__(self, clock: Callable[[], float], start: int) -> None:
        self._clock = clock
        self._told = float("-inf")
        self._seen: deque[tuple[float, int]] = deque([(clock(), start)])

    def tell(self, done: int, total: int, what: str, *, always: bool = False) -> Progress | None:
        """The event for this moment; None when the last one is too recent."""
        now = self._clock()
        if now - self._told < INTERVAL_S and not always:
            return None
        self._told = now
        self._seen.append((now, done))
        while len(self._seen) > 2 and now - self._seen[0][0] > WINDOW_S:
            self._seen.popleft()
        return Progress(done, total, "bytes", what, self._left(done, total))

    def _left(self, done: int, total: int) -> float | None:
        (then, before), (now, _) = self._seen[0], self._seen[-1]
        gained = done - before
        if not total or gained <= 0 or now <= then:
            return None
        return (total - done) * (now - then) / gained
