"""What keys do the mouse does too: the keys' line, rows, menus, windows, scrolling."""

from __future__ import annotations

import pytest
from textual.events import MouseScrollDown
from textual.pilot import Pilot
from textual.widgets import Footer, OptionList
from textual.widgets._footer import FooterKey

from screens.dialogs import Notice, Question
from screens.step import StepScreen
from tests.screens.driving import app_with, drawn, go, press, reach, resolved, screen_text, until
from tests.screens.fakes import LIVE_SERVICES


async def click_key(pilot: Pilot[int], action: str) -> None:
    """Clicks on a key of the keys' line."""
    await until(pilot, lambda: bool(_keys(pilot, action)))
    await drawn(pilot.app)  # the line of keys is made anew where one of them can be used now
    assert await pilot.click(_keys(pilot, action)[0])


def _keys(pilot: Pilot[int], action: str) -> list[FooterKey]:
    return [key for key in pilot.app.screen.query(FooterKey) if key.action == action]


async def test_the_mouse_alone_leads_from_welcome_to_done_and_out() -> None:
    async with app_with(LIVE_SERVICES).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "welcome")
        for step, action in (
            ("welcome", "select"),
            ("detect", "screen.next"),
            ("ask", "next"),
            ("choose", "review"),
            ("review", "apply('Install')"),
            ("apply", "forward('Measure')"),
            ("conv2d", "skip"),
        ):
            await reach(pilot, step)
            await resolved(pilot)
            await click_key(pilot, action)
        await reach(pilot, "done")
        await click_key(pilot, "leave")
        await until(pilot, lambda: pilot.app._exit)


async def test_a_row_of_the_menu_and_of_the_checklist_is_taken_by_a_click() -> None:
    async with app_with(LIVE_SERVICES).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "welcome")
        await resolved(pilot)  # the verdict moves the menu down
        menu = pilot.app.screen.query_one("#menu", OptionList)
        assert await pilot.click(menu, offset=(5, 1))
        await reach(pilot, "detect")
        await resolved(pilot)
        assert await pilot.click("#parts", offset=(5, 3))
        await until(pilot, lambda: isinstance(pilot.app.screen, Notice))
        assert "Graphics cards" in screen_text(pilot.app)


async def test_a_text_is_closed_by_a_click_on_its_edge() -> None:
    async with app_with(LIVE_SERVICES).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "welcome")
        pilot.app.push_screen(Notice("A title", "A text."))
        await until(pilot, lambda: isinstance(pilot.app.screen, Notice))
        await resolved(pilot)
        assert await pilot.click(offset=place_of(pilot, "Esc Close"))
        await reach(pilot, "welcome")


def place_of(pilot: Pilot[int], words: str) -> tuple[int, int]:
    """Where words stand on the screen."""
    rows = screen_text(pilot.app).splitlines()
    line = next(number for number, row in enumerate(rows) if words in row)
    return rows[line].index(words) + 1, line


@pytest.mark.parametrize(("word", "answer"), [("y Yes", True), ("Esc No", False)])
async def test_a_question_is_answered_by_a_click_on_its_edge(word: str, answer: bool) -> None:
    async with app_with(LIVE_SERVICES).run_test(size=(80, 24)) as pilot:
        await reach(pilot, "welcome")
        answers: list[bool | None] = []
        pilot.app.push_screen(Question("Sure?", "Really?", "y", "Yes"), answers.append)
        await until(pilot, lambda: isinstance(pilot.app.screen, Question))
        await resolved(pilot)
        assert await pilot.click(offset=place_of(pilot, word))
        await until(pilot, lambda: answers == [answer])


async def test_the_wheel_scrolls_a_plan() -> None:
    async with app_with(LIVE_SERVICES).run_test(size=(80, 24)) as pilot:
        await go(pilot, "review")
        await resolved(pilot)
        await press(pilot, "a")
        plan = pilot.app.screen.query_one("#plan")
        x, y = plan.region.x + 1, plan.region.y + 1
        plan.post_message(MouseScrollDown(plan, x, y, 0, 1, 0, False, False, False, x, y))
        await until(pilot, lambda: plan.scroll_offset.y > 0)


async def test_each_key_of_the_keys_line_can_be_clicked() -> None:
    async with app_with(LIVE_SERVICES).run_test(size=(80, 24)) as pilot:
        for step in (
            "welcome",
            "detect",
            "ask",
            "choose",
            "compare",
            "review",
            "apply",
            "conv2d",
            "done",
        ):
            await go(pilot, step)
            await resolved(pilot)
            footer = pilot.app.screen.query_one(Footer)
            assert isinstance(pilot.app.screen, StepScreen)
            keys = list(footer.query(FooterKey))
            assert keys
            for key in keys:
                found, _ = pilot.app.screen.get_widget_at(key.region.x, key.region.y)
                assert found is key, (step, key.action)
