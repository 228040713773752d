"""Windows and screens beside the road as text, that no other test holds."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from textual.pilot import Pilot

from screens.history.text import HINT
from tests.screens import examples
from tests.screens.driving import (
    agreed,
    app_with,
    go,
    press,
    resize,
    screen_text,
    session_at,
    settled,
    until,
)
from tests.screens.test_goldens import SIZES, Case, Compare
from tests.screens.test_rehearsal import FakeRehearsal, outcome_in, plan_with_root, services_with

CASES: dict[str, Case] = {
    "rehearse": ("review", ("r",)),
    "diagnose-text-asked": ("welcome", ("d", "e")),
    "history-result-asked": ("conv2d", ("h", "r")),
}
SAYS = {("conv2d", "h"): HINT, ("conv2d", "r"): "A script for which result?"}
"""What a key leads to only after something was read."""

PLAN = plan_with_root(examples.MACHINE, examples.CHOICE)


def shows(pilot: Pilot[int], words: str) -> bool:
    return words in screen_text(pilot.app)


async def test_what_lies_beside_the_road_looks_as_agreed(
    same_as_golden: Compare, tmp_path: Path
) -> None:
    rehearsal = FakeRehearsal(outcome_in(tmp_path))
    rehearsal.go_on.set()
    async with app_with(services_with(rehearsal)).run_test(size=SIZES[0]) as pilot:
        for name, (step, keys) in CASES.items():
            await go(pilot, step, replace(session_at(step), plan=PLAN))
            await settled(pilot)
            for key in keys:
                await press(pilot, key)
                await until(pilot, partial(shows, pilot, SAYS.get((step, key), "")))
                await settled(pilot)
            for width, height in SIZES:
                await resize(pilot, width, height)
                await agreed(pilot, same_as_golden, f"{name}-{width}x{height}")
            await resize(pilot, *SIZES[0])
