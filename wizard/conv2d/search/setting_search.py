"""The smallest set of changes that makes a shape come back in time with right numbers.

A change is one variable, such as ``MIOPEN_DEBUG_CONV_GEMM=0``. Sets of changes do not order by
themselves: leaving out one more algorithm may leave none. So nothing is concluded from a set for
another one, except that what leaves MIOpen the same candidates is the same to it; each set that
counts is measured.

Where a launch that failed names what it was in (MIOpen's log does), the change that leaves just
that out is added, as often as it takes. Without such a word MIOpen is asked, and the most promising
set comes next; where it cannot be asked, every set of one change is tried, then the largest sets,
then those of two, three and so on. What passes is thinned out: a set is the smallest when each set
with one change less has failed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations

from wizard.conv2d.hangs import HangClass, Reading, Stage, read
from wizard.conv2d.shapes import Row
from wizard.conv2d.sweep import Search
from wizard.conv2d.verdicts import Result
from wizard.knowledge.solvers import (
    FIND_MODE,
    FIND_MODES,
    SEARCHES_MORE,
    Family,
    family_of,
    load_families,
)

Change = tuple[str, str]
"""A variable and its value."""
Changes = frozenset[Change]
WIDER = frozenset((FIND_MODE, mode) for mode in SEARCHES_MORE)
"""With these a search also times solvers that MIOpen does not list."""


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
class SmallestSet:
    """The end of a search."""

    changes: Changes | None
    """The set that passes: empty when nothing needs to change, None when none was found."""
    is_smallest: bool
    """False when a set with one change less was not measured, and when none was found."""
    is_complete: bool
    """False when the budget was spent before all was known."""
    skipped: int = 0
    """How many sets were left out because they are the same to MIOpen as one that was tried."""


Measure = Callable[[Changes], Awaitable[Tried]]


@dataclass(frozen=True, slots=True)
class Foresight:
    """What MIOpen says, before a launch, that sets of changes leave it to choose from."""

    known: Mapping[Changes, frozenset[str]]
    """The candidates with nothing changed, and under each set of switches that takes any away."""
    switches: frozenset[Change]
    """Changes that do nothing but take candidates away."""
    beyond: Changes = frozenset()
    """A set that leaves only such others, and they apply; empty where they do not."""
    passed: frozenset[str] = frozenset()
    """Candidates that passed elsewhere; where all did, that does not tell one from another."""

    def left(self, changes: Changes) -> frozenset[str]:
        """The candidates that a set leaves."""
        taking = frozenset().union(*self.known)
        return self.known[changes & taking]

    def back(self, change: Change) -> frozenset[str]:
        """What a switch takes away, and comes back without it."""
        return self.left(frozenset()) - self.left(frozenset({change}))

    def key(self, changes: Changes) -> tuple[frozenset[str], Changes]:
        """Sets with the same key are the same to MIOpen."""
        rest = changes - self.switches
        if rest & WIDER:
            return frozenset(), changes
        return self.left(changes), rest

    def bad(self, failed: Iterable[Changes]) -> frozenset[str]:
        """The candidates that failed by themselves: no switch could take away a part of them."""
        keys = map(self.key, failed)
        alone = (names for names, rest in keys if not rest and self._is_one(names))
        return frozenset(chain.from_iterable(alone))

    def _is_one(self, names: frozenset[str]) -> bool:
        taken = map(self.back, self.switches)
        return all(names <= each or not names & each for each in taken)


async def find_smallest_set(
    measure: Measure,
    changes: Sequence[Change],
    largest: int,
    alone: Sequence[Change] = (),
    foresight: Foresight | None = None,
) -> SmallestSet:
    """The smallest set among these changes; no set of more than ``largest`` is the answer.

    ``changes`` come in the order in which they are tried. Two that set the same variable never
    stand in one set, and one of ``alone`` stands in none with others.
    """
    search = _Search(measure, foresight)
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
    foresight: Foresight | None = None
    known: dict[Changes, Tried] = field(default_factory=dict)
    best: Changes | None = None
    thinned: bool = False
    skipped: int = 0

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
        """The first set that passes: by what failures name, else by what MIOpen says of each set,
        else in the order of all sets."""
        named = await self._follow_culprits(changes, largest)
        if named is not None:
            return named
        sets = tuple(_in_order(changes, largest, alone))
        while (candidate := self._next(sets)) is not None:
            if (await self.try_(candidate)).passed:
                return candidate
        self.skipped = len(set(sets) - set(self.known))
        return None

    def _next(self, sets: Sequence[Changes]) -> Changes | None:
        """Which set to try next; None when no other one counts.

        Sets that are the same to MIOpen as one that failed are left out. Among the others come
        first those that only take candidates away: those that leave nothing but what passed
        elsewhere, then those without what failed by itself.
        """
        left = (each for each in sets if each not in self.known)
        foresight = self.foresight
        if foresight is None:
            return next(left, None)
        tried = {foresight.key(each) for each in self.known}
        bad = foresight.bad(self._failed)

        def rank(changes: Changes) -> tuple[bool, bool, bool, bool, int]:
            if not changes <= foresight.switches:
                return True, changes != foresight.beyond, False, False, 0
            names = foresight.left(changes)
            proven = names <= foresight.passed
            # Where it is known what to keep, the fewest changes; else what tells one from another.
            size = len(changes) if proven or bad else len(names)
            return False, not names, not proven, bool(names & bad), size

        others = (each for each in left if foresight.key(each) not in tried)
        return min(others, key=rank, default=None)

    @property
    def _failed(self) -> Iterator[Changes]:
        return (changes for changes, tried in self.known.items() if not tried.passed)

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
        """Take away one change at a time while what is left still passes.

        One that was needed in a larger set comes last: it is likely to be needed again. So does one
        that keeps out what failed by itself.
        """
        current, needed = passing, set[Change]()
        if self.foresight is not None:
            bad = self.foresight.bad(self._failed)
            needed = {change for change in current if self.foresight.back(change) & bad}
        while current:
            for change in sorted(current, key=lambda each: (each in needed, each)):
                if (await self.try_(current - {change})).passed:
                    current -= {change}
                    break
                needed.add(change)
            else:
                break
        self.best, self.thinned = current, True

    def found(self, is_complete: bool) -> SmallestSet:
        """What is known now."""
        return SmallestSet(self.best, self.thinned, is_complete, self.skipped)


def _in_order(
    changes: Sequence[Change], largest: int, alone: Sequence[Change] = ()
) -> Iterator[Changes]:
    """Sets of one, then of as many as may be, then of two, three and so on."""
    sizes = dict.fromkeys(chain([1], [largest] if largest > 1 else [], range(2, largest)))
    for size in sizes:
        for candidate in combinations((*changes, *alone) if size == 1 else changes, size):
            if len({name for name, _ in candidate}) == size:
                yield frozenset(candidate)


POLLING = ("HSA_ENABLE_INTERRUPT", "0")
"""Waits by looking instead of by interrupts: what helps where those get lost."""
AT_WORK = (Stage.SEARCH, Stage.COMPILE, Stage.PREPARED, Stage.KERNEL, Stage.CHOSEN)
"""Stages whose subject is what was under way, and not what was done before."""


def culprit_of(result: Result) -> Change | None:
    """The change that leaves out what the shape hung in, or what got its numbers wrong; None where
    nothing says what that was."""
    if result.hang_class == HangClass.LOST_SIGNAL.value:
        return POLLING
    found = family_in(result)
    return None if found is None else found.off


def family_in(result: Result) -> Family | None:
    """The family of algorithms that it was in: as MIOpen's log tells, or the only one that MIOpen
    would choose from."""
    reading = read(result.log_line) if result.log_line else None
    named = None if reading is None else _family(reading)
    if named is not None or result.candidates is None or not result.candidates.is_complete:
        return named
    families = {family_of(name) for name in result.candidates.names}
    return families.pop() if len(families) == 1 else None


def _family(reading: Reading) -> Family | None:
    if reading.stage is Stage.GEMM:
        return family_of("Gemm")
    timed = reading.stage is Stage.TIMING and "Evaluating Solver" in reading.line
    return family_of(reading.subject) if timed or reading.stage in AT_WORK else None


ENGINES = ("native", "unfold")
"""Ways past MIOpen that are tried: engines of a ``Row``."""


@dataclass(frozen=True, slots=True)
class SettingRequest(Search):
    """A search for the smallest setting."""

    hangs: int
    """How many hangs may be spent."""
    largest: int = 4
    """No set of more variables is tried: with four families left out one is left."""
    repeats: int = 3
    """How often what passes is measured again."""

    @property
    def changes(self) -> tuple[Change, ...]:
        """Variables that are tried in sets."""
        modes = ((FIND_MODE, mode) for mode in FIND_MODES)
        return (*(family.off for family in load_families()), *modes, POLLING)

    @property
    def alone(self) -> tuple[Change, ...]:
        """Variables that leave nothing for another one to change: tried by themselves."""
        return tuple(family.alone for family in load_families())

    def row_under(self, changes: Changes, *, log: bool = True) -> Row:
        """The row with these variables set."""
        return replace(self.row, setting=tuple(sorted(changes)), log=log, published=None)
