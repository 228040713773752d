"""Each screen where nothing is there, something fails, or a text has no end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from itertools import chain

import pytest

from screens.app import make_step
from tests.documents.screen_pages import all_screens, all_windows
from tests.screens.all_states import STATES, USUAL
from tests.screens.colours import coloured_words, told_by_colour_alone
from tests.screens.driving import (
    app_with,
    as_agreed,
    press,
    screen_text,
    session_at,
    until,
    usable_keys,
)
from tests.screens.fakes import LIVE_SERVICES
from tests.screens.reaching import come_to
from tests.screens.test_goldens import COLOURS, EVERYWHERE, LIVE, SIZES, shown

Compare = Callable[[str, str], None]
LIKE_OTHERS = {
    *("choose-clean", "choose-dry-run", "choose-long", "detect-dry-run", "done-demo"),
    *("clear", "clear-dry-run", "clear-long", "history-dry-run", "history-whole", "watch"),
    *("apply-log-unnamed", "diagnose-fix-dry-run", "conv2d-dry-run"),
}
"""States that differ from another golden by a line or two, which ``shows`` holds them to."""
pytestmark = pytest.mark.usefixtures("at_the_root")


def test_every_screen_and_window_is_among_the_states() -> None:
    without_keys = (step for step, keys in LIVE.values() if not keys)
    usual = (type(make_step(step, session_at(step), LIVE_SERVICES)) for step in without_keys)
    seen = {*usual, *(state.seen for state in STATES.values())}
    assert {one.__name__ for one in (*all_screens(), *all_windows()) if one not in seen} == set()


@pytest.mark.parametrize("name", STATES)
async def test_a_state_is_told_in_full_looks_as_agreed_needs_no_colours_and_is_left_by_a_key(
    name: str, same_as_golden: Compare
) -> None:
    state = STATES[name]
    async with state.app().run_test(size=SIZES[0]) as pilot:
        await come_to(pilot, state)
        if name not in LIKE_OTHERS:
            await as_agreed(pilot, same_as_golden, f"state-{name}")
        if name in USUAL:
            COLOURS[name] = set(coloured_words(pilot.app))
        assert "escape" in usable_keys(pilot.app) or state.step == "welcome"
        found = set(await told_by_colour_alone(pilot))
        # Once more: what is still scrolling while it is looked at is no change of colours alone.
        assert not found or not found & set(await told_by_colour_alone(pilot))
        before = screen_text(pilot.app)
        await press(pilot, "escape", "escape")
        await until(pilot, lambda: screen_text(pilot.app) != before or state.step == "welcome")
        assert pilot.app.is_running


async def test_the_same_words_never_stand_in_two_colours() -> None:
    for services, cases in EVERYWHERE.values():
        if cases.keys() <= COLOURS.keys():
            continue
        async with app_with(services).run_test(size=SIZES[0]) as pilot:
            for name, case in cases.items():
                await shown(pilot, case)
                COLOURS[name] = set(coloured_words(pilot.app))
    for name, state in USUAL.items():
        if name in COLOURS:
            continue
        async with state.app().run_test(size=SIZES[0]) as pilot:
            await come_to(pilot, state)
            COLOURS[name] = set(coloured_words(pilot.app))
    hues: dict[str, set[str]] = defaultdict(set)
    for words, hue in chain.from_iterable(COLOURS.values()):
        hues[words].add(hue)
    assert {words: found for words, found in hues.items() if len(found) > 1} == {}
    assert len(set.union(*hues.values())) > 2, "there are no colours to look at"
