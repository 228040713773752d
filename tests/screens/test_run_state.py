"""How far a run is, told from its events alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from screens.run.screen import doing, failure_text, progress_text, step_line
from tests.screens.examples import PLAN
from wizard.core.amounts import left_text
from wizard.core.events import PlanFinished, Progress, StepFailed, StepFinished, StepStarted
from wizard.run.progress import (
    RunState,
    State,
    StepRow,
    after,
    before_rollback,
    before_run,
    before_watching,
    broken_off,
)


def test_steps_go_from_waiting_over_running_to_done() -> None:
    state = before_run(PLAN)
    assert {row.state for row in state.steps} == {State.WAITING}
    state = after(state, StepStarted(1, 6, "x", "y"))
    assert state.steps[0].state is State.RUNNING
    state = after(state, StepFinished(1, 1.0, False, "ok"))
    assert state.steps[0].state is State.DONE


def test_a_step_that_was_done_before_says_so() -> None:
    state = after(before_run(PLAN), StepFinished(2, 0.0, True, "there already"))
    assert state.steps[1].state is State.BEFORE


def test_a_rehearsed_step_is_never_called_done() -> None:
    state = after(before_run(PLAN, State.SHOWN), StepFinished(1, 0.0, False, ""))
    assert state.steps[0].state is State.SHOWN


def test_a_failed_step_ends_the_progress() -> None:
    state = after(before_run(PLAN), Progress(1, 2, "bytes", "x", None))
    state = after(state, StepFailed(3, "a", "b", "c"))
    assert state.progress is None
    assert state.steps[2].state is State.FAILED


def test_an_end_without_a_word_counts_as_a_failure_of_the_running_step() -> None:
    state = after(before_run(PLAN), StepStarted(4, 6, "x", "y"))
    assert broken_off(state, "gone").steps[3].state is State.FAILED


def test_a_number_out_of_range_changes_nothing() -> None:
    state = before_run(PLAN)
    assert after(state, StepFinished(99, 0.0, False, "")).steps == state.steps


def fetching(done: int = 410_000_000, unit: str = "bytes", total: int = 1_640_000_000) -> RunState:
    state = after(before_run(PLAN), StepStarted(3, 6, "x", "y"))
    return after(state, Progress(done, total, unit, "torch.whl", None))


def test_what_is_done_now_is_told_with_its_amount_and_the_time_left() -> None:
    state = fetching(412_000_000, total=2_000_000_000)
    state = replace(state, steps=(*state.steps[:2], StepRow("Download packages", State.RUNNING)))
    told = "Downloading packages: 412 MB of 2.0 GB, about 6 minutes left"
    assert progress_text(state, 360.0, 0.0, 78) == told
    assert progress_text(state, 360.0) == f"{told} (torch.whl)"


def test_no_time_left_is_told_where_none_is_known() -> None:
    assert "left" not in progress_text(fetching(), None)


def test_of_a_step_that_began_before_it_was_watched_nobody_knows_how_long_it_took() -> None:
    began = StepStarted(3, 3, "x", "y")
    assert progress_text(after(before_run(PLAN), began), None, 12.0).endswith("12 s so far")
    assert "so far" not in progress_text(after(before_watching(), began), None, 12.0)


def test_the_longest_line_fits_80_columns() -> None:
    state = after(before_run(PLAN), StepStarted(3, 6, "x", "y"))
    state = after(state, Progress(9_900_000_000, 9_900_000_001, "bytes", "x" * 90, None))
    assert len(progress_text(state, 3540.0, 0.0, 76)) <= 76


@pytest.mark.parametrize(
    ("unit", "total", "told"),
    [
        ("percent", 100, "63 %"),
        ("files", 21_000, "63 of 21,000 files"),
        ("files", 0, "63 files"),
    ],
)
def test_amounts_are_told_in_their_unit(unit: str, total: int, told: str) -> None:
    assert f": {told}" in progress_text(fetching(63, unit, total), None)


@pytest.mark.parametrize(
    ("title", "told"),
    [
        ("Download packages", "Downloading packages"),
        ("Create the environment", "Creating the environment"),
        ("Pin package versions", "Pinning package versions"),
        ("Set up the sources", "Setting up the sources"),
        ("Free up some space", "Freeing up some space"),
        ("as root, purge 3 packages", "as root, purge 3 packages"),
        ("/usr/bin/python3 -m venv x", "/usr/bin/python3 -m venv x"),
    ],
)
def test_a_title_is_told_as_what_is_being_done(title: str, told: str) -> None:
    assert doing(title) == told


def test_the_time_left_is_told_no_more_exactly_than_in_minutes() -> None:
    told = [left_text(seconds) for seconds in (0.2, 45.0, 60.0, 301.0, 7200.0)]
    assert told == [
        *("less than a minute left", "less than a minute left"),
        *("about 1 minute left", "about 6 minutes left", "about 2.0 hours left"),
    ]


def test_it_is_whole_when_the_plan_has_ended_well_and_not_before() -> None:
    state = before_run(PLAN, State.SHOWN)
    for number in range(1, 7):
        state = after(state, StepStarted(number, 6, "x", "y"))
        state = after(state, StepFinished(number, 0.0, False, ""))
        assert state.share < 1
    assert not state.ok
    state = after(state, PlanFinished(True, False, False, False, "", ""))
    assert (state.share, state.ok) == (1, True)
    assert progress_text(state, None) == "6 of 6 steps shown; none was run."


def test_a_failure_leaves_the_bar_where_it_was() -> None:
    failed = after(fetching(), StepFailed(3, "a", "b", "c"))
    assert failed.share == fetching().share > 0
    assert progress_text(failed, 10.0) == "0 of 6 steps done."


def test_a_step_that_was_running_at_the_end_is_shown_as_stopped() -> None:
    stopped = after(fetching(), PlanFinished(False, True, True, False, "", ""))
    assert stopped.steps[2].state is State.STOPPED
    assert "running" not in step_line(stopped.steps[2], 76, 99.0).plain


def test_a_step_tells_how_long_it_took_or_takes_and_is_never_wider_than_its_place() -> None:
    assert step_line(StepRow("Do it", State.DONE, 61.0), 60).plain.endswith("1 min")
    assert step_line(StepRow("Do it", State.RUNNING), 60, 200.0).plain.endswith("3 min")
    assert step_line(StepRow("Do it", State.BEFORE), 60).plain.endswith("already done")
    assert step_line(StepRow("Do it " * 30, State.BEFORE), 50).cell_length <= 50


def test_the_last_step_of_a_rollback_is_the_folder() -> None:
    assert len(before_rollback(PLAN).steps) == len(before_rollback(PLAN).overall.weights) == 7
    assert len(before_rollback(None).steps) == 1


def test_a_failure_tells_what_happened_what_it_means_and_what_to_do() -> None:
    failed = after(before_run(PLAN), StepFailed(1, "It [/fell].", "So.", "Do that."))
    assert failure_text(failed).plain.splitlines() == ["It [/fell].", "So.", "What to do: Do that."]
