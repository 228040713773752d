"""Something that takes a while: what is being done, and for how long by now."""

from __future__ import annotations

from collections.abc import Callable

from screens.words import cut
from wizard.core.amounts import time_text

SECOND_S = 1.0
"""How often it is told anew."""
SOON_S = 2.0
"""What is over sooner needs no clock beside it."""


class Wait:
    """What is waited for, from now on."""

    def __init__(self, text: str, clock: Callable[[], float]) -> None:
        self._text = text
        self._clock = clock
        self._since = clock()

    def told(self, cells: int) -> str:
        """The text with the time that it took so far, in at most so many cells."""
        time = so_far(self.seconds)
        time = f" ({time})" if time else ""
        return f"{cut(self._text, cells - len(time))}{time}"

    @property
    def seconds(self) -> float:
        """How long it took so far."""
        return self._clock() - self._since


def so_far(seconds: float) -> str:
    """How long something took so far; ``""`` where that is not worth telling yet."""
    return f"{time_text(seconds)} so far" if seconds >= SOON_S else ""
