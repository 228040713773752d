"""Every screen as text: as agreed, and nothing is said by colour alone.

On a terminal of one colour there is nothing but the text: keys that move a cursor, tick or change
the focus must change it wherever they change the looks; and the same words never stand in two
colours, for then the colour would say what they do not. The same is asked in ``test_states``.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from tests.screens.collaborators import but
from tests.screens.colours import coloured_words, told_by_colour_alone
from tests.screens.driving import app_with, as_agreed, go, press, resolved
from tests.screens.fakes import DRY_SERVICES, LIVE_SERVICES, fail_at_three
from wizard.services import DEMO

SIZES = ((80, 24), (120, 40))
Compare = Callable[[str, str], None]
Case = tuple[str, tuple[str, ...]]
"""A step, and the keys that are pressed there."""

LIVE: dict[str, Case] = {
    "welcome": ("welcome", ()),
    "detect": ("detect", ()),
    "detect-details": ("detect", ("down", "space")),
    "choose-nothing-ticked": ("choose", ()),
    "choose-four-ticked": ("ask", ("space", *("down", "space") * 3, "enter")),
    "choose-impossible": ("ask", ("space", "enter", *("down",) * 4, "enter")),
    "review": ("review", ()),
    "apply": ("apply", ()),
    "conv2d-ask": ("conv2d", ()),
    "conv2d-warning": ("conv2d", ("enter",)),
    "conv2d-grid": ("conv2d", ("enter", "y")),
    "conv2d-measured": ("conv2d", ("enter", "y", "v")),
    "conv2d-times": ("conv2d", ("enter", "y", "v", "v")),
    "conv2d-details": ("conv2d", ("enter", "y", "space")),
    "conv2d-operations": ("conv2d", ("o", "down", "left", "escape")),
    "done": ("done", ()),
}
DRY: dict[str, Case] = {
    "welcome-dry-run": ("welcome", ()),
    "review-dry-run": ("review", ()),
    "apply-dry-run": ("apply", ()),
    "done-dry-run": ("done", ()),
}
FAILS: dict[str, Case] = {"apply-failed": ("apply", ())}
DEMO_CASES: dict[str, Case] = {
    "conv2d-demo": ("conv2d", ()),
    "conv2d-demo-grid": ("conv2d", ("v",)),
}


EVERYWHERE = {
    "live": (LIVE_SERVICES, LIVE),
    "dry run": (DRY_SERVICES, DRY),
    "failing": (but(LIVE_SERVICES, carry_out=fail_at_three), FAILS),
    "demo": (but(DRY_SERVICES, mode=DEMO), DEMO_CASES),
}


COLOURS: dict[str, set[tuple[str, str]]] = {}
"""The coloured words of the states that were looked at, by name."""


async def shown(pilot: Pilot[int], case: Case) -> None:
    """Puts a state on the screen."""
    step, keys = case
    await go(pilot, step)
    await resolved(pilot)
    for key in keys:
        await press(pilot, key)
        await resolved(pilot)


@pytest.mark.parametrize("what", EVERYWHERE)
async def test_every_screen_looks_as_agreed_also_after_resizing_and_needs_no_colours(
    what: str, same_as_golden: Compare
) -> None:
    services, cases = EVERYWHERE[what]
    by_colour_alone = {}
    async with app_with(services).run_test(size=SIZES[0]) as pilot:
        for name, case in cases.items():
            await shown(pilot, case)
            await as_agreed(pilot, same_as_golden, name)
            COLOURS[name] = set(coloured_words(pilot.app))
            by_colour_alone[name] = await told_by_colour_alone(pilot)
    assert {name: keys for name, keys in by_colour_alone.items() if keys} == {}
