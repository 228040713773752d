"""Searches that ask MIOpen first, on simulated cards: what they skip, and what that saves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from statistics import mean

import pytest

from wizard.conv2d.search.setting_search import (
    POLLING,
    Change,
    Changes,
    Foresight,
    SmallestSet,
    Tried,
    find_smallest_set,
)
from wizard.knowledge.solvers import FIND_MODE, FIND_MODES, ONLY, load_families

FAMILIES = {family.name: family for family in load_families()}
CHANGES = (
    *(family.off for family in load_families()),
    *((FIND_MODE, mode) for mode in FIND_MODES),
    POLLING,
)
ALONE = tuple(family.alone for family in load_families())
SWITCHES = frozenset(family.off for family in load_families())
SOLVERS = {
    "GEMM": ("GemmFwdRest",),
    "Winograd": ("ConvBinWinogradRxSf2x3g1", "ConvBinWinogradRxSf3x2"),
    "direct": ("ConvDirectNaiveConvFwd",),
}
CARDS = {
    "3x3, as 7.1 lists it": ("GEMM", "Winograd", "direct"),
    "3x3, as 6.4 lists it": ("GEMM", "direct"),
}
ASK_S, PASS_S, HANG_S = 4.0, 6.0, 71.0
"""Of a child that asks (three of them at once), of a launch in a process of its own, and of one
that hangs: a deadline of 60 s, its end, and a check of the card."""


def sets_of(switches: Sequence[Change]) -> Iterator[Changes]:
    sizes = range(1, min(len(switches), 4) + 1)
    yield from map(frozenset, chain.from_iterable(combinations(switches, n) for n in sizes))


@dataclass
class Card:
    """Hangs where a search times one of the bad families; its log dies with it."""

    families: tuple[str, ...]
    bad: frozenset[str]
    passed: frozenset[str] = frozenset()
    """Families that passed elsewhere."""
    asks: bool = True
    allowed: int = 1000
    hangs: int = 0
    seconds: float = 0.0
    launched: list[Changes] = field(default_factory=list)

    def left(self, changes: Changes) -> frozenset[str]:
        there = dict(changes)
        on = {name for name in self.families if FAMILIES[name].off not in changes}
        if ONLY in there:
            on = {name for name in on if FAMILIES[name].alone[1] == there[ONLY]}
        return frozenset(on)

    def foresight(self) -> Foresight | None:
        if not self.asks:
            return None
        sets = [frozenset[Change](), *sets_of([FAMILIES[name].off for name in self.families])]
        self.seconds += ASK_S * (1 + -(-(len(sets) - 1) // 3))
        known = {each: names_of(self.left(each)) for each in sets}
        passed = names_of(self.passed)
        passed = frozenset() if known[frozenset()] <= passed else passed
        return Foresight(known, SWITCHES, passed=passed)

    async def measure(self, changes: Changes) -> Tried:
        left = self.left(changes)
        if self.asks and changes <= SWITCHES and not left:
            return Tried(passed=False)  # refused without a launch
        self.launched.append(changes)
        if (FIND_MODE, "FAST") in changes:  # the first with an estimate is taken
            left = frozenset([name for name in ("GEMM", "direct") if name in left][:1])
        if not left & self.bad:
            self.seconds += PASS_S
            return Tried(passed=bool(left))
        self.hangs += 1
        self.seconds += HANG_S
        known = self.asks and len(self.left(changes)) == 1 and not dict(changes).get(ONLY)
        (only,) = self.left(changes) if known else ("",)
        return Tried(passed=False, culprit=FAMILIES[only].off if only else None)

    async def search(self) -> SmallestSet:
        return await find_smallest_set(self.measure, CHANGES, 4, ALONE, self.foresight())


def names_of(families: frozenset[str]) -> frozenset[str]:
    return frozenset(chain.from_iterable(SOLVERS[name] for name in families))


def bad_sets(families: tuple[str, ...]) -> Iterator[frozenset[str]]:
    """All that may be bad while something still works."""
    for size in range(1, len(families)):
        yield from map(frozenset, combinations(families, size))


ROUGHLY = [
    ("by solver, nothing known", "none"),
    ("by solver, the others passed elsewhere", "good"),
    ("by solver above a size, all passed below it", "all"),
]


@pytest.mark.parametrize(("name", "elsewhere"), ROUGHLY, ids=[name for name, _ in ROUGHLY])
async def test_a_search_that_asks_costs_a_third_less_at_least(name: str, elsewhere: str) -> None:
    before: list[tuple[int, float]] = []
    after: list[tuple[int, float]] = []
    for families in CARDS.values():
        for bad in bad_sets(families):
            passed = {"none": (), "good": set(families) - bad, "all": families}[elsewhere]
            today = Card(families, bad, asks=False)
            asking = Card(families, bad, frozenset(passed))
            for card, costs in ((today, before), (asking, after)):
                found = await card.search()
                assert found.changes is not None
                assert not card.left(found.changes) & bad or (FIND_MODE, "FAST") in found.changes
                costs.append((card.hangs, card.seconds))
    figures = [[mean(column) for column in zip(*costs, strict=True)] for costs in (before, after)]
    (hangs, seconds), (fewer, shorter) = figures
    print(f"{name}: {hangs:.1f} hangs, {seconds:.0f} s -> {fewer:.1f} hangs, {shorter:.0f} s")
    assert fewer <= hangs * 2 / 3
    assert shorter <= seconds * 2 / 3


@pytest.mark.parametrize("families", CARDS.values(), ids=CARDS)
async def test_where_the_size_hangs_whatever_the_solver_fewer_sets_are_tried(
    families: tuple[str, ...],
) -> None:
    today = Card(families, frozenset(families), asks=False)
    asking = Card(families, frozenset(families))
    assert (await today.search()).changes is None
    found = await asking.search()
    assert (found.changes, found.is_complete) == (None, True)
    assert asking.hangs <= today.hangs * 2 / 3
    print(f"{families}: {today.hangs} hangs, {today.seconds:.0f} s -> "
          f"{asking.hangs} hangs, {asking.seconds:.0f} s")  # fmt: skip


async def test_a_switch_that_takes_no_candidate_away_is_never_launched_by_itself() -> None:
    card = Card(("GEMM", "direct"), frozenset({"GEMM", "direct"}))
    found = await card.search()
    absent = {FAMILIES[name].off for name in ("Winograd", "implicit GEMM", "FFT")}
    assert [each for each in card.launched if each <= absent and each] == []
    assert found.skipped > 0


async def test_a_set_that_leaves_none_is_not_launched() -> None:
    card = Card(("GEMM", "direct"), frozenset({"GEMM", "direct"}))
    await card.search()
    both = frozenset({FAMILIES["GEMM"].off, FAMILIES["direct"].off})
    assert both not in card.launched


async def test_what_leaves_only_solvers_that_passed_elsewhere_comes_first() -> None:
    card = Card(
        ("GEMM", "Winograd", "direct"), frozenset({"Winograd"}), frozenset({"GEMM", "direct"})
    )
    found = await card.search()
    assert found.changes == frozenset({FAMILIES["Winograd"].off})
    assert card.launched == [frozenset(), found.changes]


async def test_other_kinds_of_settings_come_after_all_switches() -> None:
    card = Card(("GEMM", "direct"), frozenset({"GEMM", "direct"}))
    await card.search()
    kinds = [each <= SWITCHES for each in card.launched]
    assert kinds == sorted(kinds, reverse=True)


async def test_the_set_that_leaves_implicit_gemm_is_the_first_of_the_others() -> None:
    card = Card(("GEMM", "direct"), frozenset({"GEMM", "direct"}))
    foresight = card.foresight()
    assert foresight is not None
    offs = {FAMILIES["GEMM"].off, FAMILIES["direct"].off}
    beyond = frozenset({(FIND_MODE, "NORMAL"), *offs})
    told = Foresight(foresight.known, foresight.switches, beyond)
    await find_smallest_set(card.measure, CHANGES, 4, ALONE, told)
    others = [each for each in card.launched if not each <= SWITCHES]
    assert others[0] == beyond


@pytest.mark.parametrize("families", CARDS.values(), ids=CARDS)
async def test_with_three_hangs_allowed_more_cards_get_their_setting(
    families: tuple[str, ...],
) -> None:
    found = []
    for asks in (False, True):
        cards = [Card(families, bad, asks=asks) for bad in bad_sets(families)]
        for card in cards:
            await card.search()
        found.append(sum(card.hangs <= 3 for card in cards))
    assert found[1] >= found[0]
