"""The bar of a whole plan counts bytes, never goes back, and is full at the good end alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.screens.examples import PLAN
from wizard.core.events import (
    Event,
    Output,
    PlanFinished,
    Progress,
    StepFailed,
    StepFinished,
    StepStarted,
)
from wizard.operations.packages import UNRESOLVED, AptChange
from wizard.plan.steps import Plan
from wizard.run.progress import (
    SMALL_BYTES,
    UNKNOWN_FETCH_BYTES,
    UNKNOWN_UNPACK_BYTES,
    UNPACKED_A_SECOND,
    Ahead,
    Overall,
    Weight,
    one_step,
    overall,
)

FETCH, INSTALL = 3, 4
"""Numbers of the steps of the example plan that move bytes."""
FINE = PlanFinished(True, False, True, False, "", "")
NUMBERS = st.integers(-2, 9)
EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.builds(StepStarted, NUMBERS, st.just(6), st.just(""), st.just("")),
    st.builds(StepFinished, NUMBERS, st.just(1.0), st.booleans(), st.just("")),
    st.builds(StepFailed, NUMBERS, st.just(""), st.just(""), st.just("")),
    st.builds(Output, st.just(("x",))),
    st.builds(
        Progress,
        st.integers(-5, 10**10),
        st.integers(-5, 10**10),
        st.sampled_from(("bytes", "percent", "seconds")),
        st.sampled_from(("Retrieving file 1 of 2", "Unpacking hello (amd64)", "")),
        st.none(),
    ),
    st.builds(
        PlanFinished,
        st.booleans(),
        st.booleans(),
        st.booleans(),
        st.booleans(),
        st.just(""),
        st.just(""),
    ),
)
STARTS = st.sampled_from(
    (overall(PLAN), Overall(()), one_step(), Overall((Weight(7, 5), Weight(0, 0))))
)


def after(start: Overall, *events: Event) -> Overall:
    for event in events:
        start = start.after(event)
    return start


def started(number: int) -> StepStarted:
    return StepStarted(number, 6, "", "")


def finished(number: int) -> StepFinished:
    return StepFinished(number, 1.0, False, "")


def so_far(done: int, total: int, what: str = "", unit: str = "bytes") -> Progress:
    return Progress(done, total, unit, what, None)


@given(STARTS, st.lists(EVENTS, max_size=40))
def test_it_never_goes_back_and_is_whole_exactly_at_the_good_end(
    start: Overall, events: list[Event]
) -> None:
    shares, ended = [start.share], False
    for event in events:
        start = start.after(event)
        ended = ended or (isinstance(event, PlanFinished) and event.ok)
        shares.append(start.share)
        assert 0 <= start.share <= 1
        assert (start.share == 1) == ended
        assert (int(100 * start.share) == 100) == ended
    assert shares == sorted(shares)


@given(st.permutations(range(1, 7)), st.lists(st.integers(0, 100), max_size=5))
def test_a_plan_that_goes_to_its_end_ends_at_a_hundred(order: list[int], parts: list[int]) -> None:
    start = overall(PLAN)
    for number in order:
        start = after(start, started(number), *(so_far(part, 100) for part in parts))
        start = start.after(finished(number))
    assert 0.99 < start.share < 1
    assert start.after(FINE).share == 1


def test_a_download_counts_what_it_fetches_and_an_installation_what_it_unpacks() -> None:
    assert PLAN.download_bytes is not None
    assert PLAN.installed_bytes is not None
    small = 4 * SMALL_BYTES
    whole = PLAN.download_bytes + PLAN.installed_bytes + small
    fetched = after(overall(PLAN), started(FETCH), finished(FETCH))
    assert fetched.share == PLAN.download_bytes / whole
    unpacks = PLAN.installed_bytes
    half = after(fetched, started(INSTALL), so_far(unpacks // 2, unpacks))
    assert half.share == (PLAN.download_bytes + unpacks / 2) / whole


def test_the_time_left_of_a_download_holds_what_comes_after_it() -> None:
    assert PLAN.installed_bytes is not None
    fetching = after(overall(PLAN), started(FETCH), so_far(1, PLAN.download_bytes or 0))
    after_it = (PLAN.installed_bytes + 2 * SMALL_BYTES) / UNPACKED_A_SECOND
    left = fetching.seconds_left(60.0)
    assert left is not None
    assert after_it + 60 <= left <= after_it + 62
    installing = after(fetching, finished(FETCH), started(INSTALL))
    left = installing.seconds_left(60.0)
    assert left is not None
    assert 60 <= left <= 62


def test_nobody_knows_how_long_all_takes_while_the_running_step_is_not_measured() -> None:
    assert overall(PLAN).after(started(FETCH)).seconds_left(None) is None


def test_nothing_is_said_before_a_download_whose_speed_is_not_known() -> None:
    assert overall(PLAN).after(started(1)).seconds_left(5.0) is None


def test_an_event_of_progress_tells_the_time_left_of_the_whole_plan() -> None:
    clock = iter(range(100, 200, 5))
    ahead = Ahead(PLAN, lambda: float(next(clock)))
    ahead.tell(started(FETCH))
    size = PLAN.download_bytes or 0
    told = [ahead.tell(so_far(size * part // 10, size)) for part in range(4)]
    last = told[-1]
    assert isinstance(last, Progress)
    assert last.seconds_left is not None
    assert last.seconds_left > (PLAN.installed_bytes or 0) / UNPACKED_A_SECOND


UNKNOWN = replace(PLAN, download_bytes=None, installed_bytes=None)


def test_sizes_that_nobody_knows_are_guessed() -> None:
    weights = overall(UNKNOWN).weights
    assert weights[FETCH - 1].whole == UNKNOWN_FETCH_BYTES
    assert weights[INSTALL - 1].whole == UNKNOWN_UNPACK_BYTES


@pytest.mark.parametrize("plan", [PLAN, UNKNOWN], ids=("planned", "not known"))
def test_what_was_resolved_takes_the_place_of_what_was_assumed(plan: Plan) -> None:
    small, fetched = 4 * SMALL_BYTES, 200_000_000
    before = overall(plan).weights[INSTALL - 1].unpack / overall(plan).weights[FETCH - 1].fetch
    fetching = after(overall(plan), started(FETCH), so_far(fetched // 2, fetched))
    foreseen = fetched * (1 + before) + small
    assert fetching.share == pytest.approx(fetched / 2 / foreseen)
    done = after(fetching, so_far(fetched, fetched), finished(FETCH), started(INSTALL))
    half = after(done, Progress(50, 100, "percent", "unpacking", None))
    assert half.share == pytest.approx((fetched + fetched * before / 2) / foreseen)


def test_a_download_whose_whole_size_is_not_told_leaves_the_weights_alone() -> None:
    told = after(overall(UNKNOWN), started(FETCH), so_far(10**9, 0))
    assert told.weights == overall(UNKNOWN).weights


def test_what_apt_moves_is_no_part_of_the_wheels() -> None:
    assert PLAN.download_bytes is not None
    assert PLAN.installed_bytes is not None
    installs = AptChange(
        "", download_bytes=30_000_000, installed_bytes=90_000_000, expect_install=(("a", "1"),)
    )
    removes = AptChange("", remove=("b",), expect_remove=("b",))
    whole = replace(
        PLAN,
        steps=(removes, installs, *PLAN.steps),
        download_bytes=PLAN.download_bytes + 30_000_000,
        installed_bytes=PLAN.installed_bytes + 90_000_000,
    )
    assert overall(whole).weights[:2] == (Weight(0, SMALL_BYTES), Weight(30_000_000, 90_000_000))
    assert overall(whole).weights[2:] == overall(PLAN).weights


def test_what_the_archive_was_not_asked_yet_is_guessed() -> None:
    unresolved = AptChange("", install=(("rocm-dev", UNRESOLVED),))
    weights = overall(replace(PLAN, steps=(unresolved, *PLAN.steps))).weights
    assert weights[0] == Weight(UNKNOWN_FETCH_BYTES, UNKNOWN_UNPACK_BYTES)


def test_apt_counts_to_a_hundred_twice_and_the_bar_once() -> None:
    start = Overall((Weight(100, 300),)).after(started(1))
    fetching = start.after(so_far(50, 100, "Retrieving file 2 of 4", "percent"))
    assert fetching.share == 50 / 400
    fetched = fetching.after(so_far(100, 100, "Retrieving file 4 of 4", "percent"))
    assert fetched.share == 100 / 400
    unpacking = fetched.after(so_far(20, 100, "Unpacking libssl3 (amd64)", "percent"))
    assert unpacking.share == 160 / 400


def test_waiting_for_a_lock_is_no_part_of_the_work() -> None:
    start = Overall((Weight(100, 300),)).after(started(1))
    assert start.after(so_far(119, 120, "apt is busy", "seconds")).share == 0


def test_a_step_that_failed_leaves_the_bar_where_it_was() -> None:
    half = after(overall(PLAN), started(FETCH), so_far(10**9, 2 * 10**9))
    assert half.share > 0.1
    assert half.after(StepFailed(FETCH, "", "", "")).share == half.share


def test_a_step_that_is_through_does_not_count_twice() -> None:
    through = after(overall(PLAN), started(FETCH), finished(FETCH))
    assert through.after(so_far(1, 2)).share == through.share
