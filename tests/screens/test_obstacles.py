"""What Apply would refuse is said on Review, with the remedy, and Apply is not offered."""

from __future__ import annotations

from tests.screens.collaborators import but
from tests.screens.driving import app_with, press, reach, status, until, usable_keys, words_on
from tests.screens.fakes import DRY_SERVICES, LIVE_SERVICES
from wizard.core.trouble import Trouble
from wizard.plan.steps import Plan
from wizard.services import Services

TAKEN = Trouble(
    "/home/sam/[x] is a venv that this program did not create.",
    "Changing an existing environment is not built yet.",
    "Choose a new folder with --venv.",
)


def refusing(services: Services) -> Services:
    return but(services, obstacle=lambda plan: TAKEN)


async def test_a_folder_that_is_taken_is_refused_on_review_with_the_remedy() -> None:
    async with app_with(refusing(LIVE_SERVICES), "review").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "review")
        await until(pilot, lambda: "This plan cannot start" in status(pilot.app))
        text = words_on(pilot.app)
        assert "/home/sam/[x] is a venv that this program did not create." in text
        assert "Choose a new folder" in text
        assert "enter" not in usable_keys(pilot.app)


async def test_a_plan_that_would_be_refused_can_still_be_rehearsed() -> None:
    async with app_with(refusing(DRY_SERVICES), "review").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "review")
        await until(pilot, lambda: "This plan cannot start" in status(pilot.app))
        await press(pilot, "enter")
        await reach(pilot, "apply")


async def test_apply_is_offered_only_once_the_folder_was_looked_at() -> None:
    looked: list[Plan] = []

    def look(plan: Plan) -> None:
        looked.append(plan)

    services = but(LIVE_SERVICES, obstacle=look)
    async with app_with(services, "review").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "review")
        await until(pilot, lambda: "enter" in usable_keys(pilot.app))
        assert looked


async def test_a_refusal_stays_in_the_status_line_once_keys_count() -> None:
    services = but(refusing(LIVE_SERVICES), pause_s=0.05)
    async with app_with(services, "review").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "review")
        await until(pilot, lambda: pilot.app.screen.heeds)  # type: ignore[attr-defined]
        await until(pilot, lambda: "This plan cannot start" in status(pilot.app))
        assert "enter" not in usable_keys(pilot.app)
