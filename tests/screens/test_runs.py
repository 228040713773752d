"""Earlier runs that stopped before their end: gone on with from Welcome."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from textual.widgets import OptionList

from tests.run.places import places_below
from tests.run.test_live import ending, events_of, live, two_steps
from tests.screens.collaborators import but
from tests.screens.driving import app_with, press, reach, screen_text, until, usable_keys
from tests.screens.fakes import LIVE_SERVICES
from wizard.run.journal import Journal
from wizard.run.runs import unfinished_run
from wizard.services.runs import Unfinished

WAITING = Unfinished("20260101-120000-3f9a1c", "rocm57", "rocm57", "/home/sam/my ai/[x]", "venv")


async def test_welcome_names_a_run_that_waits_and_how_to_undo_it() -> None:
    services = but(LIVE_SERVICES, unfinished=lambda: WAITING, undoable=lambda: True)
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "welcome")
        text = " ".join(screen_text(pilot.app).split())
        assert "Not finished: rocm57 into /home/sam/my ai/[x]" in text
        assert "rdna1-setup rollback 20260101-120000-3f9a1c" in text


async def test_going_on_leads_to_the_same_stack_and_folder() -> None:
    services = but(LIVE_SERVICES, unfinished=lambda: WAITING)
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "welcome")
        await press(pilot, "o")
        await reach(pilot, "detect")
        await until(pilot, lambda: "n" in usable_keys(pilot.app))
        await press(pilot, "n")
        await reach(pilot, "choose")
        assert "> rocm57" in screen_text(pilot.app)
        await press(pilot, "enter")
        await reach(pilot, "review")
        assert "rocm57 into ~/my ai/[x]" in screen_text(pilot.app)


async def test_without_such_a_run_welcome_says_nothing_of_it() -> None:
    async with app_with(LIVE_SERVICES).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "welcome")
        assert "Continue" not in screen_text(pilot.app)
        assert "o" not in usable_keys(pilot.app)


async def test_a_run_waits_until_it_is_finished_or_taken_back(tmp_path: Path) -> None:
    places, plan = places_below(tmp_path), two_steps(tmp_path)
    assert unfinished_run(places) is None
    Journal(Path(places.runs) / "20260101-120000-x").begin(plan, "2026-01-01T12:00:00+00:00")
    found = unfinished_run(places)
    assert found is not None
    assert found.id == "20260101-120000-x"
    assert ending(await events_of(live(tmp_path), plan)).ok
    assert unfinished_run(places) is None


@pytest.mark.parametrize(("elsewhere", "offered"), [(False, "Continue"), (True, "Set up")])
async def test_a_start_that_names_another_folder_is_offered_before_the_run_that_waits(
    elsewhere: bool, offered: str
) -> None:
    waits = replace(WAITING, elsewhere=elsewhere)
    services = but(LIVE_SERVICES, unfinished=lambda: waits)
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "welcome")
        menu = pilot.app.screen.query_one(OptionList)
        assert str(menu.get_option_at_index(0).prompt).startswith(offered)
        assert menu.highlighted == 0
