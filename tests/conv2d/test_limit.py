"""The search for the largest size that passes: exact, within its budget, and as cheap as can be."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import inf

import pytest

from wizard.conv2d.search.limit import Costs, Known, Probes

LARGEST = 1024


def by_area(size: int) -> float:
    return 0.02 + 0.5 * (size / LARGEST) ** 2


def least_cost(largest: int, budget: int, pass_s: float, hang_s: float) -> float:
    """The module's recursion for passes of one cost, every probe tried, in the plainest words."""
    below = [0.0, 0.0, *([inf] * largest)]
    for _ in range(budget):
        row = [0.0, 0.0]
        for n in range(2, largest + 2):
            passing = (
                (n - k) * (pass_s + row[n - k]) + k * (hang_s + below[k]) for k in range(1, n)
            )
            row.append(min(passing) / n)
        below = row
    return below[-1]


def least_cost_by_size(largest: int, budget: int, costs: Costs) -> float:
    """The same where every size has its own cost: all states, all probes."""

    @cache
    def least(low: int, n: int, left: int) -> float:
        if n == 1:
            return 0.0
        if not left:
            return inf
        return min(
            (
                (n - k) * (costs.pass_s(low + k) + least(low + k, n - k, left))
                + k * (costs.hang_s + least(low, k, left - 1))
            )
            / n
            for k in range(1, n)
        )

    return least(0, largest + 1, budget)


def cost_on(limit: int, start: Known, costs: Costs, probes: Probes) -> tuple[Known, float, int]:
    """What is known at the end on a card with that limit, what it cost, and the hangs of it."""
    known, spent, hangs = start, 0.0, 0
    while not known.is_final:
        size = probes.next_size(known)
        passed = size <= limit
        known = known.after(size, passed)
        spent += costs.pass_s(size) if passed else costs.hang_s
        hangs += not passed
    return known, spent, hangs


def mean_cost(start: Known, costs: Costs, probes: Probes) -> float:
    """Over every limit: each state of knowledge is walked once, weighed by its limits."""
    total, states = 0.0, [start]
    while states:
        known = states.pop()
        if not known.is_final:
            size = probes.next_size(known)
            above, below = known.hangs - size, size - known.passes
            total += above * costs.pass_s(size) + below * costs.hang_s
            states += [known.after(size, passed) for passed in (True, False)]
    return total / (start.hangs - start.passes)


@pytest.mark.parametrize("hang_s", [2.0, 40.0])
def test_over_all_limits_up_to_1024_no_other_way_is_cheaper(hang_s: float) -> None:
    start, costs = Known(0, LARGEST + 1, 2), Costs(lambda size: 0.1, hang_s)
    mean = mean_cost(start, costs, Probes(start, costs))
    assert mean == pytest.approx(least_cost(LARGEST, 2, 0.1, hang_s), rel=1e-6)


@pytest.mark.parametrize("pass_s", [by_area, lambda size: 0.001 + 30 * (size / 64) ** 3])
@pytest.mark.parametrize("hang_s", [0.5, 10.0, 60.0])
def test_it_costs_at_most_a_twentieth_more_where_larger_sizes_take_longer(
    pass_s: Callable[[int], float], hang_s: float
) -> None:
    costs = Costs(pass_s, hang_s)
    for budget in (1, 2, 6):
        start = Known(0, 65, budget)
        mean = mean_cost(start, costs, Probes(start, costs))
        assert mean <= 1.05 * least_cost_by_size(64, budget, costs)


@pytest.mark.parametrize("budget", [1, 3])
def test_every_limit_is_found_and_no_hang_is_spent_beyond_the_budget(budget: int) -> None:
    start, costs = Known(0, 129, budget), Costs(by_area, 4.0)
    probes = Probes(start, costs)
    ends = [cost_on(limit, start, costs, probes) for limit in range(129)]
    assert [(known.is_exact, known.passes) for known, _, _ in ends] == [
        (True, n) for n in range(129)
    ]
    assert max(hangs for _, _, hangs in ends) <= budget


def test_many_hangs_are_risked_only_where_they_are_cheap() -> None:
    start = Known(0, 257, 6)
    hangs = []
    for hang_s in (3600.0, 0.1):
        costs = Costs(lambda size: 0.1, hang_s)
        hangs.append(cost_on(5, start, costs, Probes(start, costs))[2])
    assert hangs[0] == 1
    assert hangs[1] > 3


def test_a_spent_budget_leaves_bounds_and_nothing_more_is_probed() -> None:
    start = Known(0, 101, 1)
    known = start.after(16, passed=True).after(64, passed=False)
    assert (known.is_final, known.is_exact, known.passes, known.hangs) == (True, False, 16, 64)
    with pytest.raises(ValueError, match="nothing is left"):
        Probes(start, Costs(by_area, 40.0)).next_size(known)


def test_it_starts_from_what_is_known_already() -> None:
    start, costs = Known(32, 65, 1), Costs(by_area, 40.0)
    assert cost_on(42, start, costs, Probes(start, costs))[0].passes == 42
