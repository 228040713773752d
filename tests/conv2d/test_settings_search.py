"""The search for the smallest set of changes, on machines where few sets help."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import pytest

from wizard.conv2d.search.setting_search import (
    BudgetSpent,
    Change,
    Changes,
    SmallestSet,
    Tried,
    find_smallest_set,
)

FAMILIES = tuple(
    (f"MIOPEN_DEBUG_CONV_{name}", "0") for name in ("GEMM", "WINOGRAD", "DIRECT", "FFT")
)
MODES = tuple(("MIOPEN_FIND_MODE", mode) for mode in "123")
CHANGES = (*FAMILIES, *MODES)
PAIRS = [pair for pair in map(frozenset, combinations(CHANGES, 2)) if len(dict(pair)) == 2]


class Card:
    """A machine on which a rule says which sets pass."""

    def __init__(
        self,
        passes: Callable[[Changes], bool],
        culprit: Callable[[Changes], Change | None] = lambda changes: None,
        budget: int = 1000,
    ) -> None:
        self.passes, self.culprit, self.budget = passes, culprit, budget
        self.measured: list[Changes] = []

    async def measure(self, changes: Changes) -> Tried:
        if self.passes(changes):
            self.measured.append(changes)
            return Tried(passed=True)
        if not self.budget:
            raise BudgetSpent
        self.budget -= 1
        self.measured.append(changes)
        return Tried(passed=False, culprit=self.culprit(changes))


async def search(card: Card, largest: int = 3) -> SmallestSet:
    found = await find_smallest_set(card.measure, CHANGES, largest)
    assert len(set(card.measured)) == len(card.measured)
    return found


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: "+".join(sorted(n for n, _ in pair)))
async def test_where_one_pair_alone_helps_that_pair_and_no_more_is_found(pair: Changes) -> None:
    found = await search(Card(lambda changes: changes == pair))
    assert (found.changes, found.is_smallest, found.is_complete) == (pair, True, True)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: "+".join(sorted(n for n, _ in pair)))
async def test_where_all_that_holds_a_pair_helps_the_pair_is_found(pair: Changes) -> None:
    found = await search(Card(lambda changes: pair <= changes))
    assert (found.changes, found.is_smallest) == (pair, True)


async def test_failures_that_name_their_algorithm_lead_straight_to_the_set() -> None:
    gemm, winograd, direct, _ = FAMILIES
    pair = frozenset({gemm, winograd})
    card = Card(
        lambda changes: pair <= changes,
        lambda changes: gemm if gemm not in changes else winograd,
    )
    found = await search(card)
    assert found.changes == pair
    assert len(card.measured) == 4  # nothing, GEMM, both, and WINOGRAD alone to be sure
    assert direct not in frozenset().union(*card.measured)


async def test_a_culprit_that_stays_after_it_was_left_out_is_not_believed_again() -> None:
    gemm = FAMILIES[0]
    wanted = frozenset({FAMILIES[2]})
    found = await search(Card(lambda changes: changes == wanted, lambda changes: gemm))
    assert found.changes == wanted


async def test_nothing_is_changed_where_nothing_needs_to_be() -> None:
    card = Card(lambda changes: True)
    found = await search(card)
    assert (found.changes, found.is_smallest) == (frozenset(), True)
    assert card.measured == [frozenset()]


async def test_where_nothing_helps_every_set_was_measured() -> None:
    card = Card(lambda changes: False)
    found = await search(card, largest=2)
    assert (found.changes, found.is_smallest, found.is_complete) == (None, False, True)
    assert set(card.measured) == {frozenset(), *(frozenset({c}) for c in CHANGES), *PAIRS}


async def test_a_spent_budget_says_what_passed_and_that_it_may_not_be_the_smallest() -> None:
    triple = frozenset({FAMILIES[0], FAMILIES[1], MODES[0]})
    found = await search(Card(lambda changes: triple <= changes, budget=11))
    assert (found.changes, found.is_smallest, found.is_complete) == (triple, False, False)


async def test_a_spent_budget_before_anything_passed_finds_nothing() -> None:
    card = Card(lambda changes: False, budget=2)
    found = await search(card)
    assert (found.changes, found.is_complete, len(card.measured)) == (None, False, 2)
