"""The demo as users start it: the recorded machine through the real core."""

from __future__ import annotations

import pytest

from screens.app import SetupApp
from screens.start import services_for
from tests.screens.driving import reach, screen_text, settled, until, walk_to
from wizard.__main__ import parser


async def test_the_demo_walks_every_step_and_changes_nothing() -> None:
    app = SetupApp(services_for(parser().parse_args(["--demo"])))
    async with app.run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "apply")
        await settled(pilot)
        assert "nothing was changed" in screen_text(app)
        await pilot.press("n")
        await reach(pilot, "conv2d")
        assert "example" in screen_text(app)
        await pilot.press("n")
        await reach(pilot, "done")
        assert "This was a demo: nothing was changed" in screen_text(app)


@pytest.mark.parametrize("ticks", [0, 3, 7])
async def test_all_that_is_said_of_a_road_is_on_one_80x24_screen(ticks: int) -> None:
    app = SetupApp(services_for(parser().parse_args(["--demo"])))
    async with app.run_test(size=(80, 24)) as pilot:
        await walk_to(pilot, "choose")
        await pilot.press(*("space", "right") * ticks)
        for _ in range(5):
            text = screen_text(app)
            labels = ("Why", "For", "Against", "Cost", "Undo")
            assert all(f"\n {label} " in text for label in labels), text
            await pilot.press("down")
        await until(pilot, lambda: "> 5 " in screen_text(app))
