"""The order of the steps."""

from __future__ import annotations

from screens.session import STEPS, Session, following, preceding
from tests.screens.examples import PLAN
from wizard.core.events import PlanFinished, StepFailed

FAILED = StepFailed(1, "a", "b", "c")
STOPPED = PlanFinished(False, True, True, False, "run", "")


def test_each_step_leads_to_the_next_and_the_last_stays() -> None:
    names = [following(step, Session(plan=PLAN, applications=("own",))) for step in STEPS]
    assert names == [*STEPS[1:], "done"]


def test_a_run_that_did_not_end_well_skips_the_measuring() -> None:
    assert following("apply", Session(plan=PLAN, failure=FAILED)) == "done"
    assert following("apply", Session(plan=PLAN, finished=STOPPED)) == "done"


def test_nothing_leads_back_into_a_run() -> None:
    assert "apply" not in {preceding(step, Session(plan=PLAN)) for step in STEPS}


def test_the_panel_opened_from_welcome_leads_back_there() -> None:
    assert preceding("conv2d", Session()) == "welcome"


def test_the_panel_opened_aside_leads_back_to_the_choice_it_came_from() -> None:
    assert preceding("conv2d", Session(aside=True)) == "choose"
    assert preceding("conv2d", Session(aside=True, clears=True)) == "clear"
