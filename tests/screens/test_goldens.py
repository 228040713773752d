"""Every screen as text, at the smallest size and at a comfortable one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from screens.services import DEMO, Services
from tests.screens.driving import agreed, app_with, go, press, resize, settled
from tests.screens.fakes import DRY_SERVICES, LIVE_SERVICES, fail_at_three

SIZES = ((80, 24), (120, 40))
Compare = Callable[[str, str], None]
Case = tuple[str, tuple[str, ...]]
"""A step, and the keys that are pressed there."""

LIVE: dict[str, Case] = {
    "welcome": ("welcome", ()),
    "welcome-help": ("welcome", ("question_mark",)),
    "detect": ("detect", ()),
    "detect-details": ("detect", ("down", "enter")),
    "choose-nothing-ticked": ("choose", ()),
    "choose-two-ticked": ("choose", ("space", "right", "space")),
    "choose-four-ticked": ("choose", ("space", *("right", "space") * 3)),
    "choose-impossible": ("choose", ("space", *("down",) * 4, "enter")),
    "choose-claims": ("choose", ("e",)),
    "review": ("review", ()),
    "apply": ("apply", ()),
    "conv2d-warning": ("conv2d", ("s",)),
    "conv2d-measured": ("conv2d", ("s", "y")),
    "conv2d-grid": ("conv2d", ("s", "y", "v")),
    "conv2d-times": ("conv2d", ("s", "y", "v", "v")),
    "conv2d-details": ("conv2d", ("s", "y", "enter")),
    "conv2d-options": ("conv2d", ("o",)),
    "conv2d-operations": ("conv2d", ("x",)),
    "done": ("done", ()),
}
DRY: dict[str, Case] = {
    "welcome-dry-run": ("welcome", ()),
    "review-dry-run": ("review", ()),
    "apply-dry-run": ("apply", ()),
    "done-dry-run": ("done", ()),
}
FAILS: dict[str, Case] = {"apply-failed": ("apply", ()), "done-failed": ("apply", ("n",))}
DEMO_CASES: dict[str, Case] = {
    "conv2d-demo": ("conv2d", ()),
    "conv2d-demo-grid": ("conv2d", ("v",)),
}


@pytest.mark.parametrize(
    ("services", "cases"),
    [
        (LIVE_SERVICES, LIVE),
        (DRY_SERVICES, DRY),
        (replace(LIVE_SERVICES, carry_out=fail_at_three), FAILS),
        (replace(DRY_SERVICES, mode=DEMO), DEMO_CASES),
    ],
    ids=("live", "dry run", "failing", "demo"),
)
async def test_every_screen_looks_as_agreed_also_after_resizing(
    services: Services, cases: dict[str, Case], same_as_golden: Compare
) -> None:
    sizes = SIZES
    async with app_with(services).run_test(size=SIZES[0]) as pilot:
        for name, (step, keys) in cases.items():
            await go(pilot, step)
            await settled(pilot)
            for key in keys:
                await press(pilot, key)
                await settled(pilot)
            for width, height in sizes:
                await resize(pilot, width, height)
                await agreed(pilot, same_as_golden, f"{name}-{width}x{height}")
            sizes = sizes[::-1]  # the next one begins at the size where this one ended
