"""A sweep that runs apart from the panel: left alone on leaving, found again, ended by c alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace

from textual.widgets import DataTable

from screens.services import Services, SweepUnderWay
from tests.screens.driving import app_with, press, reach, screen_text, settled, status, until
from tests.screens.fakes import LIVE_SERVICES, PRESETS
from wizard.conv2d.sweep import Sweep, SweepEvent

SMALL = Sweep("/v/bin/python", PRESETS[1].rows, "cpu")


class Apart:
    """A runner that goes on until it is stopped."""

    def __init__(self, left: str = "") -> None:
        self.followers = 0
        self.stopped = False
        self.left = left

    async def follow(self, sweep: Sweep = SMALL) -> AsyncGenerator[SweepEvent, None]:
        """The events of a whole sweep but the last, and then nothing more."""
        self.followers += 1
        try:
            async for event in LIVE_SERVICES.run_sweep(sweep):
                yield event
                if len(sweep.rows) == 1:
                    await asyncio.Event().wait()
        finally:
            self.followers -= 1

    async def stop(self) -> str:
        self.stopped = True
        return self.left

    def services(self, under_way: SweepUnderWay | None = None) -> Services:
        return replace(
            LIVE_SERVICES,
            run_sweep=self.follow,
            stop_sweep=self.stop,
            sweep_under_way=lambda: under_way,
        )


async def test_leaving_the_program_leaves_the_sweep_running() -> None:
    apart = Apart()
    async with app_with(apart.services(), "conv2d").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, "p", "g", "s")
        await until(pilot, lambda: apart.followers == 1)
        assert "Leaving does not end it." in status(pilot.app)
        await press(pilot, "q")
        await until(pilot, lambda: not pilot.app.is_running)
    assert (apart.followers, apart.stopped) == (0, False)


async def test_cancel_ends_it_and_says_what_the_kernel_holds() -> None:
    apart = Apart("Stopped, but process 7 is in state disk-sleep")
    async with app_with(apart.services(), "conv2d").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, "p", "g", "s")
        await until(pilot, lambda: apart.followers == 1)
        await press(pilot, "c")
        await settled(pilot)
        assert apart.stopped
        assert "process 7 is in state disk-sleep" in status(pilot.app)


async def test_what_is_under_way_is_shown_on_entering_the_step() -> None:
    apart = Apart()
    found = SweepUnderWay("1 shape on cpu, since 07:00", SMALL, apart.follow)
    async with app_with(apart.services(found), "conv2d").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        await until(pilot, lambda: apart.followers == 1)
        assert "Attached to what is under way: 1 shape on cpu, since 07:00" in status(pilot.app)
        assert pilot.app.screen.query_one(DataTable).row_count == 1
        await press(pilot, "c")
        await settled(pilot)
        assert apart.stopped


async def test_a_search_under_way_is_named_and_left_to_its_command() -> None:
    apart = Apart()
    found = SweepUnderWay("limit of size, since 07:00", None, apart.follow)
    async with app_with(apart.services(found), "conv2d").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        await until(pilot, lambda: "rdna1-setup conv2d --attach" in screen_text(pilot.app))
        assert apart.followers == 0
