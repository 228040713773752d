"""The largest size that does not hang, found for the least expected cost.

The model. The limit L is one of the sizes asked about, or none of them, each as likely as the
others: every size up to L passes, every size above it hangs. A pass at size s costs ``pass_s(s)``
seconds, as measured so far. A hang costs ``hang_s``: its deadline, the recovery after it, and a
stated number of seconds for the risk that it takes the desktop along. At most ``budget`` hangs may
be spent.

With the largest known pass at ``a``, n sizes that the limit may still be, and b hangs left, the
least expected cost is::

    V(a, 1, b) = 0;  V(a, n, 0) = infinite for n > 1
    V(a, n, b) = min over k in 1..n-1 of
        (n-k)/n * (pass_s(a+k) + V(a+k, n-k, b)) + k/n * (hang_s + V(a, k, b-1))

where a+k is the size that is probed. The last hang of a budget is therefore spent by stepping up
one by one: within its budget the limit is always found, and never more is risked than was
confirmed. Where hangs are dear even a large budget is hardly used.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf

Values = list["array[float]"]
"""V of one budget: by a, then by n (from 0 on)."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What probes cost, in seconds."""

    pass_s: Callable[[int], float]
    """Of a pass, by size; never decreasing, and without jumps."""
    hang_s: float
    """Of a hang: deadline, recovery, and what its risk is held to be worth."""


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
    """Which size to probe next, whatever is known so far.

    Takes about three seconds to make for a thousand sizes and three hangs.
    """

    def __init__(self, start: Known, costs: Costs) -> None:
        """For everything that may come to be known from ``start`` on."""
        self._low = start.passes
        self._costs = costs
        count = start.hangs - start.passes
        self._passes = [costs.pass_s(start.passes + a) for a in range(count)]
        self._layers = [[array("d", [0, 0, *([inf] * (count - a - 1))]) for a in range(count)]]
        for _ in range(start.budget):
            self._layers.append(self._values(self._layers[-1]))

    def next_size(self, known: Known) -> int:
        """The size to probe; raises ``ValueError`` when there is nothing left to probe."""
        if known.is_final:
            raise ValueError("nothing is left to measure")
        a, n = known.passes - self._low, known.hangs - known.passes
        here, below = self._layers[known.budget], self._layers[known.budget - 1]
        return known.passes + min(range(1, n), key=lambda k: self._cost(here, below, a, n, k))

    def _cost(self, here: Values, below: Values, a: int, n: int, k: int) -> float:
        passing = self._passes[a + k] + here[a + k][n - k]
        return ((n - k) * passing + k * (self._costs.hang_s + below[a][k])) / n

    def _values(self, below: Values) -> Values:
        """V of one hang more. The best k does not decrease from one n to the next."""
        count = len(self._passes)
        here: Values = [array("d", [0, 0]) for _ in range(count)]
        best = [1] * count
        for n in range(2, count + 1):
            for a in range(count - n + 1):
                k, cost = best[a], self._cost(here, below, a, n, best[a])
                while k + 1 < n and (further := self._cost(here, below, a, n, k + 1)) <= cost:
                    k, cost = k + 1, further
                best[a] = k
                here[a].append(cost)
        return here
