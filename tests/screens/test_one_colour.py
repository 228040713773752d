"""No meaning by colour alone: on a terminal of one colour there is nothing but the text.

Each state of the golden files is taken, here or in ``test_states``. Keys that move a cursor, tick
or change the focus must change the text wherever they change the looks; and the same words never
stand in two colours, for then the colour would say what they do not.
"""

from __future__ import annotations

import colorsys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.pilot import Pilot
from textual.strip import Strip
from textual.widgets import Input

from screens.services import DEMO, Services
from tests.screens.all_states import USUAL
from tests.screens.driving import app_with, go, press, screen_text, settled
from tests.screens.fakes import DRY_SERVICES, LIVE_SERVICES, fail_at_three
from tests.screens.reaching import come_to
from tests.screens.test_goldens import DEMO_CASES, DRY, FAILS, LIVE, Case

PROBES = ("down", "up", "right", "left", "tab", "shift+tab", "end", "home", "space")
"""Keys that choose, tick or move on most screens and carry nothing out."""
GREY = 0.25
"""A colour of less saturation is no colour."""
EVERYWHERE = [
    (LIVE_SERVICES, LIVE),
    (DRY_SERVICES, DRY),
    (replace(LIVE_SERVICES, carry_out=fail_at_three), FAILS),
    (replace(DRY_SERVICES, mode=DEMO), DEMO_CASES),
]
RED = "red"
NAMES = ((RED, 45), ("yellow", 70), ("green", 170), ("blue", 320))
"""Colours as people name them, each up to its angle on the circle of hues."""
Looks = dict[tuple[int, int], str]


def strips(app: App[int]) -> list[Strip]:
    """The lines of the screen as they are drawn."""
    return app.screen._compositor.render_strips()


def looks(app: App[int]) -> Looks:
    """How each cell looks; where one types, the terminal's own cursor tells the place.

    Not of scroll bars: the end of one moves by an eighth of a cell, in colours alone.
    """
    typing = app.focused.region if isinstance(app.focused, Input) else None
    found: Looks = {}
    for line, strip in enumerate(strips(app)):
        for place, style in enumerate(_cells(strip)):
            if typing is None or not typing.contains(place, line):
                found[line, place] = style
    return found


def _cells(strip: Strip) -> Iterator[str]:
    for text, style, _ in strip:
        is_bar = style is not None and "@mouse.down" in style.meta
        look = "" if style is None or is_bar else str(style.clear_meta_and_links())
        yield from (look for _ in text)


async def shown(pilot: Pilot[int], case: Case) -> None:
    """Puts a state on the screen."""
    step, keys = case
    await go(pilot, step)
    await settled(pilot)
    for key in keys:
        await press(pilot, key)
        await settled(pilot)


async def told_by_colour_alone(pilot: Pilot[int]) -> list[str]:
    """The keys that change how the state looks and not what it says."""
    found = []
    for probe in PROBES:
        text, before = screen_text(pilot.app), looks(pilot.app)
        await press(pilot, probe)
        await settled(pilot)
        after = looks(pilot.app)
        differs = any(before[cell] != after[cell] for cell in before.keys() & after.keys())
        if screen_text(pilot.app) == text and differs:
            found.append(probe)
    return found


@pytest.mark.parametrize(
    ("services", "cases"), EVERYWHERE, ids=("live", "dry run", "failing", "demo")
)
async def test_no_key_changes_colours_alone(services: Services, cases: dict[str, Case]) -> None:
    found = {}
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        for name, case in cases.items():
            await shown(pilot, case)
            if keys := await told_by_colour_alone(pilot):
                found[name] = keys
    assert not found


def coloured_words(app: App[int]) -> Iterator[tuple[str, str]]:
    """Words in a colour, with its name."""
    for strip in strips(app):
        for segment in Segment.simplify(strip):
            hue = None if segment.style is None else _hue(segment.style)
            words = segment.text.strip("─│┌┐└┘█░▁▄ ")  # frames and bars say nothing
            if hue is not None and words:
                yield words, hue


def _hue(style: Style) -> str | None:
    """None for what is grey, or stands on a colour: that is a cursor, which has its mark."""
    colours = [each.triplet for each in (style.color, style.bgcolor) if each is not None]
    parts = [colorsys.rgb_to_hsv(*(part / 255 for part in each)) for each in colours if each]
    if not parts or parts[0][1] < GREY or any(below[1] >= GREY for below in parts[1:]):
        return None
    degrees = parts[0][0] * 360
    return next((name for name, end in NAMES if degrees < end), RED)


@pytest.mark.usefixtures("at_the_root")
async def test_the_same_words_never_stand_in_two_colours() -> None:
    hues: dict[str, set[str]] = defaultdict(set)
    for services, cases in EVERYWHERE:
        async with app_with(services).run_test(size=(80, 24)) as pilot:
            for case in cases.values():
                await shown(pilot, case)
                for words, hue in coloured_words(pilot.app):
                    hues[words].add(hue)
    for state in USUAL.values():
        async with state.app().run_test(size=(80, 24)) as pilot:
            await come_to(pilot, state)
            for words, hue in coloured_words(pilot.app):
                hues[words].add(hue)
    assert {words: found for words, found in hues.items() if len(found) > 1} == {}
    assert len(set.union(*hues.values())) > 2, "there are no colours to look at"
