"""Install: what it says first, where its keys lead, and that the running step is in view."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any

import pytest
from textual.widget import Widget
from textual.widgets import ProgressBar

from screens.app import SetupApp
from screens.run.screen import RunScreen
from screens.widgets.header import Conclusion
from screens.widgets.status_line import StatusLine
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
    status,
    step_name,
    until,
    usable_keys,
)
from tests.screens.fakes import DRY_SERVICES, LIVE_SERVICES, LOG, fail_at_three
from wizard.core.events import Event, PlanFinished, Progress, StepFailed, StepStarted
from wizard.plan.steps import Plan
from wizard.services import Services


def long_plan() -> Plan:
    plan = examples.PLAN
    return replace(plan, steps=(*plan.steps, *plan.steps))


async def test_the_running_step_is_in_view_in_a_long_plan() -> None:
    async def at_nine(plan: Plan) -> AsyncGenerator[Event, None]:
        yield StepStarted(9, 12, "x", "y")
        yield Progress(410_000_000, 1_640_000_000, "bytes", "torch-" + "1" * 60 + ".whl", 1500.0)
        await asyncio.Event().wait()

    session = replace(session_at("apply"), plan=long_plan())
    services = but(LIVE_SERVICES, carry_out=at_nine)
    async with SetupApp(services, session, "apply").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "apply")
        await until(pilot, lambda: ">  Download packages" in screen_text(pilot.app))
        assert "step 9 of 12" in screen_text(pilot.app)
        assert "410 MB of 1.6 GB" in screen_text(pilot.app)
        assert pilot.app.screen.query_one("#steps").scroll_offset.y > 0


async def test_every_step_can_be_looked_at_with_keys_alone() -> None:
    session = replace(session_at("apply"), plan=long_plan())
    async with SetupApp(DRY_SERVICES, session, "apply").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "apply")
        await resolved(pilot)
        steps = pilot.app.screen.query_one("#steps")
        await until(pilot, lambda: steps.scroll_offset.y > 0)
        await press(pilot, "shift+tab", "home")
        await until(pilot, lambda: steps.scroll_offset.y == 0)


async def test_nothing_stray_stands_below_the_log() -> None:
    async with app_with(LIVE_SERVICES, "apply").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "apply")
        await resolved(pilot)
        await drawn(pilot.app)
        assert not set("▋▌▍▎▏▐") & set(screen_text(pilot.app))


async def test_a_long_failure_can_be_scrolled() -> None:
    async def fail(plan: Plan) -> AsyncGenerator[Event, None]:
        yield StepFailed(1, "happened " * 60, "means " * 60, "The last word of it.")

    async with app_with(but(LIVE_SERVICES, carry_out=fail), "apply").run_test(
        size=(80, 24)
    ) as pilot:
        await reach(pilot, "apply")
        await resolved(pilot)
        failure = pilot.app.screen.query_one("#failure")
        assert failure in pilot.app.screen.focus_chain
        failure.scroll_end(animate=False)
        await until(pilot, lambda: "The last word of it." in screen_text(pilot.app))


@pytest.mark.parametrize("part", ["#steps", ProgressBar, StatusLine, Conclusion])
async def test_news_that_comes_while_the_screen_is_taken_down_is_let_go(
    part: str | type[Widget],
) -> None:
    async with app_with(LIVE_SERVICES, "apply").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "apply")
        await resolved(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, RunScreen)
        await screen.query_one(part).remove()
        screen.state = replace(screen.state, failure=StepFailed(1, "It fell.", "So.", "Do."))
        screen.ended()
        await pilot.pause()


class Stopping:
    """A plan that stops in its second step when it is asked to, and succeeds the next time."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.begun = 0

    @property
    def services(self) -> Services:
        return but(LIVE_SERVICES, carry_out=self._carry_out, ask_to_stop=self.asked.set)

    async def _carry_out(self, plan: Plan) -> AsyncGenerator[Event, None]:
        self.begun += 1
        if self.begun > 1:
            yield PlanFinished(True, False, True, False, "run", LOG)
            return
        yield StepStarted(2, len(plan.steps), "x", "y")
        await self.asked.wait()
        yield PlanFinished(False, True, True, False, "run", LOG)


