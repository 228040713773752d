"""Apply: nothing is cut off, nothing stray is drawn, and the running step is in view."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest
from textual.widget import Widget

from screens.app import SetupApp
from screens.run.apply import Apply
from screens.widgets.progress_lines import ProgressLines
from screens.widgets.status_line import StatusLine
from screens.widgets.step_list import StepList
from tests.screens import examples
from tests.screens.driving import (
    app_with,
    drawn,
    press,
    reach,
    screen_text,
    session_at,
    settled,
    until,
)
from tests.screens.fakes import DRY_SERVICES, LIVE_SERVICES
from wizard.plan.steps import Plan
from wizard.run.events import Event, Progress, StepFailed, StepStarted

LONG = "a reason that needs more than one line at the smallest size that there may be, to its end"


def long_plan() -> Plan:
    plan = examples.PLAN
    steps = tuple(replace(step, reason=LONG) for step in plan.steps)
    return replace(plan, steps=(*steps, *steps))


async def test_steps_are_whole_at_the_smallest_size() -> None:
    session = replace(session_at("apply"), plan=long_plan())
    async with SetupApp(DRY_SERVICES, session, "apply").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "apply")
        await settled(pilot)
        steps = screen_text(pilot.app).partition("─")[0]  # below it the log, which scrolls sideways
        assert "…" not in steps.partition("\n")[2]
        assert "to its end" in screen_text(pilot.app)


async def test_the_running_step_is_in_view_also_below_steps_of_several_lines() -> None:
    async def at_nine(plan: Plan) -> AsyncGenerator[Event, None]:
        yield StepStarted(9, 12, "x", LONG)
        yield Progress(410_000_000, 1_640_000_000, "bytes", "torch-" + "1" * 60 + ".whl", 1500.0)
        await asyncio.Event().wait()

    session = replace(session_at("apply"), plan=long_plan())
    services = replace(LIVE_SERVICES, carry_out=at_nine)
    async with SetupApp(services, session, "apply").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "apply")
        await until(pilot, lambda: "> running    9 " in screen_text(pilot.app))
        assert "1.whl" in screen_text(pilot.app)
        assert pilot.app.screen.query_one(StepList).scroll_offset.y > 0


async def test_every_step_can_be_looked_at_with_keys_alone() -> None:
    session = replace(session_at("apply"), plan=long_plan())
    async with SetupApp(DRY_SERVICES, session, "apply").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "apply")
        await settled(pilot)
        assert "rehearsed  1 " not in screen_text(pilot.app)
        await press(pilot, "tab", "home")
        await until(pilot, lambda: "rehearsed  1 " in screen_text(pilot.app))


async def test_nothing_stray_stands_below_the_log() -> None:
    async with app_with(LIVE_SERVICES, "apply").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "apply")
        await settled(pilot)
        await drawn(pilot.app)
        assert not set("▋▌▍▎▏▐") & set(screen_text(pilot.app))


async def test_a_long_failure_can_be_scrolled() -> None:
    async def fail(plan: Plan) -> AsyncGenerator[Event, None]:
        yield StepFailed(1, "happened " * 60, "means " * 60, "The last word of it.")

    async with app_with(replace(LIVE_SERVICES, carry_out=fail), "apply").run_test(
        size=(80, 24)
    ) as pilot:
        await reach(pilot, "apply")
        await settled(pilot)
        failure = pilot.app.screen.query_one("#failure")
        assert failure in pilot.app.screen.focus_chain
        failure.scroll_end(animate=False)
        await until(pilot, lambda: "The last word of it." in screen_text(pilot.app))


@pytest.mark.parametrize("part", [StepList, ProgressLines, StatusLine])
async def test_news_that_comes_while_the_screen_is_taken_down_is_let_go(part: type[Widget]) -> None:
    async with app_with(LIVE_SERVICES, "apply").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "apply")
        screen = pilot.app.screen
        assert isinstance(screen, Apply)
        await screen.query_one(part).remove()
        assert screen.state is not None
        screen.state = replace(screen.state, failure=StepFailed(1, "It fell.", "So.", "Do."))
        screen.ended(screen.state)
        await pilot.pause()
