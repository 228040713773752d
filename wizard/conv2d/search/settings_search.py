"""The smallest set of changes that makes a shape come back in time with right numbers.

A change is one variable, such as ``MIOPEN_DEBUG_CONV_GEMM=0``. Sets of changes do not order by
themselves: leaving out one more algorithm may leave none. So nothing is concluded from a set for
another one; each set that counts is measured.

Where a launch that failed names what it was in (MIOpen's log does), the change that leaves just
that out is added, as often as it takes. Without such a word every set of one change is tried, then
the largest sets, then those of two, three and so on. What passes is thinned out: a set is the
smallest when each set with one change less has failed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations

Change = tuple[str, str]
"""A variable and its value."""
Changes = frozenset[Change]


class BudgetSpent(Exception):
    """Raised by whoever measures when no more may be risked."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What became of the shape under a set of changes."""

    passed: bool
    """In time and with right numbers."""
    culprit: Change | None = None
    """The change that leaves out what it failed in, where that is known."""


@dataclass(frozen=True, slots=True)
class Found:
    """The end of a search."""

    changes: Changes | None
    """The set that passes: empty when nothing needs to change, None when none was found."""
    is_smallest: bool
    """False when a set with one change less was not measured, and when none was found."""
    is_complete: bool
    """False when the budget was spent before all was known."""
    tried: tuple[tuple[Changes, Tried], ...]


Measure = Callable[[Changes], Awaitable[Tried]]


async def find_setting(
    measure: Measure, changes: Sequence[Change], largest: int, alone: Sequence[Change] = ()
) -> Found:
    """The smallest set among these changes; no set of more than ``largest`` is the answer.

    ``changes`` come in the order in which they are tried. Two that set the same variable never
    stand in one set, and one of ``alone`` stands in none with others.
    """
    search = _Search(measure)
    try:
        passing = await search.first_passing(changes, largest, alone)
        if passing is not None:
            await search.thin_out(passing)
    except BudgetSpent:
        return search.found(is_complete=False)
    return search.found(is_complete=True)


def count_of(changes: Sequence[Change], largest: int, alone: Sequence[Change] = ()) -> int:
    """How many sets there are, the empty one among them."""
    return 1 + sum(1 for _ in _in_order(changes, largest, alone))


@dataclass(slots=True)
class _Search:
    measure: Measure
    known: dict[Changes, Tried] = field(default_factory=dict)
    best: Changes | None = None
    thinned: bool = False

    async def try_(self, changes: Changes) -> Tried:
        """Each set is measured once."""
        if changes not in self.known:
            self.known[changes] = await self.measure(changes)
        if self.known[changes].passed and (self.best is None or len(changes) < len(self.best)):
            self.best = changes
        return self.known[changes]

    async def first_passing(
        self, changes: Sequence[Change], largest: int, alone: Sequence[Change]
    ) -> Changes | None:
        """The first set that passes: by what failures name, else in the order of all sets."""
        named = await self._follow_culprits(changes, largest)
        if named is not None:
            return named
        for candidate in _in_order(changes, largest, alone):
            if (await self.try_(candidate)).passed:
                return candidate
        return None

    async def _follow_culprits(self, changes: Sequence[Change], largest: int) -> Changes | None:
        current: Changes = frozenset()
        while len(current) <= largest:
            tried = await self.try_(current)
            if tried.passed:
                return current
            culprit = tried.culprit
            if culprit is None or culprit not in changes or culprit in current:
                return None
            current = frozenset(c for c in current if c[0] != culprit[0]) | {culprit}
        return None

    async def thin_out(self, passing: Changes) -> None:
        """Take away one change at a time while what is left still passes."""
        current = passing
        while current:
            for change in sorted(current):
                if (await self.try_(current - {change})).passed:
                    current -= {change}
                    break
            else:
                break
        self.best, self.thinned = current, True

    def found(self, is_complete: bool) -> Found:
        """What is known now."""
        return Found(self.best, self.thinned, is_complete, tuple(self.known.items()))


def _in_order(
    changes: Sequence[Change], largest: int, alone: Sequence[Change] = ()
) -> Iterator[Changes]:
    """Sets of one, then of as many as may be, then of two, three and so on."""
    sizes = dict.fromkeys(chain([1], [largest] if largest > 1 else [], range(2, largest)))
    for size in sizes:
        for candidate in combinations((*changes, *alone) if size == 1 else changes, size):
            if len({name for name, _ in candidate}) == size:
                yield frozenset(candidate)
