"""The three views of a sweep: the same results, and the cursor on the same shape."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest
from textual.message import Message
from textual.pilot import Pilot

from screens.conv2d.sweep_views import READABLE_S, SweepViews
from screens.dialogs import Notice
from tests.screens.collaborators import but
from tests.screens.driving import (
    app_with,
    drawn,
    press,
    reach,
    resize,
    resolved,
    screen_text,
    until,
    usable_keys,
)
from tests.screens.fakes import DRY_SERVICES, HUNG, LIVE_SERVICES, result_of
from wizard.conv2d.requests import Request
from wizard.conv2d.shapes import Model, Preset, Row, square
from wizard.conv2d.sweep import Phase, ShapeDone, ShapeStarted, StopReason, SweepDone, SweepEvent
from wizard.services import DEMO

MODEL_ROWS = tuple(Row(square(16, 32, size)) for size in (32, 44, 224))
MODEL = Preset("m", "a model", "ours", "", MODEL_ROWS, Model("Net", (1, 4, 2)))
OTHER_CHIP = replace(HUNG, chip="gfx1012")
FITTING = Preset("o", "ours", "them", "", (Row(square(16, 32, 64), HUNG),))
FOREIGN = Preset("f", "theirs", "them", "", (Row(square(16, 32, 64), OTHER_CHIP),))


ON_CPU = ("o", "down", "down", "down", "right", "escape")
"""The keys that set the device to the CPU."""
BAR = "█ warm"


class Steps:
    """A sweep that goes on when it is told."""

    def __init__(self) -> None:
        self._told: asyncio.Queue[SweepEvent] = asyncio.Queue()

    async def run(self, request: Request) -> AsyncGenerator[SweepEvent, None]:
        while True:
            event = await self._told.get()
            yield event
            if isinstance(event, SweepDone):
                return

    @property
    def all_taken(self) -> bool:
        return self._told.empty()

    def tell(self, *events: SweepEvent) -> None:
        for event in events:
            self._told.put_nowait(event)

    def start(self, sweep_rows: tuple[Row, ...], number: int) -> None:
        row = sweep_rows[number - 1]
        self.tell(ShapeStarted(number, len(sweep_rows), row, 60.0), Phase(number, "cold"))

    def finish(self, sweep_rows: tuple[Row, ...], number: int) -> None:
        row = sweep_rows[number - 1]
        self.tell(ShapeDone(number, len(sweep_rows), result_of(row)))


async def seen(pilot: Pilot[int], text: str) -> None:
    """Waits until a text stands on the screen: a view that was hidden is laid out first."""
    await until(pilot, lambda: text in screen_text(pilot.app))


async def test_v_shows_grid_rows_and_times_with_the_cursor_on_the_same_shape() -> None:
    async with app_with(LIVE_SERVICES, "conv2d").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        views = pilot.app.screen.query_one(SweepViews)
        await press(pilot, "tab", "down", "down")
        await seen(pilot, "48x48    [(hung)]")
        assert views.number == 3
        await press(pilot, "right", "down", "v")
        await seen(pilot, ">  64x64    32->64")
        assert views.number == 9
        await press(pilot, "up", "v")
        await seen(pilot, BAR)
        await seen(pilot, ">  32->64 @48")
        await press(pilot, "v")
        await seen(pilot, "[(hung)]")
        assert views.number == 8


@pytest.mark.parametrize("size", [(120, 40), (180, 40), (200, 60)])
async def test_what_was_published_is_not_cut_beside_all_of_a_shape(size: tuple[int, int]) -> None:
    async with app_with(LIVE_SERVICES, "conv2d").run_test(size=size) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, "tab", "v")
        await seen(pilot, "hung (wheels of ROCm 5.2)")


async def test_every_view_fills_while_a_sweep_runs_and_the_cursor_stays_where_it_was_put() -> None:
    steps, rows = Steps(), LIVE_SERVICES.experiments.presets()[0].rows
    services = but(LIVE_SERVICES, run=steps.run)
    async with app_with(services, "conv2d").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        views = pilot.app.screen.query_one(SweepViews)
        await press(pilot, *ON_CPU, "enter")
        steps.start(rows, 1)
        await until(pilot, lambda: "[> cold]" in screen_text(pilot.app))
        steps.finish(rows, 1)
        steps.start(rows, 2)
        await until(pilot, lambda: "[> cold]" in screen_text(pilot.app) and views.number == 2)
        await seen(pilot, "✓ 0.9 ms")
        await press(pilot, "right")
        steps.finish(rows, 2)
        steps.start(rows, 3)
        await until(pilot, lambda: "> cold" in screen_text(pilot.app) and len(views.results) == 2)
        assert views.number == 7
        await press(pilot, "v")
        await seen(pilot, "44x44    16->32      ✓ right")
        await press(pilot, "v")
        await seen(pilot, BAR)
        await press(pilot, "v", "s")
        await until(pilot, lambda: screen_text(pilot.app).count("✓ 0.9 ms") == 2)
        assert views.number == 7


async def test_the_cursor_goes_along_with_the_running_shape_again_once_it_is_put_there() -> None:
    steps, rows = Steps(), LIVE_SERVICES.experiments.presets()[0].rows
    services = but(LIVE_SERVICES, run=steps.run)
    async with app_with(services, "conv2d").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        views = pilot.app.screen.query_one(SweepViews)
        await press(pilot, *ON_CPU, "enter")
        steps.start(rows, 1)
        await until(pilot, lambda: "> cold" in screen_text(pilot.app))
        await press(pilot, "down", "down", "up", "up")
        steps.finish(rows, 1)
        steps.start(rows, 2)
        await until(pilot, lambda: len(views.results) == 1 and views.number == 2)


async def test_quick_shapes_are_drawn_together_and_no_verdict_is_lost() -> None:
    steps, rows = Steps(), tuple(Row(square(16, 32, size)) for size in range(1, 301))
    preset = Preset("q", "quick", "ours", "", rows)
    services = but(LIVE_SERVICES, run=steps.run, presets=lambda: (preset,))
    draws: list[Message] = []

    def note(message: Message) -> None:
        if isinstance(message, SweepViews.Drawn) and message not in draws:  # it bubbles
            draws.append(message)

    app = app_with(services, "conv2d")
    async with app.run_test(size=(80, 24), message_hook=note) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, *ON_CPU, "enter")
        draws.clear()
        for number in range(1, 301):
            steps.start(rows, number)
            steps.finish(rows, number)
        await seen(pilot, "300 of 300 shapes")
        views = pilot.app.screen.query_one(SweepViews)
        assert len(views.results) == 300
        assert len(draws) <= 2 + (draws[-1].time - draws[0].time) / READABLE_S
        await press(pilot, "s")


async def test_rows_that_come_while_it_runs_stand_in_every_view() -> None:
    steps, rows = Steps(), LIVE_SERVICES.experiments.presets()[0].rows
    more = (*rows, Row(square(48, 96, 56)), Row(square(48, 96, 72)))
    services = but(LIVE_SERVICES, run=steps.run)
    async with app_with(services, "conv2d").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, *ON_CPU, "enter")
        steps.start(more, 11)
        await until(pilot, lambda: "> cold" in screen_text(pilot.app))
        steps.finish(more, 11)
        steps.finish(more, 12)
        await until(pilot, lambda: len(pilot.app.screen.query_one(SweepViews).results) == 2)
        for text in ("48->96", "72x72    48->96      ✗ hung", "48->96 @72"):
            await seen(pilot, text)
            await press(pilot, "v")


async def test_a_shape_that_was_cancelled_runs_in_no_view_any_more() -> None:
    steps, rows = Steps(), LIVE_SERVICES.experiments.presets()[0].rows
    services = but(LIVE_SERVICES, run=steps.run)
    async with app_with(services, "conv2d").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, *ON_CPU, "enter")
        steps.start(rows, 1)
        await seen(pilot, "> cold")
        await press(pilot, "s")
        await resolved(pilot)
        for text in ("[·]", "32x32    16->32      · not run", BAR):
            await seen(pilot, text)
            assert "> cold" not in screen_text(pilot.app)
            await press(pilot, "v")


async def test_a_run_that_stops_takes_no_key_from_the_screen_and_says_why_at_once() -> None:
    steps, rows = Steps(), LIVE_SERVICES.experiments.presets()[0].rows
    services = but(LIVE_SERVICES, run=steps.run)
    async with app_with(services, "conv2d").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, *ON_CPU, "enter")
        steps.start(rows, 1)
        await seen(pilot, "> cold")
        stopped = StopReason("The device hung twice.", "That is what was allowed.", "Allow more.")
        steps.tell(SweepDone((), stopped, 1.0))
        await press(pilot, "v")
        await seen(pilot, "✗ It stopped: The device hung twice.")
        await seen(pilot, "Published")
        await press(pilot, "a")
        await seen(pilot, "Allow more.")


@pytest.mark.parametrize("presses", [0, 1, 2])
async def test_space_tells_all_of_the_shape_in_each_view(presses: int) -> None:
    async with app_with(LIVE_SERVICES, "conv2d").run_test(size=(120, 40)) as pilot:
        await reach(pilot, "conv2d")
        for key in ("enter", "y"):
            await press(pilot, key)
            await resolved(pilot)
        await press(pilot, *("v",) * presses, "up", "space")
        await until(pilot, lambda: isinstance(pilot.app.screen, Notice))
        text = screen_text(pilot.app)
        assert "32->64 3x3 @64x64" in text
        assert "Verdict: pass" in text
        assert "conv2d --python /home/sam/rdna1/rocm52/bin/python --layer '32 64 3 64x64'" in text
        assert "MIOpenDriver conv -n 1 -c 32 -H 64 -W 64 -k 64" in text
        await press(pilot, "escape", "v")
        assert pilot.app.screen.query_one(SweepViews).number == 9


async def test_a_whole_model_is_told_live_below_each_view() -> None:
    steps = Steps()
    services = but(LIVE_SERVICES, run=steps.run, presets=lambda: (MODEL,))
    async with app_with(services, "conv2d").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        await seen(pilot, "Net: none of 7 layers measured yet")
        await press(pilot, *ON_CPU, "enter")
        for number, told in enumerate(
            (
                "Net: 1 of 7 layers right, 6 not measured yet",
                "Net: 5 of 7 layers right, 2 not measured yet",
                "Net: 5 of 7 layers right, 2 hung",
            ),
            1,
        ):
            steps.start(MODEL_ROWS, number)
            steps.finish(MODEL_ROWS, number)
            await seen(pilot, told)
            await press(pilot, "v")
            await seen(pilot, told)
        await press(pilot, "s")


async def test_only_a_model_has_a_line_for_it() -> None:
    services = but(LIVE_SERVICES, presets=lambda: (MODEL, FOREIGN))
    async with app_with(services, "conv2d").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, "o", "down", "right", "escape")
        await drawn(pilot.app)
        assert "Net:" not in screen_text(pilot.app)


async def test_only_claims_for_the_card_and_stack_at_hand_stand_beside_a_shape() -> None:
    services = but(LIVE_SERVICES, presets=lambda: (FITTING, FOREIGN))
    claim = "· not run                               hung"
    async with app_with(services, "conv2d").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        await seen(pilot, claim)
        await press(pilot, *ON_CPU)
        await drawn(pilot.app)
        assert "hung" not in screen_text(pilot.app)
        await press(pilot, *ON_CPU)
        await seen(pilot, claim)
        await press(pilot, "o", "down", "right", "escape")
        await resolved(pilot)
        assert "hung" not in screen_text(pilot.app)
        await press(pilot, "v", "v")
        await seen(pilot, "not measured, published: hung (ROCm 5.2 on gfx1012)")


async def test_a_view_keeps_its_keys_through_a_dialog_and_a_small_window() -> None:
    async with app_with(LIVE_SERVICES, "conv2d").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        for key in ("enter", "y"):
            await press(pilot, key)
            await resolved(pilot)
        await press(pilot, "ctrl+home", "v", "space", "escape")
        await resize(pilot, 60, 20)
        await resize(pilot, 80, 24)
        await press(pilot, "down")
        assert pilot.app.screen.query_one(SweepViews).number == 2
        assert {"up", "down", "v", "enter", "space"} <= usable_keys(pilot.app)


async def test_the_demo_shows_its_examples_in_every_view() -> None:
    services = but(DRY_SERVICES, mode=DEMO)
    async with app_with(services, "conv2d").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        for _ in range(2):
            assert "example" in screen_text(pilot.app)
            await press(pilot, "v")
            await drawn(pilot.app)


async def test_an_ascii_terminal_gets_ascii_in_every_view() -> None:
    services = but(LIVE_SERVICES, unicode=False)
    async with app_with(services, "conv2d").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        for key in ("enter", "y"):
            await press(pilot, key)
            await resolved(pilot)
        for _ in range(3):
            assert screen_text(pilot.app).isascii()
            assert "?" not in screen_text(pilot.app).replace("? Help", "")
            await press(pilot, "v")
            await drawn(pilot.app)


async def test_keys_and_the_mouse_lead_to_every_row_and_keep_it_in_sight() -> None:
    rows = tuple(Row(square(16, 32, size)) for size in range(1, 61))
    services = but(LIVE_SERVICES, presets=lambda: (Preset("long", "many", "ours", "", rows),))
    async with app_with(services, "conv2d").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, "v", "tab")
        await drawn(pilot.app)
        views = pilot.app.screen.query_one(SweepViews)
        keys = (("ctrl+end", 60), ("down", 60), ("ctrl+home", 1), ("up", 1), ("down", 2))
        for key, number in keys:
            await press(pilot, key)
            await seen(pilot, f">  {number}x{number} ")
            assert views.number == number
        await press(pilot, "pagedown")
        await until(pilot, lambda: views.number > 5)
        await seen(pilot, f">  {views.number}x{views.number} ")
        await press(pilot, "ctrl+home")
        await pilot.click("#shapes", offset=(4, 5))
        await until(pilot, lambda: views.number == 5)
        await pilot.click("#shapes", offset=(4, 5))
        await until(pilot, lambda: "16->32 3x3 @5x5" in screen_text(pilot.app))


async def test_a_card_that_is_checked_before_the_next_shape_begins_ends_no_screen() -> None:
    steps = Steps()
    services = but(LIVE_SERVICES, run=steps.run)
    async with app_with(services, "conv2d").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, *ON_CPU, "enter")
        rows = len(pilot.app.screen.query_one(SweepViews).state.rows)
        steps.tell(Phase(rows + 1, "health"))
        for views in pilot.app.screen.query(SweepViews):
            await until(pilot, lambda: steps.all_taken)
            views.post_message(SweepViews.Drawn())
        row = Row(square(8, 8, 8))
        steps.tell(ShapeStarted(rows + 1, rows + 1, row, 60.0))
        await until(pilot, lambda: "Now 8->8 at 8x8" in screen_text(pilot.app))
