"""The search for the largest size that passes: exact, within its budget, and as cheap as can be."""

from __future__ import annotations

from math import inf

import pytest

from wizard.conv2d.search.limit import Known, Probes

LARGEST, PASS_S = 1024, 0.1


def least_cost(largest: int, budget: int, hang_s: float) -> float:
    """The module's recursion, every probe tried, in the plainest words."""
    below = [0.0, 0.0, *([inf] * largest)]
    for _ in range(budget):
        row = [0.0, 0.0]
        for n in range(2, largest + 2):
            passing = (
                (n - k) * (PASS_S + row[n - k]) + k * (hang_s + below[k]) for k in range(1, n)
            )
            row.append(min(passing) / n)
        below = row
    return below[-1]


def end_on(limit: int, start: Known, probes: Probes) -> tuple[Known, int]:
    """What is known at the end on a card with that limit, and how many hangs it cost."""
    known, hangs = start, 0
    while not known.is_final:
        size = probes.next_size(known)
        passed = size <= limit
        known = known.after(size, passed)
        hangs += not passed
    return known, hangs


def mean_cost(start: Known, hang_s: float, probes: Probes) -> float:
    """Over every limit: each state of knowledge is walked once, weighed by its limits."""
    total, states = 0.0, [start]
    while states:
        known = states.pop()
        if not known.is_final:
            size = probes.next_size(known)
            above, below = known.hangs - size, size - known.passes
            total += above * PASS_S + below * hang_s
            states += [known.after(size, passed) for passed in (True, False)]
    return total / (start.hangs - start.passes)


@pytest.mark.parametrize("hang_s", [2.0, 40.0])
def test_over_all_limits_up_to_1024_no_other_way_is_cheaper(hang_s: float) -> None:
    start = Known(0, LARGEST + 1, 2)
    mean = mean_cost(start, hang_s, Probes(start, PASS_S, hang_s))
    assert mean == pytest.approx(least_cost(LARGEST, 2, hang_s), rel=1e-6)


@pytest.mark.parametrize("budget", [1, 3])
def test_every_limit_is_found_and_no_hang_is_spent_beyond_the_budget(budget: int) -> None:
    start = Known(0, 129, budget)
    probes = Probes(start, PASS_S, 4.0)
    ends = [end_on(limit, start, probes) for limit in range(129)]
    assert [(known.is_exact, known.passes) for known, _ in ends] == [(True, n) for n in range(129)]
    assert max(hangs for _, hangs in ends) <= budget


def test_many_hangs_are_risked_only_where_they_are_cheap() -> None:
    start = Known(0, 257, 6)
    hangs = [end_on(5, start, Probes(start, PASS_S, hang_s))[1] for hang_s in (3600.0, 0.1)]
    assert hangs[0] == 1
    assert hangs[1] > 3


def test_a_spent_budget_leaves_bounds_and_nothing_more_is_probed() -> None:
    start = Known(0, 101, 1)
    known = start.after(16, passed=True).after(64, passed=False)
    assert (known.is_final, known.is_exact, known.passes, known.hangs) == (True, False, 16, 64)
    with pytest.raises(ValueError, match="nothing is left"):
        Probes(start, PASS_S, 40.0).next_size(known)


def test_it_starts_from_what_is_known_already() -> None:
    start = Known(32, 65, 1)
    assert end_on(42, start, Probes(start, PASS_S, 40.0))[0].passes == 42


def test_the_widest_range_that_can_be_asked_about_is_no_work() -> None:
    start = Known(0, 10_000, 20)
    assert end_on(4567, start, Probes(start, 0.2, 92.0))[0].passes == 4567
