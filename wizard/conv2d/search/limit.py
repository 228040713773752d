"""The largest size that does not hang, found for the least expected cost.

The model. The limit L is one of the sizes asked about, or none of them, each as likely as the
others: every size up to L passes, every size above it hangs. A pass costs ``pass_s`` seconds. A
hang costs ``hang_s``: its deadline, the recovery after it, and a stated number of seconds for the
risk that it takes the desktop along. At most ``budget`` hangs may be spent.

With n sizes that the limit may still be, from the largest known pass on, and b hangs left, the
least expected cost is::

    V(1, b) = 0;  V(n, 0) = infinite for n > 1
    V(n, b) = min over k in 1..n-1 of
        (n-k)/n * (pass_s + V(n-k, b)) + k/n * (hang_s + V(k, b-1))

where the size that is probed lies k above that pass. The last hang of a budget is therefore spent
by stepping up one by one: within its budget the limit is always found, and never more is risked
than was confirmed. Where hangs are dear even a large budget is hardly used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf


@dataclass(frozen=True, slots=True)
class Known:
    """What is known about the limit, and how many hangs may still be spent on it."""

    passes: int
    """The largest size known to pass; one below the smallest asked for when none is."""
    hangs: int
    """The smallest size known to hang; one above the largest asked for when none is."""
    budget: int

    @property
    def is_exact(self) -> bool:
        """True when the limit is ``passes``."""
        return self.hangs - self.passes == 1

    @property
    def is_final(self) -> bool:
        """True when the limit is known, or the budget is spent."""
        return self.is_exact or self.budget < 1

    def after(self, size: int, passed: bool, spent: int = 1) -> Known:
        """What is known once this size was probed; a failure that was no hang spends nothing."""
        if passed:
            return replace(self, passes=max(self.passes, size))
        return replace(self, hangs=min(self.hangs, size), budget=max(0, self.budget - spent))


@dataclass(frozen=True, slots=True)
class Limit:
    """What a search has come to."""

    axis: str
    largest: int
    """The largest that was asked about."""
    known: Known
    edge_passes: int
    """How often the largest size that passes came back right."""
    edge_runs: int
    """How often it was measured; 0 when no size passes."""
    changes: tuple[int, ...] = ()
    """Where MIOpen would choose from other solvers than just below, where it was asked."""


class Probes:
    """Which size to probe next, whatever is known so far."""

    def __init__(self, start: Known, pass_s: float, hang_s: float) -> None:
        """For everything that may come to be known from ``start`` on."""
        self._pass_s, self._hang_s = pass_s, hang_s
        count = start.hangs - start.passes
        self._values: list[list[float]] = [[0, 0, *([inf] * (count - 1))]]
        """V by b, then by n (from 0 on)."""
        for _ in range(start.budget):
            self._values.append(self._one_hang_more(self._values[-1], count))

    def next_size(self, known: Known) -> int:
        """The size to probe; raises ``ValueError`` when there is nothing left to probe."""
        if known.is_final:
            raise ValueError("nothing is left to measure")
        n = known.hangs - known.passes
        here, below = self._values[known.budget], self._values[known.budget - 1]
        return known.passes + min(range(1, n), key=lambda k: self._cost(here, below, n, k))

    def _cost(self, here: Sequence[float], below: Sequence[float], n: int, k: int) -> float:
        return ((n - k) * (self._pass_s + here[n - k]) + k * (self._hang_s + below[k])) / n

    def _one_hang_more(self, below: Sequence[float], count: int) -> list[float]:
        """V of one hang more. The best k does not decrease from one n to the next."""
        here, k = [0.0, 0.0], 1
        for n in range(2, count + 1):
            cost = self._cost(here, below, n, k)
            while k + 1 < n and (further := self._cost(here, below, n, k + 1)) <= cost:
                k, cost = k + 1, further
            here.append(cost)
        return here
