"""Every screen as text, at the smallest size and at a comfortable one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from screens.services import DEMO
from tests.screens.driving import app_with, reach, screen_text, settled
from tests.screens.fakes import DRY_SERVICES, LIVE_SERVICES, fail_at_three

SIZES = ((80, 24), (120, 40))
Compare = Callable[[str, str], None]
DEMO_SERVICES = replace(DRY_SERVICES, mode=DEMO)
FAILING = replace(LIVE_SERVICES, carry_out=fail_at_three)

CASES = {
    "welcome": (LIVE_SERVICES, "welcome", ()),
    "welcome-dry-run": (DRY_SERVICES, "welcome", ()),
    "welcome-help": (LIVE_SERVICES, "welcome", ("question_mark",)),
    "detect": (LIVE_SERVICES, "detect", ()),
    "detect-details": (LIVE_SERVICES, "detect", ("down", "enter")),
    "choose-nothing-ticked": (LIVE_SERVICES, "choose", ()),
    "choose-two-ticked": (LIVE_SERVICES, "choose", ("space", "right", "space")),
    "choose-four-ticked": (
        LIVE_SERVICES,
        "choose",
        ("space", "right", "space", "right", "space", "right", "space"),
    ),
    "choose-impossible": (LIVE_SERVICES, "choose", ("space", *("down",) * 4, "enter")),
    "choose-claims": (LIVE_SERVICES, "choose", ("e",)),
    "review": (LIVE_SERVICES, "review", ()),
    "review-dry-run": (DRY_SERVICES, "review", ()),
    "apply": (LIVE_SERVICES, "apply", ()),
    "apply-dry-run": (DRY_SERVICES, "apply", ()),
    "apply-failed": (FAILING, "apply", ()),
    "conv2d-demo": (DEMO_SERVICES, "conv2d", ()),
    "conv2d-warning": (LIVE_SERVICES, "conv2d", ("s",)),
    "conv2d-measured": (LIVE_SERVICES, "conv2d", ("s", "y")),
    "done": (LIVE_SERVICES, "done", ()),
    "done-dry-run": (DRY_SERVICES, "done", ()),
    "done-failed": (FAILING, "apply", ("n",)),
}


DIALOGS = ("welcome-help", "detect-details", "conv2d-warning")
"""Windows of a fixed width: one size tells all."""


@pytest.mark.parametrize("name", CASES)
async def test_a_screen_looks_as_agreed_also_after_resizing(
    name: str, same_as_golden: Compare
) -> None:
    services, step, keys = CASES[name]
    async with app_with(services, step).run_test(size=SIZES[0]) as pilot:
        await reach(pilot, step)
        await settled(pilot)
        await pilot.press(*keys)
        await settled(pilot)
        for width, height in SIZES[:1] if name in DIALOGS else SIZES:
            await pilot.resize_terminal(width, height)
            await pilot.pause()
            same_as_golden(f"{name}-{width}x{height}", screen_text(pilot.app))
