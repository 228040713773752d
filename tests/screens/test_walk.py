"""Through the whole wizard by keys, in each mode."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from threading import Event as Signal

import pytest

from screens.app import SetupApp
from screens.conv2d.sweep_views import SweepViews
from screens.dialogs import Notice, Question
from screens.session import STEPS
from tests.screens import examples
from tests.screens.collaborators import but
from tests.screens.driving import (
    app_with,
    go,
    press,
    reach,
    resolved,
    screen_text,
    session_at,
    status,
    until,
    usable_keys,
    walk_to,
)
from tests.screens.fakes import DRY_SERVICES, LIVE_SERVICES, break_off, fail_at_three
from wizard.conv2d.requests import Request, sweep_in
from wizard.conv2d.sweep import SweepDone, SweepEvent
from wizard.core.events import Event, PlanFinished, StepFailed, StepStarted
from wizard.machine.facts import Machine
from wizard.plan.choice import Choice
from wizard.plan.steps import Plan
from wizard.services import DEMO, Services

STOPPED = PlanFinished(False, True, True, False, "run", "")


@pytest.mark.parametrize("services", [LIVE_SERVICES, but(DRY_SERVICES, mode=DEMO)])
async def test_keys_alone_lead_from_welcome_to_done(services: Services) -> None:
    async with SetupApp(services).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "done")
        header = screen_text(pilot.app).splitlines()[0]
        assert ("[ DEMO ]" in header) is (services.mode == DEMO)


async def test_escape_leads_back_to_welcome_and_keeps_what_was_ticked() -> None:
    async with SetupApp(LIVE_SERVICES).run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "ask")
        await press(pilot, "space", "escape")
        await reach(pilot, "detect")
        await until(pilot, lambda: "n" in usable_keys(pilot.app))
        await press(pilot, "n")
        await reach(pilot, "choose")
        assert "For ComfyUI on your" in screen_text(pilot.app)
        await press(pilot, "escape")
        await reach(pilot, "ask")
        assert "[x] ComfyUI" in screen_text(pilot.app)
        await press(pilot, "escape", "escape")
        await reach(pilot, "welcome")


async def test_focus_and_keys_fit_into_80x24_and_help_opens_by_key() -> None:
    async with app_with(LIVE_SERVICES).run_test(size=(80, 24)) as pilot:
        for step in STEPS:
            await go(pilot, step)
            await resolved(pilot)
            screen = pilot.app.screen
            for widget in screen.focus_chain:
                assert screen.region.contains_region(widget.region), widget
                assert widget.region.height > 0, widget
            keys = screen.query("FooterKey")
            assert keys
            assert all(key.region.right <= 80 for key in keys), step
            await press(pilot, "question_mark")
            await until(pilot, lambda: isinstance(pilot.app.screen, Notice))
            await press(pilot, "escape")
            await reach(pilot, step)


@pytest.mark.parametrize("size", [(60, 24), (80, 20)])
async def test_a_small_window_says_what_it_needs_and_comes_back(size: tuple[int, int]) -> None:
    async with app_with(LIVE_SERVICES, "choose").run_test(size=size) as pilot:
        await reach(pilot, "choose")
        assert "80 columns and 24 lines" in screen_text(pilot.app)
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: "PyTorch" in screen_text(pilot.app))


async def test_leaving_is_blocked_while_a_plan_is_carried_out() -> None:
    stopped = asyncio.Event()

    async def endless(plan: Plan) -> AsyncGenerator[Event, None]:
        yield StepStarted(1, len(plan.steps), "x", "y")
        await stopped.wait()
        yield PlanFinished(False, True, True, False, "run", "")

    services = but(LIVE_SERVICES, carry_out=endless, ask_to_stop=stopped.set)
    async with app_with(services, "apply").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "apply")
        await until(pilot, lambda: "running" in screen_text(pilot.app))
        await press(pilot, "escape", "q", "ctrl+q")
        assert "Still" in status(pilot.app)
        await press(pilot, "c")
        await until(pilot, lambda: isinstance(pilot.app.screen, Question))
        assert "The installation stops after this step" in screen_text(pilot.app)
        await press(pilot, "y")
        await until(pilot, lambda: "enter" in usable_keys(pilot.app))
        assert "Stopped as you asked" in screen_text(pilot.app)


async def test_a_failed_step_says_what_happened_what_it_means_and_what_is_next() -> None:
    services = but(LIVE_SERVICES, carry_out=fail_at_three)
    app = app_with(services, "apply")
    async with app.run_test(size=(80, 24)) as pilot:
        await reach(pilot, "apply")
        await resolved(pilot)
        text = screen_text(app)
        events = [event async for event in fail_at_three(examples.PLAN)]
        failure = next(event for event in events if isinstance(event, StepFailed))
        told = (failure.happened, failure.meaning, f"What to do: {failure.next_step}")
        assert all(word in text for word in ("✗ Step 3 failed", *told))
        await press(pilot, "escape")
        await reach(pilot, "review")
        assert app.outcome == 1


async def test_leaving_from_apply_tells_how_its_own_run_went() -> None:
    for carry_out, outcome in ((fail_at_three, 1), (LIVE_SERVICES.runs.carry_out, 0)):
        stopped = replace(session_at("apply"), finished=STOPPED)
        app = SetupApp(but(LIVE_SERVICES, carry_out=carry_out), stopped, "apply")
        app.outcome = 130
        async with app.run_test(size=(80, 24)) as pilot:
            await reach(pilot, "apply")
            await resolved(pilot)
            await press(pilot, "q")
        assert app.outcome == outcome


async def test_a_run_that_breaks_off_is_told_and_not_a_crash() -> None:
    services = but(LIVE_SERVICES, carry_out=break_off)
    async with app_with(services, "apply").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "apply")
        await resolved(pilot)
        assert "No space left on device" in screen_text(pilot.app)


async def test_a_plan_that_cannot_be_made_is_told_and_choose_stays() -> None:
    def impossible(machine: Machine, choice: Choice) -> Plan:
        raise ValueError(f"{choice.venv} holds files of another program")

    services = but(LIVE_SERVICES, make=impossible)
    async with app_with(services, "choose").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Notice))
        assert "holds files of another program" in screen_text(pilot.app)
        await press(pilot, "escape")
        await reach(pilot, "choose")


async def test_detection_that_breaks_is_told_and_can_be_tried_again() -> None:
    tries = []

    def detect_at_second_try(on_part: object) -> Machine:
        tries.append(1)
        if len(tries) == 1:
            raise OSError("/proc is not mounted")
        return examples.MACHINE

    services = but(LIVE_SERVICES, detect=detect_at_second_try)
    async with app_with(services, "detect").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "detect")
        await until(pilot, lambda: "/proc is not mounted" in screen_text(pilot.app))
        await press(pilot, "r")
        await until(pilot, lambda: "for your" in screen_text(pilot.app))


async def test_a_detection_that_never_ends_does_not_keep_the_program() -> None:
    never = Signal()

    def stuck(on_part: object) -> Machine:
        never.wait()
        return examples.MACHINE

    async with app_with(but(LIVE_SERVICES, detect=stuck), "detect").run_test() as pilot:
        await reach(pilot, "detect")
        await press(pilot, "q")
        await until(pilot, lambda: not pilot.app.is_running)
    never.set()


async def test_no_gpu_run_starts_before_its_warning_is_confirmed() -> None:
    started = []

    async def run_sweep(request: Request) -> AsyncGenerator[SweepEvent, None]:
        started.append(request)
        yield SweepDone((), None, 0.0)

    services = but(LIVE_SERVICES, run=run_sweep)
    async with app_with(services, "conv2d").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Question))
        await press(pilot, "escape")
        await reach(pilot, "conv2d")
        assert not started
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Question))
        await press(pilot, "y")
        await until(pilot, lambda: bool(started))
        assert sweep_in(started[0]).device == "cuda"


@pytest.mark.parametrize("mode", ["dry run", "demo"])
async def test_a_rehearsal_never_measures(mode: str) -> None:
    async def forbidden(request: Request) -> AsyncGenerator[SweepEvent, None]:
        raise AssertionError("a sweep was started")
        yield

    services = but(DRY_SERVICES, mode=mode, run=forbidden)
    async with app_with(services, "conv2d").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Notice))
        assert "Nothing was started" in screen_text(pilot.app)


async def test_a_sweep_can_be_stopped_and_keeps_its_verdicts() -> None:
    async def slow(request: Request) -> AsyncGenerator[SweepEvent, None]:
        async for event in LIVE_SERVICES.experiments.run(request):
            yield event
            if len(seen) == 4:
                await asyncio.Event().wait()
            seen.append(event)

    seen: list[SweepEvent] = []
    services = but(LIVE_SERVICES, run=slow)
    async with app_with(services, "conv2d").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, "o", "down", "down", "down", "right", "escape", "enter")
        await until(pilot, lambda: len(seen) == 4)
        await press(pilot, "s")
        await resolved(pilot)
        assert "Stopped after 2 shapes" in status(pilot.app)
        assert "! Stopped: 2 right so far." in screen_text(pilot.app)
        assert "Press Enter to continue where the run stopped." in screen_text(pilot.app)
        assert len(pilot.app.screen.query_one(SweepViews).state.rows) == 10
