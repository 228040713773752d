"""What is wider than its place says so at its edge, wherever it may be scrolled sideways."""

from __future__ import annotations

import pytest

from tests.screens.driving import press, screen_text
from tests.screens.reaching import come_to
from tests.screens.states import STATES

MARK = "…"


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("conv2d-long", "│ > "),
        ("history-long", "3 /home"),
        ("report-long", "3 /home"),
    ],
)
async def test_a_line_that_goes_on_ends_in_a_mark(name: str, row: str) -> None:
    async with STATES[name].app().run_test(size=(80, 24)) as pilot:
        await come_to(pilot, STATES[name])
        lines = screen_text(pilot.app).split("\n")
        assert MARK in next(line for line in lines if row in line)


async def test_a_long_path_shows_where_one_types_and_that_more_is_before_it() -> None:
    state = STATES["report-long-path"]
    async with state.app().run_test(size=(80, 24)) as pilot:
        await come_to(pilot, state)
        await press(pilot, "x")
        typed = screen_text(pilot.app).split("\n")[-4:]
        assert any("venvx" in line and line.strip().startswith(MARK) for line in typed)
