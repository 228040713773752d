"""A step that goes on takes all with it that lies over it: one step is on the stack, no more."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from textual.pilot import Pilot
from textual.screen import Screen

from screens.app import SetupApp
from screens.dialogs import Notice, PathQuestion
from screens.history.screen import History
from screens.palette import Palette
from screens.review.screen import Review
from screens.step import StepScreen
from tests.screens import examples
from tests.screens.collaborators import but
from tests.screens.driving import app_with, press, reach, resolved, session_at, status, until
from tests.screens.fakes import LIVE_SERVICES
from tests.screens.past_fakes import PAST
from tests.screens.reaching import rest
from wizard.conv2d.runs.folders import KeptRuns
from wizard.core.journal import Kind
from wizard.machine.facts import Machine
from wizard.plan.steps import Plan

SIZE = (80, 24)


def steps(pilot: Pilot[int]) -> list[type[Screen[object]]]:
    """What is on the stack above Textual's own blank screen."""
    return [type(screen) for screen in pilot.app.screen_stack[1:]]


async def alone(pilot: Pilot[int], step: str) -> None:
    """Waits until a step is reached; nothing may be below it, and nothing over it."""
    await reach(pilot, step)
    assert steps(pilot) == [type(pilot.app.screen)]
    await resolved(pilot)


@pytest.mark.parametrize(("key", "window"), [("question_mark", Notice), ("ctrl+p", Palette)])
async def test_a_step_that_goes_on_by_itself_below_a_window_leaves_nothing_behind(
    key: str, window: type[Screen[object]]
) -> None:
    go_on = threading.Event()

    def make(machine: Machine, kind: Kind, scopes: tuple[str, ...], for_good: bool) -> Plan:
        go_on.wait()
        return examples.make_clearing(machine, kind, scopes, for_good)

    services = but(LIVE_SERVICES, make_clearing=make)
    session = replace(session_at("choose"), clears=True)
    async with SetupApp(services, session, "clear").run_test(size=SIZE) as pilot:
        await reach(pilot, "choose")
        await resolved(pilot)
        clear = pilot.app.screen
        await press(pilot, "enter", key)
        await until(pilot, lambda: isinstance(pilot.app.screen, window))
        go_on.set()
        await alone(pilot, "review")
        assert isinstance(pilot.app.screen, Review)
        await until(pilot, lambda: not clear.is_running)


async def test_from_the_history_the_palette_leaves_no_panel_below() -> None:
    async with app_with(LIVE_SERVICES, "conv2d").run_test(size=SIZE) as pilot:
        await in_history(pilot)
        panel = pilot.app.screen_stack[1]
        await press(pilot, "ctrl+p")
        await until(pilot, lambda: isinstance(pilot.app.screen, Palette))
        await press(pilot, *"go to choose")
        await rest(pilot)
        await press(pilot, "enter")
        await alone(pilot, "choose")
        await until(pilot, lambda: not panel.is_running)
        assert not [worker for worker in pilot.app.workers if worker.node is panel]


async def test_a_window_that_a_worker_waits_for_goes_with_its_step_and_is_not_answered() -> None:
    async with app_with(LIVE_SERVICES, "conv2d").run_test(size=SIZE) as pilot:
        await in_history(pilot)
        panel, history = pilot.app.screen_stack[1:]
        assert isinstance(panel, StepScreen)
        await press(pilot, "x")
        await until(pilot, lambda: isinstance(pilot.app.screen, PathQuestion))
        waiting = [each for each in pilot.app.workers if each.node is history]
        panel.post_message(StepScreen.Go("choose", panel.session))
        await alone(pilot, "choose")
        await until(pilot, lambda: not panel.is_running and not history.is_running)
        assert waiting
        assert all(each.is_cancelled for each in waiting)


async def test_a_list_that_is_taken_away_is_not_read_again() -> None:
    looks = 0

    def kept() -> KeptRuns:
        nonlocal looks
        looks += 1
        return PAST.kept()

    services = but(LIVE_SERVICES, past=but(PAST, kept=kept))
    async with app_with(services, "conv2d").run_test(size=SIZE) as pilot:
        await in_history(pilot)
        panel, history = pilot.app.screen_stack[1:]
        assert isinstance(panel, StepScreen)
        await press(pilot, "question_mark")
        await until(pilot, lambda: isinstance(pilot.app.screen, Notice))
        before = looks
        panel.post_message(StepScreen.Go("choose", panel.session))
        await alone(pilot, "choose")
        await until(pilot, lambda: not history.is_running)
        assert looks == before


async def in_history(pilot: Pilot[int]) -> None:
    """Opens the history over the panel."""
    await reach(pilot, "conv2d")
    await press(pilot, "h")
    await until(pilot, lambda: isinstance(pilot.app.screen, History))
    await until(pilot, lambda: "Space marks a run" in status(pilot.app))
