"""The rules of the screens: few words in sight, few keys, and Enter and Esc everywhere."""

from __future__ import annotations

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import DataTable, Footer
from textual.widgets._footer import FooterKey

from screens.app import SetupApp
from screens.session import STEPS
from screens.step import StepScreen
from screens.widgets.header import Conclusion
from tests.screens.driving import resolved, screen_text, until
from tests.screens.fakes import LIVE_SERVICES
from tests.screens.states import session_at_any

MOST_WORDS = {"choose": 130}
USUALLY = 110
SHOWN = ("welcome", "detect", "ask", "choose", "compare", "clear", "review", "done", "diagnose")
MOST_KEYS = 6
ALL = (*STEPS, "ask", "compare", "clear", "diagnose", "roll_back")


def words_in_sight(app: App[int]) -> list[str]:
    """The words on the screen, but for the cells of tables, and for header and keys."""
    rows = [list(row) for row in screen_text(app).splitlines()]
    for table in app.screen.query(DataTable):
        for y in range(table.region.y, min(table.region.bottom, len(rows))):
            rows[y][table.region.x : table.region.right] = " "
    lines = ("".join(row) for row in rows[1 : app.size.height - 1])
    return [word for line in lines for word in line.split() if any(map(str.isalpha, word))]


def app_at(step: str) -> SetupApp:
    return SetupApp(LIVE_SERVICES, session_at_any(step), step)


async def shown(pilot: Pilot[int]) -> StepScreen:
    await until(pilot, lambda: isinstance(pilot.app.screen, StepScreen))
    await resolved(pilot)
    screen = pilot.app.screen
    assert isinstance(screen, StepScreen)
    return screen


@pytest.mark.parametrize("step", SHOWN)
async def test_a_screen_has_few_words_and_says_first_what_it_comes_to(step: str) -> None:
    async with app_at(step).run_test(size=(80, 24)) as pilot:
        screen = await shown(pilot)
        words = words_in_sight(pilot.app)
        print(f"{step}: {len(words)} words")
        assert len(words) <= MOST_WORDS.get(step, USUALLY), " ".join(words)
        assert screen.query_one(Conclusion).says


@pytest.mark.parametrize("step", ALL)
async def test_at_most_six_keys_stand_below_a_screen_and_all_of_them_are_in_sight(
    step: str,
) -> None:
    async with app_at(step).run_test(size=(80, 24)) as pilot:
        screen = await shown(pilot)
        keys = list(screen.query_one(Footer).query(FooterKey))
        assert 0 < len(keys) <= MOST_KEYS, [key.description for key in keys]
        assert all(key.region.right <= 80 for key in keys)
        assert {"question_mark", "q", "escape"} - set(screen.active_bindings) <= (
            {"escape"} if step == "welcome" else set()
        )
