"""The command palette and the help of every screen and window: made from the bindings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import ModalScreen, Screen
from textual.widgets import Input, Static

from screens.dialogs import Notice, PathQuestion, Question
from screens.keys import offers, works
from screens.palette import Palette, ScreenCommands
from screens.session import STEPS
from screens.step import StepScreen
from screens.themes import DARK, LIGHT
from tests.screens.driving import (
    app_with,
    press,
    reach,
    resize,
    resolved,
    screen_text,
    session_at,
    until,
)
from tests.screens.fakes import LIVE_SERVICES

SCREENS = (*STEPS, "diagnose", "clear", "roll_back")


async def at(pilot: Pilot[int], step: str) -> StepScreen:
    before = pilot.app.screen
    session = session_at(step if step in STEPS else "choose")
    before.post_message(StepScreen.Go(step, session))
    await until(pilot, lambda: pilot.app.screen is not before)
    await resolved(pilot)
    assert isinstance(pilot.app.screen, StepScreen)
    return pilot.app.screen


def names(screen: Screen[Any]) -> list[str]:
    return [title for title, _, _ in ScreenCommands(screen).commands()]


async def test_each_enabled_binding_of_a_screen_is_in_its_palette_and_no_other() -> None:
    async with app_with(LIVE_SERVICES).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "welcome")
        for step in SCREENS:
            screen = await at(pilot, step)
            listed = names(screen)
            for node, binding, enabled, _ in screen.active_bindings.values():
                place = [o for o in offers(screen) if (o.node, o.action) == (node, binding.action)]
                assert bool(place) == (enabled and works(node, binding.action)), (step, binding)
                assert all(offer.title in listed for offer in place)


async def test_no_two_commands_of_a_screen_have_one_name() -> None:
    async with app_with(LIVE_SERVICES).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "welcome")
        for step in SCREENS:
            listed = names(await at(pilot, step))
            assert len(listed) == len(set(listed)), step


async def test_what_scrolls_nothing_is_not_listed() -> None:
    async with app_with(LIVE_SERVICES).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "welcome")
        short = await at(pilot, "welcome")
        assert not {"Scroll Left", "Page Right"} & set(names(short))
        assert {"Page Up", "Page Down"} <= set(names(short)), "they move the menu's cursor"
        long = await at(pilot, "review")
        assert {"Page Up", "Page Down"} <= set(names(long)), "they move the mark"
        await resize(pilot, 120, 50)
        ending = await at(pilot, "done")
        await resize(pilot, 120, 50)
        assert not {"Scroll Up", "Scroll Down", "Page Up", "Page Down"} & set(names(ending))


async def test_a_command_is_carried_out_by_its_name() -> None:
    async with app_with(LIVE_SERVICES, "detect").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "detect")
        await resolved(pilot)
        await palette(pilot)
        await press(pilot, *"choose")
        await until(pilot, lambda: marks(pilot, "Choose"))
        await press(pilot, "enter")
        await reach(pilot, "ask")


async def test_the_palette_leads_to_steps_that_are_done_and_turns_the_colours() -> None:
    async with app_with(LIVE_SERVICES).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "welcome")
        screen = await at(pilot, "review")
        listed = names(screen)
        assert [name for name in listed if name.startswith("Go to")] == [
            "Go to Welcome", "Go to Detect", "Go to Choose",
        ]  # fmt: skip
        assert pilot.app.theme == DARK
        await palette(pilot)
        await press(pilot, *"light")
        await until(pilot, lambda: marks(pilot, "Colors: light"))
        await press(pilot, "enter")
        await until(pilot, lambda: pilot.app.theme == LIGHT)


@pytest.mark.parametrize("keys", [("conv2d",), ("done",), ("conv2d", "h"), ("done", "d")])
async def test_no_command_carries_the_plan_out_again_past_review(keys: tuple[str, ...]) -> None:
    app = app_with(LIVE_SERVICES, keys[0])
    async with app.run_test(size=(80, 24)) as pilot:
        await reach(pilot, keys[0])
        await resolved(pilot)
        for key in keys[1:]:
            first = app.screen
            await press(pilot, key)
            await until(pilot, lambda first=first: app.screen is not first)  # type: ignore[misc]
            await resolved(pilot)
        listed = names(app.screen)
        assert "Go to Review" in listed
        assert "Go to Apply" not in listed


async def test_from_diagnose_the_palette_leads_to_a_step_as_it_was_left() -> None:
    async with app_with(LIVE_SERVICES, "done").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "done")
        await press(pilot, "d")
        await reach(pilot, "diagnose")
        await resolved(pilot)
        await palette(pilot)
        await press(pilot, *"review")
        await until(pilot, lambda: marks(pilot, "Go to Review"))
        await press(pilot, "enter")
        await reach(pilot, "review")
        await until(pilot, lambda: "6 steps" in screen_text(pilot.app))


def marks(pilot: Pilot[int], command: str) -> bool:
    """True when the command bears the mark of what Enter takes."""
    rows = screen_text(pilot.app).splitlines()
    return any(f"> {command} " in row for row in rows)


async def palette(pilot: Pilot[int]) -> None:
    await press(pilot, "ctrl+p")
    await until(pilot, lambda: isinstance(pilot.app.screen, Palette))


async def test_help_lists_the_keys_of_each_screen_and_gives_the_focus_back() -> None:
    async with app_with(LIVE_SERVICES).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "welcome")
        for step in SCREENS:
            screen = await at(pilot, step)
            before, own = screen.focused, [o for o in offers(screen) if o.own]
            await press(pilot, "question_mark")
            await until(pilot, lambda: isinstance(pilot.app.screen, Notice))
            text = str(pilot.app.screen.query_one("Notice Static", Static).content)
            assert own
            assert not [o for o in own if f"{o.keys} " not in text or o.title not in text], step
            await press(pilot, "escape")
            await until(pilot, lambda screen=screen: pilot.app.screen is screen)  # type: ignore[misc]
            assert screen.focused is before


@pytest.mark.parametrize(
    "window",
    [
        lambda: Question("Sure?", "Really?", "y", "Yes"),
        lambda: PathQuestion("A card", ("Which finding do you want to see?",), "Path:", ""),
    ],
    ids=("question", "input"),
)
async def test_f1_lists_the_keys_of_a_window(window: Callable[[], ModalScreen[Any]]) -> None:
    async with app_with(LIVE_SERVICES).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "welcome")
        shown = window()
        pilot.app.push_screen(shown)
        await until(pilot, lambda: pilot.app.screen is shown and shown.focused is not None)
        before = shown.focused
        await press(pilot, "f1")
        await until(pilot, lambda: isinstance(pilot.app.screen, Notice))
        assert "Esc" in screen_text(pilot.app)
        await press(pilot, "escape")
        await until(pilot, lambda: pilot.app.screen is shown)
        assert shown.focused is before


async def test_a_question_mark_that_is_typed_stays_in_the_text() -> None:
    async with app_with(LIVE_SERVICES).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "welcome")
        window = PathQuestion("A card", ("Which finding do you want to see?",), "Path:", "")
        pilot.app.push_screen(window)
        await until(pilot, lambda: isinstance(window.focused, Input))
        await press(pilot, "?")
        assert pilot.app.screen is window
