"""The table of shapes by itself: what is drawn again, and where its keys lead."""

from __future__ import annotations

from dataclasses import replace

from screens.widgets.shapes_table import ShapesTable
from textual.app import App, ComposeResult
from textual.geometry import Region

from screens.conv2d.state import SweepState
from screens.widgets.sweep_views import SweepViews
from tests.conv2d.made import made
from tests.screens.driving import app_with, drawn, press, reach, screen_text, until
from tests.screens.fakes import LIVE_SERVICES
from wizard.conv2d.presets import Preset, Row
from wizard.conv2d.shapes import square

ROWS = tuple(Row(square(16, 32, size)) for size in range(1, 61))
LONG = Preset("long", "many", "ours", "", ROWS)


class Watched(ShapesTable):
    """Remembers what it was told to draw again."""

    asked: tuple[Region, ...] = ()

    def forget(self) -> None:
        self.asked = ()

    def refresh(self, *regions: Region, **how: bool) -> Watched:
        self.asked = (*self.asked, *(regions or (self.region,)))
        super().refresh(*regions, **how)
        return self


class Alone(App[int]):
    """The table and nothing else."""

    def compose(self) -> ComposeResult:
        yield Watched(SweepState(ROWS))


async def test_a_verdict_has_its_own_line_drawn_and_no_other() -> None:
    app = Alone()
    async with app.run_test(size=(80, 24)):
        await drawn(app)
        table, state = app.query_one(Watched), SweepState(ROWS)
        table.forget()
        state = state.with_running(3)
        table.show(state, 1)
        table.show(state.with_result(3, made(ROWS[2].shape)), 1)
        assert {region.y for region in table.asked} == {3}
        assert {region.height for region in table.asked} == {1}
        await drawn(app)
        assert "3x3       16->32      ✓ pass" in screen_text(app)


async def test_a_row_out_of_sight_has_nothing_drawn() -> None:
    app = Alone()
    async with app.run_test(size=(80, 24)):
        await drawn(app)
        table = app.query_one(Watched)
        table.forget()
        table.show(SweepState(ROWS).with_running(50), 1)
        assert table.asked == ()


async def test_keys_and_the_mouse_lead_to_every_row_and_keep_it_in_sight() -> None:
    services = replace(LIVE_SERVICES, presets=lambda: (LONG,))
    async with app_with(services, "conv2d").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        await drawn(pilot.app)
        page = pilot.app.screen.query_one(ShapesTable).page
        views = pilot.app.screen.query_one(SweepViews)
        for key, number in (
            ("end", 60),
            ("down", 60),
            ("pageup", 60 - page),
            ("home", 1),
            ("up", 1),
            ("pagedown", 1 + page),
            ("ctrl+end", 60),
            ("ctrl+home", 1),
            ("right", 1),
        ):
            await press(pilot, key)
            assert views.number == number
            await until(pilot, lambda n=number: f"\n> {n}x{n} " in screen_text(pilot.app))  # type: ignore[misc]
        await pilot.click(ShapesTable, offset=(4, 5))
        assert views.number == 5
        await until(pilot, lambda: "16->32 3x3 @5x5" in screen_text(pilot.app))
