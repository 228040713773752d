"""The help and the command palette over every screen and every window, and back from there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import ModalScreen, Screen
from textual.widgets import OptionList, Static

from screens.dialogs import Notice
from screens.keys import key_lines
from screens.palette import Palette
from screens.step import StepScreen
from tests.layout.looking import look
from tests.layout.rules import breaches
from tests.screens.all_states import EACH_ONCE, STATES
from tests.screens.driving import drawn, press, until
from tests.screens.reaching import come_to
from tests.screens.states import State
from tests.screens.test_goldens import SIZES

OVER_NONE = (Notice, Palette)
"""What is there only to be read, or to choose from: the key of the help leaves it, or is typed."""
EACH = pytest.mark.parametrize(
    "name", sorted(name for seen, name in EACH_ONCE.items() if not issubclass(seen, OVER_NONE))
)
pytestmark = pytest.mark.usefixtures("at_the_root")
Below = tuple[Screen[Any], object]


async def at(pilot: Pilot[int], state: State) -> Below:
    """What is on top, and what has the focus there."""
    await come_to(pilot, state)
    return pilot.app.screen, pilot.app.screen.focused


async def opened(pilot: Pilot[int], key: str, window: type[ModalScreen[Any]]) -> None:
    await press(pilot, key)
    await until(pilot, lambda: isinstance(pilot.app.screen, window))
    await drawn(pilot.app)


async def left(pilot: Pilot[int], below: Below) -> None:
    """Esc leads back to the same screen and the same place there."""
    await press(pilot, "escape")
    await until(pilot, lambda: pilot.app.screen is below[0])
    await drawn(pilot.app)
    assert pilot.app.screen.focused is below[1]


@EACH
async def test_help_and_palette_open_over_it_are_all_in_sight_and_lead_back(name: str) -> None:
    state = STATES[name]
    async with state.app().run_test(size=SIZES[0]) as pilot:
        below = await at(pilot, state)
        lines = list(key_lines(below[0]))
        assert lines, "no key is named"
        await opened(pilot, "f1", Notice)
        told = str(pilot.app.screen.query_one("Notice Static", Static).content)
        assert [line for line in lines if line not in told] == []
        assert breaches(await look(pilot.app)) == ()
        await left(pilot, below)
        await opened(pilot, "ctrl+p", Palette)
        commands = pilot.app.screen.query_one(OptionList)
        await until(pilot, lambda: commands.option_count > 0)
        assert breaches(await look(pilot.app)) == ()
        await left(pilot, below)


async def typed(pilot: Pilot[int], key: str, holds: Callable[[], bool]) -> None:
    await press(pilot, key)
    await until(pilot, holds)


@pytest.mark.parametrize("name", ["conv2d-options", "history-whole", "roads", "explain"])
async def test_a_question_mark_opens_the_help_of_a_window_and_closes_it(name: str) -> None:
    state = STATES[name]
    async with state.app().run_test(size=SIZES[0]) as pilot:
        window, focused = await at(pilot, state)
        assert not isinstance(window, StepScreen)
        await typed(pilot, "question_mark", lambda: isinstance(pilot.app.screen, Notice))
        await typed(pilot, "question_mark", lambda: pilot.app.screen is window)
        assert window.focused is focused
