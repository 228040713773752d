"""The colours of a screen, cell by cell and word by word."""

from __future__ import annotations

import colorsys
from collections.abc import Iterator

from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.pilot import Pilot
from textual.strip import Strip
from textual.widgets import Input

from tests.screens.driving import press, resolved, screen_text
from wizard.core.glyphs import to_ascii

PROBES = ("down", "up", "right", "left", "tab", "shift+tab", "end", "home", "space")
"""Keys that choose, tick or move on most screens and carry nothing out."""
GREY = 0.25
"""A colour of less saturation is no colour."""
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


async def told_by_colour_alone(pilot: Pilot[int]) -> list[str]:
    """The keys that change how the state looks and not what it says on a terminal of ASCII."""
    found = []
    for probe in PROBES:
        text, before = to_ascii(screen_text(pilot.app)), looks(pilot.app)
        await press(pilot, probe)
        await resolved(pilot)
        after = looks(pilot.app)
        differs = any(before[cell] != after[cell] for cell in before.keys() & after.keys())
        if to_ascii(screen_text(pilot.app)) == text and differs:
            found.append(probe)
    return found


def coloured_words(app: App[int]) -> Iterator[tuple[str, str]]:
    """Words in a colour, with its name."""
    for strip in strips(app):
        for segment in Segment.simplify(strip):
            hue = None if segment.style is None else _hue(segment.style)
            words = segment.text.strip("─│┌┐└┘╭╮╰╯█░▁▄ ")  # frames and bars say nothing
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
