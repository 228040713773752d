"""Driving the app in tests: wait for conditions, read the screen as rows of text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from textual.app import App
from textual.pilot import Pilot

from screens.app import SetupApp
from screens.services import Services
from screens.session import STEPS, Session
from screens.step import StepScreen
from screens.widgets.status_line import StatusLine
from tests.screens import examples, fakes
from wizard.run.events import PlanFinished

PATIENCE = 2_000
"""Rounds of the event loop before a condition counts as never met."""


async def until(pilot: Pilot[int], holds: Callable[[], bool]) -> None:
    """Lets the app work until something holds."""
    for _ in range(PATIENCE):
        if holds():
            await pilot.pause()
            return
        await pilot.pause()
    raise AssertionError(f"never came true; the screen:\n{screen_text(pilot.app)}")


async def reach(pilot: Pilot[int], step: str) -> None:
    """Waits until a step is on the screen and has settled."""
    await until(pilot, lambda: step_name(pilot.app) == step and pilot.app.screen.is_current)


def step_name(app: App[int]) -> str:
    """The step on the screen, ``""`` below a dialog."""
    return app.screen.NAME if isinstance(app.screen, StepScreen) else ""


def screen_text(app: App[int]) -> str:
    """The screen as rows of text, without trailing blanks."""
    width, height = app.size
    lines = app.screen._compositor.render_strips()
    rows = [strip.text[:width].rstrip() for strip in lines[:height]]
    return "\n".join(rows).rstrip() + "\n"


def status(app: App[int]) -> str:
    """The text of the status line."""
    return app.screen.query_one(StatusLine).render().plain


async def walk_to(pilot: Pilot[int], step: str) -> None:
    """Goes to a step as a user would, by keys."""
    await reach(pilot, "welcome")
    for name, key in (
        ("welcome", "enter"),
        ("detect", "n"),
        ("choose", "enter"),
        ("review", "a"),
        ("apply", "n"),
        ("conv2d", "n"),
    ):
        if name == step:
            return
        await reach(pilot, name)
        await until(pilot, lambda key=key: key in usable_keys(pilot.app))  # type: ignore[misc]
        await pilot.press(key)
    await reach(pilot, step)


async def settled(pilot: Pilot[int]) -> None:
    """Waits until no step works any more: machine read, plan carried out, shapes measured."""
    steps = [screen for screen in pilot.app.screen_stack if isinstance(screen, StepScreen)]
    for step in steps:
        await until(pilot, lambda step=step: not working(step))  # type: ignore[misc]


def working(step: StepScreen) -> bool:
    """True while something is still to come by itself."""
    return step.busy or (step.NAME == "detect" and step.session.machine is None)


def usable_keys(app: App[int]) -> set[str]:
    """Keys that do something right now."""
    return {key for key, active in app.screen.active_bindings.items() if active.enabled}


def app_with(services: Services, first: str = "welcome") -> SetupApp:
    """The app over fake services, at a step that has what it needs."""
    return SetupApp(services, session_at(first), first)


def session_at(step: str) -> Session:
    """What a user who came to this step brings along."""
    place = STEPS.index(step)
    known = Session(
        machine=examples.MACHINE if place > STEPS.index("detect") else None,
        parts=examples.PARTS if place > STEPS.index("detect") else (),
        plan=examples.PLAN if place > STEPS.index("choose") else None,
    )
    finished = PlanFinished(True, False, True, False, "20260101-120000", fakes.LOG)
    return replace(known, finished=finished) if place > STEPS.index("apply") else known
