"""No meaning by colour alone: what a key changes on a screen, it changes in its text too.

Each state of the golden files is taken, and keys are pressed there that move a cursor, tick, fold
or change the focus. Where the drawn screen then differs in styles, its text has to differ as well:
on a terminal of one colour, read aloud or under fingers, there is nothing but the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from textual.app import App
from textual.pilot import Pilot

from screens.services import DEMO, Services
from tests.screens.driving import app_with, go, press, screen_text, settled
from tests.screens.fakes import DRY_SERVICES, LIVE_SERVICES, fail_at_three
from tests.screens.test_goldens import DEMO_CASES, DRY, FAILS, LIVE, Case

PROBES = ("down", "up", "right", "left", "tab", "shift+tab", "end", "home", "space")
"""Keys that choose, tick or move on most screens and carry nothing out."""


def styled(app: App[int]) -> tuple[tuple[tuple[str, str], ...], ...]:
    """The screen with the looks of each cell."""
    strips = app.screen._compositor.render_strips()
    return tuple(tuple(_looks(strip)) for strip in strips)


def _looks(strip: object) -> Iterator[tuple[str, str]]:
    """Colours, bold, reverse and underlined, cell by cell."""
    for text, style, _ in strip:  # type: ignore[attr-defined]
        look = "" if style is None else str(replace_meta(style))
        yield from ((cell, look) for cell in text)


def replace_meta(style: object) -> object:
    """The style without what only the mouse asks for."""
    return style.without_color if False else style.clear_meta_and_links()  # type: ignore[attr-defined]


async def told_by_colour_alone(pilot: Pilot[int], step: str, keys: tuple[str, ...]) -> list[str]:
    """The keys that change how a state looks and not what it says."""
    await go(pilot, step)
    await settled(pilot)
    for key in keys:
        await press(pilot, key)
        await settled(pilot)
    found = []
    for probe in PROBES:
        text, looks = screen_text(pilot.app), styled(pilot.app)
        await press(pilot, probe)
        await settled(pilot)
        if screen_text(pilot.app) == text and styled(pilot.app) != looks:
            found.append(probe)
    return found


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
async def test_no_key_changes_colours_alone(services: Services, cases: dict[str, Case]) -> None:
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        found = {n: f for n, (s, k) in cases.items() if (f := await told_by_colour_alone(pilot, s, k))}
    assert found == {}
