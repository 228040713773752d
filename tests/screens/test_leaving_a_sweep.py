"""The Conv2d panel left while a sweep tells more than anybody can read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from screens.review.screen import Review
from tests.screens.collaborators import but
from tests.screens.driving import app_with, press, reach, screen_text, until
from tests.screens.fakes import LIVE_SERVICES, PRESETS, result_of
from wizard.conv2d.sweep import Phase, ShapeDone, ShapeStarted, Sweep, SweepEvent
from wizard.services.experiments import SweepUnderWay

SWEEP = Sweep("/v/bin/python", PRESETS[0].rows, "cpu")


async def never_ending() -> AsyncGenerator[SweepEvent, None]:
    """An event every millisecond."""
    row = SWEEP.rows[0]
    while True:
        for event in (
            ShapeStarted(1, len(SWEEP.rows), row, 60.0),
            Phase(1, "cold"),
            ShapeDone(1, len(SWEEP.rows), result_of(row)),
        ):
            yield event
            await asyncio.sleep(0.001)


async def stop() -> str:
    return ""


@pytest.mark.parametrize("key", ["escape", "q"])
async def test_the_panel_can_be_left_at_any_moment(key: str) -> None:
    under_way = SweepUnderWay("10 shapes on cpu", SWEEP, never_ending)
    services = but(LIVE_SERVICES, outlives=True, under_way=lambda: under_way, stop=stop)
    app = app_with(services, "conv2d")
    async with app.run_test(size=(80, 24)) as pilot:
        await reach(pilot, "conv2d")
        await until(pilot, lambda: "Already measuring" in screen_text(app))
        await press(pilot, key)
        if key == "escape":
            await until(pilot, lambda: isinstance(app.screen, Review))
