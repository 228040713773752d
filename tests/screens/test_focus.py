"""Keys reach their widget whatever the window went through."""

from __future__ import annotations

import pytest

from screens.step import StepScreen
from tests.screens.driving import (
    app_with,
    press,
    reach,
    resize,
    resolve,
    screen_text,
    status,
    until,
)
from tests.screens.fakes import LIVE_SERVICES


@pytest.mark.parametrize(
    ("step", "wanted"),
    [
        ("welcome", "menu"),
        ("detect", "parts"),
        ("review", "plan"),
        ("conv2d", "pythons"),
        ("done", "ending"),
    ],
)
async def test_a_window_that_starts_too_small_has_its_focus_once_it_is_larger(
    step: str, wanted: str
) -> None:
    async with app_with(LIVE_SERVICES, step).run_test(size=(60, 20)) as pilot:
        await reach(pilot, step)
        await resize(pilot, 80, 24)
        focused = pilot.app.screen.focused
        assert focused is not None
        assert focused.id == wanted


async def test_a_window_that_becomes_too_small_gets_its_focus_back() -> None:
    async with app_with(LIVE_SERVICES).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "welcome")
        await resize(pilot, 60, 20)
        await resize(pilot, 80, 24)
        await press(pilot, "enter")
        await reach(pilot, "detect")


async def test_ctrl_c_says_in_our_words_how_to_leave() -> None:
    async with app_with(LIVE_SERVICES).run_test(size=(80, 24), notifications=True) as pilot:
        await reach(pilot, "welcome")
        await press(pilot, "ctrl+c")
        await until(pilot, lambda: status(pilot.app).startswith("Press q to quit"))
        assert "ctrl+q" not in screen_text(pilot.app).lower()


async def test_a_screen_that_is_taken_down_has_nothing_to_focus_and_says_nothing() -> None:
    async with app_with(LIVE_SERVICES, "detect").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "detect")
        screen = pilot.app.screen
        assert isinstance(screen, StepScreen)
        await until(pilot, lambda: screen.session.machine is not None)
        await screen.query("*").remove()
        screen.on_resize()  # one that was under way
        await resolve(pilot.app)
        assert pilot.app.is_running
