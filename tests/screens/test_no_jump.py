"""Nothing jumps when data arrives: what was laid out for a placeholder stays where it is."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable

import pytest
from textual.app import App
from textual.geometry import Region

from screens.dialogs import Question
from screens.session import Session
from screens.step import StepScreen
from tests.screens import examples
from tests.screens.collaborators import but
from tests.screens.driving import (
    app_with,
    drawn,
    press,
    reach,
    resolved,
    screen_text,
    session_at,
    until,
)
from tests.screens.fakes import LIVE_SERVICES
from wizard.conv2d.requests import Request
from wizard.conv2d.sweep import SweepEvent
from wizard.core.trouble import Trouble
from wizard.machine.facts import Machine
from wizard.machine.part import PartDone
from wizard.plan.steps import Plan

SIZES = [(80, 24), (120, 40)]


def regions(app: App[int]) -> dict[str, Region]:
    """Where the parts of the step stand."""
    assert isinstance(app.screen, StepScreen)
    parts = (*app.screen.children, *app.screen.query("#body > *, #body > Horizontal > *"))
    return {str(each.id or type(each).__name__): each.region for each in parts}


@pytest.mark.parametrize("size", SIZES)
async def test_detection_fills_its_list_in_place(size: tuple[int, int]) -> None:
    answered = threading.Event()

    def detect(on_part: Callable[[PartDone], None]) -> Machine:
        answered.wait(20)
        for part in examples.PARTS:
            on_part(part)
        return examples.MACHINE

    services = but(LIVE_SERVICES, detect=detect)
    async with app_with(services, "detect").run_test(size=size) as pilot:
        await reach(pilot, "detect")
        await drawn(pilot.app)
        before = regions(pilot.app)
        answered.set()
        await resolved(pilot)
        assert regions(pilot.app) == before
        assert before["parts"].height > len(examples.PARTS)


@pytest.mark.parametrize("size", SIZES)
async def test_a_look_whether_a_plan_can_begin_moves_nothing(size: tuple[int, int]) -> None:
    looked = threading.Event()

    def obstacle(plan: Plan) -> Trouble | None:
        looked.wait(20)
        return Trouble("It is taken.", "Nothing is lost.", "Use another folder.")

    services = but(LIVE_SERVICES, obstacle=obstacle)
    async with app_with(services, "review").run_test(size=size) as pilot:
        await reach(pilot, "review")
        await drawn(pilot.app)
        before = regions(pilot.app)
        looked.set()
        await until(
            pilot,
            lambda: "cannot start" in str(pilot.app.screen.query_one("#status").render()),
        )
        await drawn(pilot.app)
        assert regions(pilot.app) == before


@pytest.mark.parametrize("size", SIZES)
async def test_verdicts_fill_the_grid_in_place(size: tuple[int, int]) -> None:
    go_on = asyncio.Event()

    async def run(request: Request) -> AsyncGenerator[SweepEvent, None]:
        async for event in LIVE_SERVICES.experiments.run(request):
            yield event
            if not go_on.is_set():
                await go_on.wait()

    services = but(LIVE_SERVICES, run=run)
    async with app_with(services, "conv2d").run_test(size=size) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Question))
        await press(pilot, "y")
        await until(pilot, lambda: "Measuring 10 shapes." in screen_text(pilot.app))
        await drawn(pilot.app)
        grid = pilot.app.screen.query_one("#grid").region
        go_on.set()
        await until(pilot, lambda: "hang at 224x224" in screen_text(pilot.app))
        await drawn(pilot.app)
        assert pilot.app.screen.query_one("#grid").region == grid


@pytest.mark.parametrize("size", SIZES)
async def test_a_diagnosis_takes_the_place_of_its_placeholder(size: tuple[int, int]) -> None:
    async with app_with(LIVE_SERVICES).run_test(size=size) as pilot:
        await reach(pilot, "welcome")
        session: Session = session_at("done")
        pilot.app.screen.post_message(StepScreen.Go("diagnose", session))
        await reach(pilot, "diagnose")
        before = regions(pilot.app)
        await resolved(pilot)
        assert regions(pilot.app) == before
