"""The step rail: what is done, where one is, what lies ahead, on every way through the wizard."""

from __future__ import annotations

from dataclasses import replace

import pytest

from screens.road import Standing, road_to
from screens.services import DEMO, Services
from screens.session import STEPS, Session, to_diagnose
from screens.widgets.step_rail import StepRail, count_text, stop_text
from tests.screens import examples
from tests.screens.driving import app_with, go, resize, screen_text, session_at
from tests.screens.fakes import DRY_SERVICES, LIVE_SERVICES
from wizard.run.events import PlanFinished, StepFailed

FAILED = StepFailed(3, "It stopped.", "Nothing is lost.", "Go on.")
ENDED = PlanFinished(False, False, False, False, "run", "")


def marks(screen: str, title: str, session: Session) -> list[str]:
    road = road_to(screen, title, session)
    return [stop_text(stop, road.beside) for stop in road.stops]


def test_steps_that_are_done_here_and_ahead_differ_by_mark_and_word() -> None:
    session = replace(session_at("review"), choice=examples.CHOICE)
    road = road_to("review", "Review", session)
    assert marks("review", "Review", session) == [
        "✓ Welcome", "✓ Detect", "✓ Choose", "[4 REVIEW]", "5 Apply", "6 Conv2d", "7 Done",
    ]  # fmt: skip
    assert road.place == "4/7 REVIEW"
    assert count_text(road) == "3 done, 3 ahead"


@pytest.mark.parametrize(
    ("screen", "title", "place"),
    [
        ("diagnose", "Diagnose", "1/7 > DIAGNOSE"),
        ("history", "History", "6/7 > HISTORY"),
        ("roll_back", "Roll back", "1/7 > ROLL BACK"),
        ("review", "What changes", "4/7 > WHAT CHANGES"),
    ],
)
def test_a_screen_beside_the_road_says_at_which_step(screen: str, title: str, place: str) -> None:
    assert road_to(screen, title, Session()).place == place


def test_diagnose_stands_at_the_step_where_it_was_opened() -> None:
    session = to_diagnose("done", session_at("done"))
    assert road_to("diagnose", "Diagnose", session).place == "7/7 > DIAGNOSE"


def test_what_was_done_before_diagnose_is_still_told_as_done() -> None:
    before = session_at("done")
    there = replace(to_diagnose("done", before), plan=None, finished=None)
    stops = road_to("diagnose", "Diagnose", there).stops
    assert [s.standing for s in stops] == [
        s.standing for s in road_to("done", "Done", before).stops
    ]


def test_what_was_passed_over_is_not_told_as_done() -> None:
    road = road_to("conv2d", "Conv2d", Session())
    assert count_text(road) == "1 done, 4 left out, 1 ahead"
    assert stop_text(road.stops[2]) == "- Choose"


def test_a_run_that_failed_stands_so_on_the_last_step() -> None:
    session = replace(session_at("done"), finished=ENDED, failure=FAILED)
    stops = road_to("done", "Done", session).stops
    assert [stops[4].standing, stops[5].standing] == [Standing.FAILED, Standing.LEFT_OUT]


def test_the_way_that_only_takes_away_has_its_own_steps() -> None:
    session = replace(session_at("choose"), clears=True)
    road = road_to("choose", "Remove", session)
    assert road.place == "3/6 REMOVE"
    assert [stop.title for stop in road.stops] == [
        "Welcome", "Detect", "Remove", "Review", "Apply", "Done",
    ]  # fmt: skip


def test_a_fix_is_reviewed_on_a_road_of_its_own() -> None:
    before = Session(machine=examples.MACHINE)
    session = replace(before, plan=examples.PLAN, before=before)
    assert road_to("review", "Review", session).place == "2/4 REVIEW"


async def test_the_rail_costs_no_line_at_24_and_is_whole_from_30() -> None:
    async with app_with(LIVE_SERVICES).run_test(size=(80, 24)) as pilot:
        for step in STEPS:
            await go(pilot, step)
            rail = pilot.app.screen.query_one(StepRail)
            assert rail.region.height == 0
            for size in ((80, 30), (120, 40)):
                await resize(pilot, *size)
                line = screen_text(pilot.app).splitlines()[1]
                assert all(road.title.upper() in line.upper() for road in rail.road.stops), line
            await resize(pilot, 80, 24)


@pytest.mark.parametrize("services", [DRY_SERVICES, replace(DRY_SERVICES, mode=DEMO)])
async def test_a_mode_that_changes_nothing_stands_in_brackets(services: Services) -> None:
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        for step in STEPS:
            await go(pilot, step)
            header = screen_text(pilot.app).splitlines()[0]
            assert header.endswith(f"[ {services.mode.upper()} ]")
