"""Driving the app in tests: press keys, wait for conditions, read the screen as rows of text.

Pilot's own ``press`` and ``pause`` sleep until the processor is idle, some 0.1 s a key. Here a key
is done once every widget waits for a message and none has one: sooner, whatever the load.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from typing import Any

from textual import events
from textual._context import visible_screen_stack
from textual.app import App
from textual.drivers.headless_driver import HeadlessDriver
from textual.geometry import Size
from textual.message_pump import MessagePump
from textual.pilot import Pilot
from textual.screen import Screen

from screens.app import SetupApp
from screens.detect import Detect
from screens.session import STEPS, Session
from screens.step import StepScreen
from screens.welcome import Welcome
from screens.widgets.header import WITHIN
from screens.widgets.status_line import StatusLine
from tests.screens import examples, fakes
from wizard.core.events import PlanFinished
from wizard.services import Services

WIDE = {
    *("welcome", "detect", "clear", "review", "apply", "apply-failed", "done", "watch"),
    *("choose-step-ask", "choose-step-choose", "choose-step-compare"),
    *("choose-torch-there", "choose-clean-evidence", "choose-clean-compare"),
    *("conv2d-ask", "conv2d-measured", "conv2d-grid", "conv2d-times", "conv2d-details"),
    "conv2d-operations",
    *("diagnose-unfolded", "diagnose-text", "diagnose-long", "state-history", "state-roll-back"),
    *("loading-diagnose", "loading-detect", "state-available"),
}
"""What a wide terminal lays out otherwise: beside each other, with more columns, as a table."""
PATIENCE_S = 20
"""After that a condition counts as never met."""
LOOK_AGAIN_S = 0.002
REDRAWN_S = 3
"""Between two looks at a condition: a loop without a pause would hold up the threads that work."""
SOON_S = 0.05
"""What has not been done after that waits for a thread or a program: it is looked at less often."""
LOOKS = 3
"""So often in a row there must be nothing to do: what has just been started is not seen at once."""


async def press(pilot: Pilot[int], *keys: str) -> None:
    """Types keys, each after all that the one before it caused."""
    for key in keys:
        pilot.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await resolve(pilot.app)


async def resize(pilot: Pilot[int], width: int, height: int) -> None:
    """Gives the terminal another size."""
    size = Size(width, height)
    driver = pilot.app._driver
    assert isinstance(driver, HeadlessDriver)
    driver._size = size
    pilot.app.post_message(events.Resize(size, size))
    await until(pilot, lambda: pilot.app.screen._compositor.size == size)
    await all_drawn(pilot.app)


async def resolve(app: App[int]) -> None:
    """Returns when all widgets have done what was queued for them."""
    await _resolve(app, below=False)


async def _resolve(app: App[int], *, below: bool) -> None:
    now = asyncio.get_running_loop().time
    quiet, began = 0, now()
    while app.is_running and quiet < LOOKS:
        await asyncio.sleep(0 if now() < began + SOON_S else LOOK_AGAIN_S)
        screens = _seen(app) if below else (app.screen,)
        widgets = (each.walk_children(with_self=True) for each in screens)
        at_work = [each for each in chain([app], *widgets) if not _waits(each)]
        quiet = 0 if at_work else quiet + 1
        assert now() < began + PATIENCE_S, f"they never come to rest: {at_work}"


def _waits(node: MessagePump) -> bool:
    """It has no message, has done what the last one asked for, and waits for another one."""
    if not node.is_running:
        return node._task is None or node._task.done()  # else it is about to start
    queue: Any = node._message_queue
    is_done = queue.empty() and not node._pending_message and not node._next_callbacks
    return is_done and bool(queue.ready_event._waiters)


def _seen(app: App[int]) -> tuple[Screen[object], ...]:
    """The screens that are drawn: the one on top, and those that are seen around a dialog."""
    return (app.screen, *app._background_screens)


async def drawn(app: App[int]) -> None:
    """Returns when the screen is laid out and drawn, and what waited for that is done too."""
    await _drawn(app, below=False)


async def all_drawn(app: App[int]) -> None:
    """The same, with what lies below a dialog; where there is a terminal, it draws that itself."""
    await _drawn(app, below=True)


async def _drawn(app: App[int], *, below: bool) -> None:
    for _ in range(2):
        await _resolve(app, below=below)
        for screen in _seen(app) if below else (app.screen,):
            screen._on_timer_update()  # else up to a sixtieth of a second later
    await _resolve(app, below=below)


async def until(pilot: Pilot[int], holds: Callable[[], bool]) -> None:
    """Lets the app work until something holds."""
    limit = asyncio.get_running_loop().time() + PATIENCE_S
    while not holds():
        if asyncio.get_running_loop().time() > limit:
            raise AssertionError(f"never came true; the screen:\n{screen_text(pilot.app)}")
        await resolve(pilot.app)
        await asyncio.sleep(LOOK_AGAIN_S)
    await resolve(pilot.app)


async def agreed(pilot: Pilot[int], compare: Callable[[str, str], None], name: str) -> None:
    """Compares the screen with its golden file, and looks again while it is still being drawn."""
    await still(pilot.app)
    limit = asyncio.get_running_loop().time() + REDRAWN_S
    while True:
        try:
            return compare(name, screen_text(pilot.app))
        except AssertionError:
            if asyncio.get_running_loop().time() > limit:
                raise
        for screen in pilot.app.screen_stack:
            screen.refresh()  # the one below a dialog too
        await resolve(pilot.app)
        await asyncio.sleep(LOOK_AGAIN_S)


async def as_agreed(pilot: Pilot[int], compare: Callable[[str, str], None], name: str) -> None:
    """Compares the smallest screen with its golden file, and a wide one where that reads otherwise.

    The smallest size is the last one again.
    """
    for width, height in ((80, 24), (120, 40), (80, 24)) if name in WIDE else ((80, 24),):
        if pilot.app.size != (width, height):
            await resize(pilot, width, height)
        await agreed(pilot, compare, f"{name}-{width}x{height}")


async def still(app: App[int]) -> None:
    """Returns when one look at the screen is like the one before it."""
    before = None
    while (now := screen_text(app)) != before:
        before = now
        await all_drawn(app)


async def reach(pilot: Pilot[int], step: str) -> None:
    """Waits until a step is on the screen and has settled."""
    await until(pilot, lambda: step_name(pilot.app) == step and pilot.app.screen.is_current)


async def go(pilot: Pilot[int], step: str, session: Session | None = None) -> None:
    """Puts a step on the screen afresh, out of the order: one app serves many cases."""
    while not isinstance(pilot.app.screen, StepScreen):
        await press(pilot, "escape")
    before = pilot.app.screen
    before.post_message(StepScreen.Go(step, session or session_at(step)))
    await until(pilot, lambda: pilot.app.screen is not before)
    await reach(pilot, step)


def step_name(app: App[int]) -> str:
    """The step on the screen, ``""`` below a dialog."""
    return app.screen.NAME if isinstance(app.screen, StepScreen) else ""


def screen_text(app: App[int]) -> str:
    """The screen as rows of text, without trailing blanks."""
    width, height = app.size
    visible_screen_stack.set(list(app._background_screens))  # below a dialog
    lines = app.screen._compositor.render_strips()
    rows = [strip.text[:width].rstrip() for strip in lines[:height]]
    return "\n".join(rows).rstrip() + "\n"


def words_on(app: App[int]) -> str:
    """All words on the screen in one line, whatever borders stand between their lines."""
    return " ".join(screen_text(app).replace("│", " ").split())


def status(app: App[int]) -> str:
    """The text of the status line."""
    return app.screen.query_one(StatusLine).render().plain


async def walk_to(pilot: Pilot[int], step: str) -> None:
    """Goes to a step as a user would, by keys."""
    await reach(pilot, "welcome")
    for name, key in (
        ("welcome", "enter"),
        ("detect", "n"),
        ("ask", "enter"),
        ("choose", "enter"),
        ("review", "enter"),
        ("apply", "enter"),
        ("conv2d", "n"),
    ):
        if name == step:
            return
        await reach(pilot, name)
        await until(pilot, lambda key=key: key in usable_keys(pilot.app))  # type: ignore[misc]
        await press(pilot, key)
    await reach(pilot, step)


async def resolved(pilot: Pilot[int]) -> None:
    """Waits until no step works any more, and all is drawn: machine, plan, shapes are through."""
    steps = [screen for screen in pilot.app.screen_stack if isinstance(screen, StepScreen)]
    for step in steps:
        await until(pilot, lambda step=step: not working(step))  # type: ignore[misc]
    await drawn(pilot.app)


def working(step: StepScreen) -> bool:
    """True while something is still to come by itself."""
    looking = any(w.group == "caution" and w.is_running for w in step.app.workers)
    return step.busy or looking or (isinstance(step, (Welcome, Detect)) and step.reading)


def usable_keys(app: App[int]) -> set[str]:
    """Keys that do something right now."""
    return {key for key, active in app.screen.active_bindings.items() if active.enabled}


def app_with(services: Services, first: str = "welcome") -> SetupApp:
    """The app over fake services, at a step that has what it needs."""
    return SetupApp(services, session_at(first), first)


def session_at(step: str) -> Session:
    """What a user who came to this step brings along."""
    place = STEPS.index(WITHIN.get(step, step))
    known = Session(
        machine=examples.MACHINE if place > STEPS.index("detect") else None,
        parts=examples.PARTS if place > STEPS.index("detect") else (),
        plan=examples.PLAN if place > STEPS.index("choose") else None,
    )
    finished = PlanFinished(True, False, True, False, "20260101-120000", fakes.LOG)
    return replace(known, finished=finished) if place > STEPS.index("apply") else known
