"""How far a run is, told from its events alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from screens.run.state import RunState, State, after, before_run, before_watching, broken_off
from screens.run.text import bar, bar_line, failure_text, now_line
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


def fetching(done: int = 410_000_000, unit: str = "bytes", total: int = 1_640_000_000) -> RunState:
    state = after(before_run(PLAN), StepStarted(3, 6, "x", "y"))
    return after(state, Progress(done, total, unit, "torch.whl", None))


def test_the_bar_names_step_amount_and_time_left_and_the_line_below_what_is_done_now() -> None:
    told = bar_line(fetching(), 1500.0)
    assert told.endswith("5 %  step 3 of 6: 0.4 GB of 1.6 GB, about 25 min left")
    assert now_line(fetching()) == "torch.whl"


def test_no_time_is_told_where_none_is_known() -> None:
    assert "left" not in bar_line(fetching(), None)


def test_of_a_step_that_began_before_it_was_watched_nobody_knows_how_long_it_took() -> None:
    began = StepStarted(3, 3, "x", "y")
    assert bar_line(after(before_run(PLAN), began), None, 12.0).endswith(", 12 s so far")
    assert "so far" not in bar_line(after(before_watching(), began), None, 12.0)


def test_the_longest_bar_line_fits_80_columns() -> None:
    long = before_run(replace(PLAN, steps=PLAN.steps * 2))
    state = after(long, StepStarted(12, 12, "x", "y"))
    state = after(state, Progress(9_900_000_000, 9_900_000_001, "bytes", "", None))
    assert len(bar_line(state, 3540.0)) <= 78


@pytest.mark.parametrize(
    ("unit", "total", "told"),
    [("percent", 100, "63 %"), ("files", 90, "63 of 90 files"), ("files", 0, "63 files")],
)
def test_amounts_are_told_in_their_unit(unit: str, total: int, told: str) -> None:
    assert bar_line(fetching(63, unit, total), None).endswith(f"step 3 of 6: {told}")


def test_the_bar_is_full_when_the_plan_is_through_and_not_before() -> None:
    state = before_run(PLAN, rehearsed=True)
    for number in range(1, 7):
        assert "░" in bar_line(state, None)
        state = after(state, StepStarted(number, 6, "x", "y"))
        state = after(state, StepFinished(number, 0.0, False, ""))
    assert "99 %" in bar_line(state, None)
    state = after(state, PlanFinished(True, False, False, False, "", ""))
    assert bar_line(state, None) == "█" * 20 + " 100 %  All 6 steps rehearsed; nothing was changed"


def test_a_failure_leaves_the_bar_where_it_was() -> None:
    failed = after(fetching(), StepFailed(3, "a", "b", "c"))
    assert failed.share == fetching().share > 0
    assert bar_line(failed, 10.0).endswith("Stopped: step 3 failed")
    assert now_line(failed) == ""


def test_a_bar_is_never_longer_than_its_cells() -> None:
    assert bar(3.0, 10) == "█" * 10
    assert bar(-1.0, 10) == "░" * 10


def test_why_it_failed_stands_beside_its_label_however_long_it_is() -> None:
    failed = after(before_run(PLAN), StepFailed(1, "one word " * 12, "so", "do"))
    lines = failure_text(failed, 60).plain.splitlines()
    assert [line[:8].strip() for line in lines] == ["Happened", "", "", "It means", "Next"]
    assert max(map(len, lines)) <= 60