async def test_a_stopped_step_is_shown_as_stopped_and_enter_goes_on_with_the_same_plan() -> None:
    stopping = Stopping()
    async with app_with(stopping.services, "apply").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "apply")
        await until(pilot, lambda: "running" in screen_text(pilot.app))
        await press(pilot, "c", "y")
        await until(pilot, lambda: "Stopped as you asked" in screen_text(pilot.app))
        assert "running" not in screen_text(pilot.app)
        assert "stopped" in screen_text(pilot.app)
        await press(pilot, "enter")
        await reach(pilot, "review")
        assert stopping.begun == 1, "Enter changes the machine only on Review"
        await until(pilot, lambda: "enter" in usable_keys(pilot.app))
        await press(pilot, "enter")
        await until(pilot, lambda: "Installed rocm52" in screen_text(pilot.app))
        assert stopping.begun == 2


async def test_after_a_failure_enter_tries_again_and_d_diagnoses() -> None:
    services = but(LIVE_SERVICES, carry_out=fail_at_three)
    async with app_with(services, "apply").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "apply")
        await resolved(pilot)
        assert "Press Enter to try again. Press d to look for the cause." in screen_text(pilot.app)
        await press(pilot, "enter")
        await reach(pilot, "review")
        await until(pilot, lambda: "enter" in usable_keys(pilot.app))
        await press(pilot, "enter")
        await reach(pilot, "apply")
        await resolved(pilot)
        await press(pilot, "d")
        await reach(pilot, "diagnose")
        await press(pilot, "escape")
        await reach(pilot, "review")  # which runs nothing by itself


@pytest.mark.parametrize("key", ["q", "escape", "ctrl+q"])
async def test_a_key_that_would_leave_a_running_plan_says_how_to_stop_it(key: str) -> None:
    async with app_with(Stopping().services, "apply").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "apply")
        await until(pilot, lambda: "running" in screen_text(pilot.app))
        await press(pilot, key)
        assert step_name(pilot.app) == "apply"
        assert re.search(r"\bc\b.* stop", status(pilot.app))


async def test_enter_on_a_finished_installation_leads_to_measure() -> None:
    async with app_with(LIVE_SERVICES, "apply").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "apply")
        await resolved(pilot)
        assert "Installed rocm52. Press Enter to measure." in screen_text(pilot.app)
        await press(pilot, "enter")
        await reach(pilot, "conv2d")


async def test_what_must_be_done_before_the_gpu_can_be_used_is_told_at_the_end() -> None:
    async def relogin(plan: Plan) -> AsyncGenerator[Event, None]:
        yield PlanFinished(True, False, True, True, "run", LOG)

    services = but(LIVE_SERVICES, carry_out=relogin)
    async with app_with(services, "apply").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "apply")
        await resolved(pilot)
        assert "! Log out and back in" in screen_text(pilot.app)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_l_gives_the_log_the_whole_screen_and_esc_or_l_gives_it_back(
    size: tuple[int, int],
) -> None:
    async with app_with(LIVE_SERVICES, "apply").run_test(size=size) as pilot:
        await reach(pilot, "apply")
        await resolved(pilot)
        for back in ("l", "escape"):
            await press(pilot, "l")
            await drawn(pilot.app)
            assert not pilot.app.screen.query_one("#steps").region
            await press(pilot, back)
            await drawn(pilot.app)
            assert pilot.app.screen.query_one("#steps").region
        await press(pilot, "escape")
        await reach(pilot, "review")


@pytest.mark.parametrize("carry_out", [fail_at_three, LIVE_SERVICES.runs.carry_out])
async def test_no_more_than_six_keys_are_named_below(carry_out: Any) -> None:
    services = but(LIVE_SERVICES, carry_out=carry_out)
    async with app_with(services, "apply").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "apply")
        await resolved(pilot)
        await drawn(pilot.app)
        assert 3 <= len(pilot.app.screen.query("FooterKey")) <= 6
