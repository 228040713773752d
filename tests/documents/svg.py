"""A screen of the program as SVG, and many as a film: no script, no font of its own, no date.

Rows that are alike share one definition, so that a film is not much larger than what changes in it.
Lines, bars and blocks are drawn as shapes: between the rows of most fonts they would have gaps.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from itertools import accumulate
from typing import NamedTuple

from rich.style import Style
from rich.terminal_theme import SVG_EXPORT_THEME
from textual._context import visible_screen_stack
from textual.app import App

WIDE, HIGH, BASE = 8.4, 17.0, 13.0
"""A cell in pixels, and how far down in it letters stand."""
EDGE, TITLE_BAR = 10.0, 30.0
ARMS = {
    "─": "lr", "│": "ud", "╭": "rd", "╮": "ld", "╰": "ru", "╯": "lu", "━": "LR", "╸": "L", "╺": "R",
}  # fmt: skip
"""Which ways a line goes from the middle of its cell; a capital is a thick line."""
STYLE = (
    'text{font:14px ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;'
    "white-space:pre}.b{font-weight:bold}.u{text-decoration:underline}"
    "g rect{shape-rendering:crispEdges}"
)
"""No font is fetched: words are as wide as their cells in any."""
WORDS = re.compile(r"\S+(?: \S+)*")
DRAWN = re.compile(r"(([─━])\2*|[│╭╮╰╯╸╺▁▂▃▄▅▆▇█▉▊▋▌▍▎▏])")


class Piece(NamedTuple):
    """Some cells of a row that look alike."""

    column: int
    text: str
    colour: str
    ground: str
    form: str
    """``b`` for bold, ``u`` for underlined."""


class Frame(NamedTuple):
    """A screen as it was, and for how long a film shows it."""

    rows: tuple[tuple[Piece, ...], ...]
    seconds: float = 1.0


def frame_of(app: App[int], seconds: float = 1.0) -> Frame:
    """What is on the screen now."""
    width, height = app.size
    visible_screen_stack.set(list(app._background_screens))  # below a dialog
    strips = app.screen._compositor.render_strips()[:height]
    rows = []
    for strip in strips:
        segments = list(strip.crop(0, width))
        starts = accumulate((segment.cell_length for segment in segments), initial=0)
        pieces = (
            Piece(column, segment.text, *_look(segment.style or Style()))
            for column, segment in zip(starts, segments, strict=False)
        )
        rows.append(tuple(pieces))
    return Frame(tuple(rows), seconds)


def _look(style: Style) -> tuple[str, str, str]:
    colour, ground = (
        (named.get_truecolor(SVG_EXPORT_THEME, text) if named else default)
        for named, text, default in (
            (style.color, True, SVG_EXPORT_THEME.foreground_color),
            (style.bgcolor, False, SVG_EXPORT_THEME.background_color),
        )
    )
    if style.reverse:
        colour, ground = ground, colour
    if style.dim:
        colour = type(colour)(*((a + b) // 2 for a, b in zip(colour, ground, strict=True)))
    return colour.hex, ground.hex, "b" * bool(style.bold) + "u" * bool(style.underline)


def picture(title: str, frames: Sequence[Frame], alone: int = 0) -> str:
    """The frames as one picture: a film that begins anew at its end.

    ``alone`` is the frame for readers who asked their system for less motion.
    """
    ground = _commonest_ground(frames[0])
    drawn = {row: "".join(_row(row, ground)) for frame in frames for row in frame.rows}
    names = {row: f"r{n}" for n, (row, shapes) in enumerate(drawn.items()) if shapes}
    last = frames[0].rows[0][-1]
    wide, high = (last.column + len(last.text)) * WIDE, len(frames[0].rows) * HIGH
    size = f"{wide + 2 * EDGE:g}", f"{high + TITLE_BAR + EDGE:g}"
    whole, view = 'width="{}" height="{}"'.format(*size), 'viewBox="0 0 {} {}"'.format(*size)
    lines = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {whole} {view} role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{STYLE}{''.join(_motion(frames, high, alone))}</style>",
        "<defs>",
        *(f'<g id="{name}">{drawn[row]}</g>' for row, name in names.items()),
        "</defs>",
        f'<rect {whole} rx="8" fill="{ground}"/>',
        f'<text x="{EDGE + wide / 2:g}" y="20" text-anchor="middle" fill="#a7b1bd">'
        f"{escape(title)}</text>",
        f'<svg x="{EDGE:g}" y="{TITLE_BAR:g}" width="{wide:g}" height="{high:g}"><g class="film">',
        *(
            f'<use href="#{names[row]}" y="{n * high + line * HIGH:g}"/>'
            for n, frame in enumerate(frames)
            for line, row in enumerate(frame.rows)
            if row in names
        ),
        "</g></svg></svg>\n",
    )
    return "\n".join(lines)


def _commonest_ground(frame: Frame) -> str:
    cells: Counter[str] = Counter()
    for row in frame.rows:
        for piece in row:
            cells[piece.ground] += len(piece.text)
    return cells.most_common(1)[0][0]


def _motion(frames: Sequence[Frame], height: float, alone: int) -> Iterator[str]:
    if len(frames) == 1:
        return
    whole = sum(frame.seconds for frame in frames)
    starts = accumulate((frame.seconds for frame in frames), initial=0.0)
    yield f".film{{animation:film {whole:g}s step-end infinite}}"
    yield "@keyframes film{"
    for n, (start, _) in enumerate(zip(starts, frames, strict=False)):
        yield f"{100 * start / whole:.3f}%{{transform:translateY({-n * height:g}px)}}"
    yield "}"
    yield (
        "@media(prefers-reduced-motion:reduce)"
        f"{{.film{{animation:none;transform:translateY({-alone * height:g}px)}}}}"
    )


def _row(row: tuple[Piece, ...], ground: str) -> Iterator[str]:
    """The shapes and words of a row; nothing for a blank one."""
    for piece in row:
        if piece.ground != ground:
            yield _box(piece.column, 0, len(piece.text), 1, piece.ground)
    for piece in row:
        at = 0
        for match in DRAWN.finditer(piece.text):
            yield from _words(piece, at, match.start())
            yield _shape(piece.column + match.start(), match[0], piece.colour)
            at = match.end()
        yield from _words(piece, at, len(piece.text))


def _words(piece: Piece, begin: int, end: int) -> Iterator[str]:
    """Each run of words is as wide as its cells, whatever font the reader has."""
    for match in WORDS.finditer(piece.text, begin, end):
        form = f' class="{" ".join(piece.form)}"' if piece.form else ""
        yield (
            f'<text x="{(piece.column + match.start()) * WIDE:.5g}" y="{BASE:g}" '
            f'textLength="{len(match[0]) * WIDE:.5g}" fill="{piece.colour}"{form}>'
            f"{escape(match[0])}</text>"
        )


def _shape(column: int, text: str, colour: str) -> str:
    eighths = "▁▂▃▄▅▆▇█".find(text[0]) + 1
    if eighths:
        return _box(column, 1 - eighths / 8, 1, eighths / 8, colour)
    if (left := "▉▊▋▌▍▎▏".find(text)) >= 0:
        return _box(column, 0, (7 - left) / 8, 1, colour)
    arms = ARMS[text[0]]
    x, y, end = column * WIDE, HIGH / 2, (column + len(text)) * WIDE
    edges = {"l": (x, y), "r": (end, y), "u": (x + WIDE / 2, 0), "d": (x + WIDE / 2, HIGH)}
    begin, *rest = [edges[arm] for arm in arms.lower()]
    middle = (x + end) / 2
    bend = f"Q{middle:.5g} {y:g} {_at(rest[0])}" if rest else f"H{middle:.5g}"
    thick = 2.5 if arms.isupper() else 1.2
    return f'<path d="M{_at(begin)}{bend}" fill="none" stroke="{colour}" stroke-width="{thick}"/>'


def _box(column: float, top: float, columns: float, rows: float, colour: str) -> str:
    return (
        f'<rect x="{column * WIDE:.5g}" y="{top * HIGH:.5g}" width="{columns * WIDE:.5g}" '
        f'height="{rows * HIGH:.5g}" fill="{colour}"/>'
    )


def _at(point: tuple[float, float]) -> str:
    return f"{point[0]:.5g} {point[1]:.5g}"
