"""The steps in the header: what is done, where one is, what lies ahead, on every way."""

from __future__ import annotations

from dataclasses import replace

import pytest

from screens.session import STEPS, Session, to_diagnose
from screens.widgets.header import Conclusion, Standing, header_steps, step_text
from tests.screens import examples
from tests.screens.collaborators import but
from tests.screens.driving import app_with, go, screen_text, session_at
from tests.screens.fakes import DRY_SERVICES, LIVE_SERVICES
from wizard.core.events import PlanFinished, StepFailed
from wizard.diagnose.finding import Status
from wizard.services import DEMO, Services

FAILED = StepFailed(3, "It stopped.", "Nothing is lost.", "Go on.")
ENDED = PlanFinished(False, False, False, False, "run", "")


def marks(screen: str, session: Session) -> list[str]:
    return [step_text(step) for step in header_steps(screen, session)]


def test_steps_that_are_done_shown_and_ahead_differ_without_any_colour() -> None:
    session = replace(session_at("review"), choice=examples.CHOICE)
    assert marks("review", session) == ["✓ Detect", "✓ Choose", "[Review]", "Install", "Measure"]


def test_what_was_passed_over_is_not_told_as_done() -> None:
    passed_over = ["Detect", "Choose", "Review", "Install", "[Measure]"]
    assert marks("conv2d", Session()) == passed_over
    read_by_welcome = Session(machine=examples.MACHINE)
    assert marks("conv2d", read_by_welcome) == passed_over
    assert marks("conv2d", replace(read_by_welcome, aside=True))[0] == "✓ Detect"


def test_a_run_that_failed_stands_so_on_the_last_screen() -> None:
    session = replace(session_at("done"), finished=ENDED, failure=FAILED)
    assert [step.standing for step in header_steps("done", session)][3:] == [
        Standing.FAILED,
        Standing.OPEN,
    ]


@pytest.mark.parametrize("screen", ["welcome", "diagnose", "history", "roll_back", "watch"])
def test_a_screen_beside_all_ways_shows_no_steps(screen: str) -> None:
    assert header_steps(screen, to_diagnose("done", session_at("done"))) == ()


def test_a_removal_and_a_fix_have_steps_of_their_own() -> None:
    removal = replace(session_at("choose"), clears=True)
    assert marks("choose", removal) == ["✓ Detect", "[Choose]", "Review", "Remove"]
    before = Session(machine=examples.MACHINE)
    keeping = replace(before, plan=examples.PLAN, before=before)
    assert marks("review", keeping) == ["Measure", "[Review]", "Apply"]


@pytest.mark.parametrize("services", [DRY_SERVICES, but(DRY_SERVICES, mode=DEMO)])
async def test_the_steps_are_whole_at_80_columns_and_a_mode_without_changes_in_brackets(
    services: Services,
) -> None:
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        for step in STEPS:
            await go(pilot, step)
            header = screen_text(pilot.app).splitlines()[0]
            assert header.endswith(f"[ {services.mode.upper()} ]")
            if step != "welcome":
                assert "Detect" in header
                assert "Measure" in header


async def test_a_conclusion_has_its_mark_and_costs_no_line_while_it_says_nothing() -> None:
    async with app_with(LIVE_SERVICES).run_test(size=(80, 24)) as pilot:
        await go(pilot, "done")
        line = pilot.app.screen.query_one(Conclusion)
        line.tell("")
        await pilot.pause()
        assert line.region.height == 0
        line.tell("All is well.", Status.OK, "One thing is open.", Status.WARNING)
        await pilot.pause()
        assert "✓ All is well.\n" in screen_text(pilot.app)
        assert "! One thing is open.\n" in screen_text(pilot.app)
