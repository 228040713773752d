"""The scale of an axis of times: which line a time stands on, and what is written beside it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

WIDE = 10.0
"""Largest by smallest time above which equal steps would hide the small ones."""
UNITS = ((1.0, "s"), (1e-3, "ms"))
LEAST_LINES = 2
"""Between two labels."""


@dataclass(frozen=True, slots=True)
class Scale:
    """From a line at the bottom to one at the top, by equal steps or by powers of ten."""

    low_s: float
    high_s: float
    is_log: bool
    lines: int

    def line_of(self, seconds: float) -> int:
        """The line of a time, 0 at the top."""
        if self.is_log:
            low, high = math.log10(self.low_s), math.log10(self.high_s)
            share = (math.log10(max(seconds, self.low_s)) - low) / (high - low)
        else:
            share = (seconds - self.low_s) / (self.high_s - self.low_s)
        return round((1 - min(max(share, 0.0), 1.0)) * (self.lines - 1))

    @property
    def kind(self) -> str:
        """In a word."""
        return "log" if self.is_log else "even"

    @property
    def labels(self) -> dict[int, str]:
        """What is written beside which line: both ends, and what fits between them."""
        found: dict[int, str] = {}
        for seconds in self._steps():
            line = self.line_of(seconds)
            if all(abs(line - other) >= LEAST_LINES for other in found):
                found[line] = time_label(seconds)
        return found

    def _steps(self) -> tuple[float, ...]:
        """Those that matter most first."""
        if not self.is_log:
            return self.low_s, self.high_s, (self.low_s + self.high_s) / 2
        decades = range(round(math.log10(self.low_s)), round(math.log10(self.high_s)) + 1)
        first, last, *between = decades[0], decades[-1], *decades[1:-1]
        return tuple(10.0**power for power in (first, last, *between))


def scale_for(times: Iterable[float], lines: int) -> Scale | None:
    """A scale that has room for all of these times; None where there are none."""
    known = [seconds for seconds in times if seconds > 0]
    if not known:
        return None
    low, high = min(known), max(known)
    if high / low < WIDE:
        return Scale(0.0, _rounded_up(high), False, lines)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    return Scale(10.0**first, 10.0 ** max(last, first + 1), True, lines)


def time_label(seconds: float) -> str:
    """A time beside the axis, in ASCII and at most eight cells."""
    size, unit = next((each for each in UNITS if seconds >= each[0]), UNITS[-1])
    return f"{seconds / size:.3g} {unit}"


def _rounded_up(seconds: float) -> float:
    """The next of 1, 2, 5 and their tenfolds."""
    power = 10.0 ** math.floor(math.log10(seconds))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= seconds * (1 - 1e-9))
