"""Each screen where nothing is there, something fails, or a text has no end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from screens.app import make_step
from tests.documents.screen_pages import all_screens, all_windows
from tests.screens.all_states import STATES
from tests.screens.driving import agreed, press, resize, screen_text, session_at, until
from tests.screens.fakes import LIVE_SERVICES
from tests.screens.reaching import come_to
from tests.screens.test_goldens import LIVE, SIZES
from tests.screens.test_one_colour import told_by_colour_alone

Compare = Callable[[str, str], None]
NAMES = pytest.mark.parametrize("name", STATES)
pytestmark = pytest.mark.usefixtures("at_the_root")


def test_every_screen_and_window_is_among_the_states() -> None:
    without_keys = (step for step, keys in LIVE.values() if not keys)
    usual = (type(make_step(step, session_at(step), LIVE_SERVICES)) for step in without_keys)
    seen = {*usual, *(state.seen for state in STATES.values())}
    assert {one.__name__ for one in (*all_screens(), *all_windows()) if one not in seen} == set()


@NAMES
async def test_a_state_is_told_in_full_looks_as_agreed_and_is_left_by_a_key(
    name: str, same_as_golden: Compare
) -> None:
    state = STATES[name]
    async with state.app().run_test(size=SIZES[0]) as pilot:
        await come_to(pilot, state)
        for width, height in SIZES:
            await resize(pilot, width, height)
            await agreed(pilot, same_as_golden, f"state-{name}-{width}x{height}")
        before = screen_text(pilot.app)
        await press(pilot, "escape", "escape")
        await until(pilot, lambda: screen_text(pilot.app) != before or state.step == "welcome")
        assert pilot.app.is_running


@NAMES
async def test_a_state_needs_neither_colours_nor_letters_beyond_ascii(name: str) -> None:
    state = STATES[name]
    async with state.app(replace(state.services, unicode=False)).run_test(size=SIZES[0]) as pilot:
        await come_to(pilot, state)
        assert screen_text(pilot.app).isascii()
        found = set(await told_by_colour_alone(pilot))
        # Once more: what is still scrolling while it is looked at is no change of colours alone.
        assert not found or not found & set(await told_by_colour_alone(pilot))
