"""Explanations on the screen: from Choose by one key, read by keys alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from screens.explain import Explain
from tests.screens.driving import app_with, as_agreed, press, reach, resolved, screen_text, until
from tests.screens.fakes import LIVE_SERVICES
from wizard.knowledge.explanations import load_explanations

AGREED = ("rocm", "gfx1010", "override", "games", "downgrade", "unknown")
"""Topics that are there for good: a file more must not change what was agreed."""
Compare = Callable[[str, str], None]


async def test_the_topics_and_one_of_them_look_as_agreed(
    same_as_golden: Compare,
) -> None:
    async with app_with(LIVE_SERVICES, "choose").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        pilot.app.push_screen(Explain(tuple(t for t in load_explanations() if t.id in AGREED)))
        await resolved(pilot)
        await as_agreed(pilot, same_as_golden, "explain")
        await press(pilot, "down", "j", "down", "enter")
        await resolved(pilot)
        await as_agreed(pilot, same_as_golden, "explain-games")


async def test_i_lists_the_topics_and_enter_shows_one_and_back_again() -> None:
    first, *_ = load_explanations()
    async with app_with(LIVE_SERVICES, "choose").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, "i")
        await until(pilot, lambda: first.short in screen_text(pilot.app))
        await press(pilot, "enter")
        await until(pilot, lambda: f"─ {first.title} ─" in screen_text(pilot.app))
        await press(pilot, "escape")
        await until(pilot, lambda: first.short in screen_text(pilot.app))
        await press(pilot, "escape")
        await reach(pilot, "choose")


async def test_a_topic_can_be_read_to_its_end() -> None:
    *_, last = load_explanations()
    async with app_with(LIVE_SERVICES, "choose").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, "i", "end", "enter")
        await until(pilot, lambda: f"─ {last.title} ─" in screen_text(pilot.app))
        await press(pilot, "end")
        await until(pilot, lambda: "Last checked: 20" in screen_text(pilot.app))


@pytest.mark.parametrize("key", ["escape", "q", "i"])
async def test_the_list_closes(key: str) -> None:
    async with app_with(LIVE_SERVICES, "choose").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "choose")
        await press(pilot, "i", key)
        await reach(pilot, "choose")
