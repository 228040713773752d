"""Our colours: readable in every theme, and chosen by what is known of the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest
from rich._palettes import STANDARD_PALETTE
from rich.color import Color as RichColor
from rich.color import ColorSystem
from rich.style import Style
from textual.app import App
from textual.color import Color
from textual.theme import Theme

from screens.themes import DARK, DARK_16, LIGHT, LIGHT_16, THEMES, theme_for
from tests.screens.collaborators import but
from tests.screens.driving import app_with, go, press, resolved
from tests.screens.fakes import LIVE_SERVICES

READABLE = 4.5
"""WCAG's ratio for text; a mark that is not read needs 3."""
VISIBLE = 3.0
MARKS = set("─│┌┐└┘╭╮╰╯█░▁▂▃▄▅▆▇▔▕▏▎▍▌▋▊▉ ")
TEXTS = (
    "foreground", "text", "text-muted", "text-disabled", "text-primary", "text-success",
    "text-warning", "text-error",
)  # fmt: skip
GROUNDS = ("background", "surface")
PAIRS = (
    *((text, ground) for text in TEXTS for ground in GROUNDS),
    ("foreground", "panel"),
    ("text-primary", "panel"),
    ("background", "text-warning"),
    ("footer-foreground", "footer-background"),
    ("block-cursor-foreground", "block-cursor-background"),
    ("block-cursor-blurred-foreground", "block-cursor-blurred-background"),
    ("input-selection-foreground", "input-selection-background"),
)
STRONG = ("text-primary", "text-accent", "text-success", "text-warning", "text-error")
EDGES = ("primary", "accent", "warning", "scrollbar")
STATES = {
    "welcome": ("welcome", ()),
    "detect": ("detect", ()),
    "choose": ("choose", ("down",)),
    "ask": ("ask", ("space", "down")),
    "compare": ("compare", ("down",)),
    "review": ("review", ()),
    "apply": ("apply", ()),
    "conv2d": ("conv2d", ("enter", "y")),
    "grid": ("conv2d", ("enter", "y", "v")),
    "help": ("detect", ("question_mark",)),
}


def ratio(one: Color, other: Color) -> float:
    """The contrast of two colours as WCAG 2 reckons it: 1 to 21."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: Color) -> float:
    parts = (part / 255 for part in colour.rgb)
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: str(theme.name))
def test_texts_are_readable_and_edges_visible_on_their_grounds(theme: Theme) -> None:
    colours = {
        name: Color.parse(value)
        for name, value in theme.to_color_system().generate().items()
        if value.startswith("#")
    }
    unreadable = {
        (text, ground): round(ratio(colours[text], colours[ground]), 2)
        for text, ground in PAIRS
        if ratio(colours[text], colours[ground]) < READABLE
    }
    assert not unreadable
    assert not [e for e in EDGES if ratio(colours[e], colours["background"]) < VISIBLE]


@pytest.mark.parametrize("theme", THEMES[:2], ids=lambda theme: str(theme.name))
def test_without_colours_strong_words_are_no_dimmer_than_muted_ones(theme: Theme) -> None:
    generated = theme.to_color_system().generate()
    background = Color.parse(generated["background"]).monochrome

    def strength(name: str) -> float:
        return ratio(Color.parse(generated[name]).monochrome, background)

    dim = {name for name in STRONG if strength(name) < strength("text-muted")}
    assert not dim, {name: round(strength(name), 2) for name in (*STRONG, "text-muted")}


@pytest.mark.parametrize("theme", [theme.name for theme in THEMES])
async def test_every_word_on_the_screens_is_readable(theme: str) -> None:
    services = but(LIVE_SERVICES, theme=theme)
    unreadable = set()
    async with app_with(services).run_test(size=(80, 24)) as pilot:
        for name, (step, keys) in STATES.items():
            await go(pilot, step)
            await resolved(pilot)
            for key in keys:
                await press(pilot, key)
                await resolved(pilot)
            unreadable |= {(name, *found) for found in hard_to_read(pilot.app)}
    assert not unreadable


def hard_to_read(app: App[int]) -> Iterator[tuple[str, str]]:
    """Words on the screen that stand out too little, and their colours."""
    for strip in app.screen._compositor.render_strips():
        for text, style, _ in strip:
            if style is None or set(text) <= MARKS:
                continue
            one, other = _colours(style)
            if ratio(one, other) < READABLE:
                yield text.strip(), f"{one.hex} on {other.hex}"


def _colours(style: Style) -> tuple[Color, Color]:
    assert style.color is not None
    assert style.bgcolor is not None
    found = (Color.from_rich_color(style.color), Color.from_rich_color(style.bgcolor))
    return found[::-1] if style.reverse else found


@pytest.mark.parametrize("name", [DARK_16, LIGHT_16])
def test_colours_of_the_sixteen_are_met_exactly(name: str) -> None:
    theme = next(theme for theme in THEMES if theme.name == name)
    texts = (theme.primary, theme.success, theme.warning, theme.error, theme.foreground)
    for colour in (*texts, theme.background, theme.panel):
        assert colour is not None
        wanted = RichColor.parse(colour)
        number = wanted.downgrade(ColorSystem.STANDARD).number
        assert number is not None
        assert STANDARD_PALETTE[number] == wanted.triplet, colour


@pytest.mark.parametrize(
    ("environ", "theme"),
    [
        ({"TERM": "xterm-256color"}, DARK),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, DARK),
        ({"TERM": "xterm-256color", "COLORFGBG": "0;15"}, LIGHT),
        ({"TERM": "rxvt-unicode-256color", "COLORFGBG": "0;default;7"}, LIGHT),
        ({"TERM": "xterm-256color", "COLORFGBG": "15;0"}, DARK),
        ({"TERM": "linux"}, DARK_16),
        ({"TERM": "xterm"}, DARK_16),
        ({"TERM": "xterm", "COLORFGBG": "0;15"}, LIGHT_16),
        ({}, DARK_16),
        ({"TERM": "linux", "NO_COLOR": "1"}, DARK),
        ({"TERM": "linux", "TEXTUAL_THEME": "nord"}, "nord"),
    ],
)
def test_the_terminal_decides_the_theme(environ: Mapping[str, str], theme: str) -> None:
    assert theme_for(environ) == theme


async def test_an_unknown_theme_gives_the_usual_one() -> None:
    async with app_with(but(LIVE_SERVICES, theme="no-such")).run_test() as pilot:
        assert pilot.app.theme == DARK
