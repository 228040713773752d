"""A sweep that runs apart from the panel: left alone on leaving, found again, ended by s alone."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

import pytest

from screens.conv2d.screen import Conv2d
from screens.conv2d.sweep_views import SweepViews
from screens.start import services_for
from tests.conv2d.apart import Apart as Home
from tests.conv2d.apart import apart as home
from tests.conv2d.sweeping import environ, sweep_of
from tests.screens.collaborators import but
from tests.screens.driving import (
    app_with,
    drawn,
    press,
    reach,
    resolved,
    screen_text,
    status,
    until,
)
from tests.screens.fakes import LIVE_SERVICES, PRESETS, result_of
from wizard.cli.options import parser
from wizard.conv2d.requests import Request, sweep_in
from wizard.conv2d.search.find_limit import LimitRequest
from wizard.conv2d.sweep import ShapeDone, ShapeStarted, Sweep, SweepDone, SweepEvent
from wizard.report.conv2d_answers import answer_lines
from wizard.services import Services
from wizard.services.experiments import SweepUnderWay

__all__ = ["home"]

SMALL_ON_CPU = ("o", "down", "right", "down", "down", "right", "escape")
"""The keys that choose the table of one shape, and the CPU."""
SMALL = Sweep("/v/bin/python", PRESETS[1].rows, "cpu")


class Apart:
    """A runner that goes on until it is stopped."""

    def __init__(self, left: str = "") -> None:
        self.followers = 0
        self.stopped = False
        self.left = left

    async def follow(self, request: Request = SMALL) -> AsyncGenerator[SweepEvent, None]:
        """The events of a whole sweep but the last, and then nothing more."""
        self.followers += 1
        try:
            async for event in LIVE_SERVICES.experiments.run(request):
                yield event
                if len(sweep_in(request).rows) == 1:
                    await asyncio.Event().wait()
        finally:
            self.followers -= 1

    async def stop(self) -> str:
        self.stopped = True
        return self.left

    def services(self, under_way: SweepUnderWay | None = None) -> Services:
        return but(
            LIVE_SERVICES,
            run=self.follow,
            outlives=True,
            stop=self.stop,
            under_way=lambda: under_way,
        )


async def test_leaving_the_program_leaves_the_sweep_running() -> None:
    apart = Apart()
    async with app_with(apart.services(), "conv2d").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, *SMALL_ON_CPU, "enter")
        await until(pilot, lambda: apart.followers == 1)
        assert "Press s to stop the measurement. Quitting does not stop it." in screen_text(
            pilot.app
        )
        await press(pilot, "q")
        await until(pilot, lambda: not pilot.app.is_running)
    assert (apart.followers, apart.stopped) == (0, False)


async def test_stop_ends_it_and_says_what_the_kernel_holds() -> None:
    apart = Apart("Stopped, but process 7 is in state disk-sleep")
    async with app_with(apart.services(), "conv2d").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        await press(pilot, *SMALL_ON_CPU, "enter")
        await until(pilot, lambda: apart.followers == 1)
        await press(pilot, "s")
        await resolved(pilot)
        assert apart.stopped
        assert "process 7 is in state disk-sleep" in status(pilot.app)


async def test_what_is_under_way_is_shown_on_entering_the_step() -> None:
    apart = Apart()
    found = SweepUnderWay("1 shape on cpu, since 07:00", SMALL, apart.follow)
    async with app_with(apart.services(found), "conv2d").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        await until(pilot, lambda: apart.followers == 1)
        assert "Already measuring: 1 shape on cpu, since 07:00. Press s to stop it." in status(
            pilot.app
        )
        assert len(pilot.app.screen.query_one(SweepViews).state.rows) == 1
        await press(pilot, "s")
        await resolved(pilot)
        assert apart.stopped


async def test_how_long_a_shape_took_is_told_only_where_its_begin_was_seen() -> None:
    now, go_on = 0.0, asyncio.Event()
    sweep = Sweep("/v/bin/python", PRESETS[0].rows[:4], "cpu")
    results = [result_of(row) for row in sweep.rows]

    async def follow() -> AsyncGenerator[SweepEvent, None]:
        yield ShapeStarted(1, 4, sweep.rows[0], 60.0)
        yield ShapeDone(1, 4, results[0])
        yield ShapeStarted(2, 4, sweep.rows[1], 60.0)
        await go_on.wait()
        yield ShapeDone(2, 4, results[1])
        yield ShapeStarted(3, 4, sweep.rows[2], 60.0)
        await asyncio.Event().wait()

    found = SweepUnderWay("4 shapes on cpu, since 07:00", sweep, follow, begun=2)
    services = but(Apart().services(found), clock=lambda: now)
    async with app_with(services, "conv2d").run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        await until(pilot, lambda: f"at {sweep.rows[1].shape.h}x" in screen_text(pilot.app))
        now = 12.0
        panel = pilot.app.screen
        assert isinstance(panel, Conv2d)
        panel._tell()
        await drawn(pilot.app)
        assert "so far" not in screen_text(pilot.app)
        go_on.set()
        await until(pilot, lambda: f"at {sweep.rows[2].shape.h}x" in screen_text(pilot.app))
        now = 30.0
        await until(pilot, lambda: "18 s so far" in screen_text(pilot.app))


async def test_the_real_services_leave_a_sweep_running_and_find_it_again(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in home.environ(environ({4: "hang"})).items():
        monkeypatch.setenv(name, value)
    sweep = sweep_of(sys.executable, 3, 4)
    services = services_for(parser().parse_args([]))
    assert services.experiments.under_way() is None
    async with aclosing(services.experiments.run(sweep)) as events:
        async for event in events:
            if isinstance(event, ShapeStarted) and event.number == 2:
                break

    found = services_for(parser().parse_args([])).experiments.under_way()
    assert found is not None
    assert found.request == sweep
    assert found.begun == 2
    assert found.text.startswith("2 shapes on cpu, since 2")
    assert services.experiments.stop is not None
    assert await services.experiments.stop() == ""
    async with aclosing(found.follow()) as events:
        told = [event async for event in events]
    assert isinstance(told[-1], SweepDone)
    assert [event.number for event in told if isinstance(event, ShapeDone)] == [1]
    assert services.experiments.under_way() is None


async def test_the_real_services_carry_a_search_out_and_find_it_again(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in home.environ(environ(limits={"any": 6})).items():
        monkeypatch.setenv(name, value)
    sweep = sweep_of(sys.executable, 3)
    deadlines = replace(sweep.deadlines, first=1.0, later=1.0)
    search = LimitRequest(replace(sweep, deadlines=deadlines), "size", 5, 8, 2)
    services = services_for(parser().parse_args([]))
    async with aclosing(services.experiments.run(search)) as events:
        async for event in events:
            if isinstance(event, ShapeStarted):
                break

    found = services.experiments.under_way()
    assert found is not None
    assert found.request == search
    async with aclosing(found.follow()) as events:
        told = [event async for event in events]
    done = told[-1]
    assert isinstance(done, SweepDone)
    assert done.limit is not None
    assert (done.limit.known.passes, done.limit.known.hangs) == (6, 7)
    assert next(answer_lines(search, done)) == "Limit of size: 6 passes (3 of 3 times), 7 does not."
