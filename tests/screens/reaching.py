"""Brings a screen into one of the states of the tables."""

from __future__ import annotations

from textual.pilot import Pilot

from screens.step import StepScreen
from tests.screens.driving import drawn, press, screen_text, until, working
from tests.screens.states import State

WORKING = (
    *("Inspecting this machine", "Looking at everything", "Inspecting this machine"),
    *("Reading what the last run changed", "Reading the files", "Making the plan", "Asking;"),
    *("Reading what is kept", "Looking."),
)
"""Words of screens that are not through yet."""
LOOKS = ("history", "read", "gather", "look", "make", "mend", "caution")
"""Workers that end by themselves."""


def flat(pilot: Pilot[int]) -> str:
    """The screen, or the window over it, as one run of words: lines end where they may."""
    lines = screen_text(pilot.app).split("\n")
    for window in pilot.app.screen.query(".dialog"):
        across = slice(window.region.x + 1, window.region.right - 1)
        lines = [line[across] for line in lines[window.region.y : window.region.bottom]]
    return " ".join(" ".join(lines).replace("│", " ").split())


async def come_to(pilot: Pilot[int], state: State) -> None:
    """Brings the screen into a state."""
    await rest(pilot)
    for key in state.keys:
        await press(pilot, key)
        await rest(pilot)
    await until(pilot, lambda: all(text in flat(pilot) for text in state.shows))
    await drawn(pilot.app)
    assert state.seen in (None, type(pilot.app.screen))


async def rest(pilot: Pilot[int]) -> None:
    """Waits until nothing is read any more; where reading failed, there is nothing to wait for."""
    await until(
        pilot, lambda: not any(w.group in LOOKS and w.is_running for w in pilot.app.workers)
    )
    await until(pilot, lambda: not any(text in flat(pilot) for text in WORKING))
    await until(pilot, lambda: not any(working(step) for step in _steps(pilot)))
    await drawn(pilot.app)


def _steps(pilot: Pilot[int]) -> list[StepScreen]:
    return [screen for screen in pilot.app.screen_stack if isinstance(screen, StepScreen)]
