"""How far a run is, told from its events alone."""

from __future__ import annotations

from screens.run_state import State, after, before_run, broken_off
from screens.run_text import bar, progress_line, progress_text
from tests.screens.examples import PLAN
from wizard.run.events import PlanFinished, Progress, StepFailed, StepFinished, StepStarted


def test_steps_go_from_waiting_over_running_to_done() -> None:
    state = before_run(PLAN)
    assert set(state.states) == {State.WAITING}
    state = after(state, StepStarted(1, 6, "x", "y"))
    assert state.states[0] is State.RUNNING
    state = after(state, StepFinished(1, 1.0, False, "ok"))
    assert state.states[0] is State.DONE


def test_a_step_that_was_done_before_says_so() -> None:
    state = after(before_run(PLAN), StepFinished(2, 0.0, True, "there already"))
    assert state.states[1] is State.BEFORE


def test_a_rehearsed_step_is_never_called_done() -> None:
    state = after(before_run(PLAN, rehearsed=True), StepFinished(1, 0.0, False, ""))
    assert state.states[0] is State.TOLD


def test_a_failed_step_ends_the_progress() -> None:
    state = after(before_run(PLAN), Progress(1, 2, "bytes", "x", None))
    state = after(state, StepFailed(3, "a", "b", "c"))
    assert state.progress is None
    assert state.states[2] is State.FAILED


def test_an_end_without_a_word_counts_as_a_failure_of_the_running_step() -> None:
    state = after(before_run(PLAN), StepStarted(4, 6, "x", "y"))
    assert broken_off(state, "gone").states[3] is State.FAILED


def test_a_number_out_of_range_changes_nothing() -> None:
    state = before_run(PLAN)
    assert after(state, StepFinished(99, 0.0, False, "")).states == state.states


def test_progress_names_amount_and_time_left() -> None:
    text = progress_text(Progress(410_000_000, 1_640_000_000, "bytes", "torch.whl", 1500.0))
    assert text == "0.4 GB of 1.6 GB, about 25 min left  torch.whl"


def test_the_bar_is_the_whole_plan_s_weighed_by_bytes() -> None:
    fetching = after(before_run(PLAN), StepStarted(3, 6, "x", "y"))
    assert fetching.share == 0
    half = after(fetching, Progress(820_000_000, 1_640_000_000, "bytes", "torch.whl", None))
    assert 0.45 < half.share < 0.5
    assert after(half, StepFinished(3, 1.0, False, "")).share > 0.9


def test_the_bar_is_full_when_the_plan_is_through_and_not_before() -> None:
    state = before_run(PLAN, rehearsed=True)
    for number in range(1, 7):
        assert "░" in progress_line(state).plain
        state = after(state, StepStarted(number, 6, "x", "y"))
        state = after(state, StepFinished(number, 0.0, False, ""))
    state = after(state, PlanFinished(True, False, False, False, "", ""))
    assert progress_line(state).plain.startswith("█" * 24 + " 100 %  All 6 steps rehearsed")


def test_the_bar_of_a_download_never_runs_back() -> None:
    state = after(before_run(PLAN), StepStarted(3, 6, "x", "y"))
    shares = []
    for done in (0, 10, 500, 1_640_000_000, 2_000_000_000):
        state = after(state, Progress(done, 1_640_000_000, "bytes", "torch.whl", None))
        shares.append(state.share)
    assert shares == sorted(shares)
    assert shares[-1] == shares[-2]


def test_a_bar_is_never_longer_than_its_cells() -> None:
    assert bar(3.0, 10) == "█" * 10
    assert bar(-1.0, 10) == "░" * 10
