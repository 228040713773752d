"""Looks at the screen on top of a Textual app, from inside of it."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from rich.text import Text
from textual.app import App
from textual.content import Content
from textual.geometry import Region
from textual.screen import ModalScreen, Screen
from textual.visual import RichVisual
from textual.widget import Widget
from textual.widgets import DataTable, Footer, Input, OptionList
from textual.widgets._footer import FooterKey

from tests.layout.seen import Box, Key, Label, Seen, Shown
from tests.screens.driving import drawn, screen_text

HINT_ACTIONS = ("help", "screen.help")
"""Keys that name all keys."""


Reached = dict[tuple[object, ...], tuple[int, int]]
"""What scrolling through has shown: of a widget, at its size, in a room of that size."""


async def look(app: App[int], known: Reached | None = None) -> Shown:
    """The screen on top; what can be scrolled has been scrolled through, and is as before.

    What is ``known`` from an earlier look is not scrolled through again.
    """
    known = {} if known is None else known
    screen = app.screen
    placed: list[Widget] = [screen, *filter(_is_there, screen.walk_children(Widget))]
    numbers = {widget: number for number, widget in enumerate(placed)}
    widgets = [await _seen(app, widget, numbers, known) for widget in placed]
    return Shown(
        type(screen).__name__,
        _box(screen.region),
        isinstance(screen, ModalScreen),
        tuple(widgets),
        tuple(label for widget in placed for label in _labels(widget)),
        tuple(_keys(screen)),
        _names_the_rest(screen),
        tuple(screen_text(app).splitlines()),
    )


def _is_there(widget: Widget) -> bool:
    shown = all(each.display for each in widget.ancestors_with_self if isinstance(each, Widget))
    return shown and widget.is_attached and widget.visible


async def _seen(app: App[int], widget: Widget, numbers: dict[Widget, int], known: Reached) -> Seen:
    box, clip = _place(widget)
    parent = widget.parent if isinstance(widget.parent, Widget) else None
    return Seen(
        _name(widget),
        -1 if parent is None or widget is app.screen else numbers.get(parent, -1),
        box,
        clip,
        await _unseen(app, widget, known),
        _takes_input(widget),
        _is_layered(widget),
    )


def _takes_input(widget: Widget) -> bool:
    """True for what keys or clicks can mean something to: not for a list of nothing."""
    return widget.focusable and not (isinstance(widget, OptionList) and not widget.option_count)


def _place(widget: Widget) -> tuple[Box, Box]:
    placed = widget.screen._compositor.full_map.get(widget)
    if placed is None:
        return Box(0, 0, 0, 0), Box(0, 0, 0, 0)
    return _box(placed.region), _box(placed.clip)


def _is_layered(widget: Widget) -> bool:
    styles = widget.styles
    return (
        styles.overlay == "screen"
        or styles.position == "absolute"
        or widget.layer not in ("", "default")
    )


async def _unseen(app: App[int], widget: Widget, known: Reached) -> tuple[int, int]:
    """Columns and lines that no scrolling brings into view."""
    box, clip = _place(widget)
    if box.cells == 0 or clip.holds(box) or isinstance(widget, FooterKey):
        return (0, 0)
    scroller = next((each for each in _around(widget) if each.max_scroll_y > 0), None)
    if scroller is None:
        columns, lines = _uncovered(box, clip)
        return len(columns), len(lines)
    here = (widget, widget.outer_size, scroller.size, scroller.virtual_size)
    if here not in known:
        known[here] = await _scrolled_through(app, widget, scroller)
    return known[here]


async def _scrolled_through(app: App[int], widget: Widget, scroller: Widget) -> tuple[int, int]:
    columns, lines = _uncovered(*_place(widget))
    before = scroller.scroll_offset
    page = max(1, scroller.scrollable_content_region.height)
    for number in range(ceil(scroller.max_scroll_y / page) + 1):
        scroller.scroll_to(y=number * page, animate=False, force=True, immediate=True)
        await drawn(app)
        also = _uncovered(*_place(widget))
        columns, lines = columns & also[0], lines & also[1]
    scroller.scroll_to(*before, animate=False, force=True, immediate=True)
    await drawn(app)
    return len(columns), len(lines)


def _uncovered(box: Box, clip: Box) -> tuple[set[int], set[int]]:
    part = box.shared(clip)
    columns = set(range(box.width)) - set(range(part.x - box.x, part.right - box.x))
    lines = set(range(box.height)) - set(range(part.y - box.y, part.bottom - box.y))
    return columns, lines


def _around(widget: Widget) -> Iterator[Widget]:
    for each in widget.ancestors:
        if isinstance(each, Widget) and each.allow_vertical_scroll:
            yield each


def _labels(widget: Widget) -> Iterator[Label]:
    yield from _edges(widget)
    match widget:
        case OptionList():
            yield from _options(widget)
        case DataTable():
            yield from _table_rows(widget)
        case Input():
            cells = widget.content_region.width
            placeholder = str(widget.placeholder)
            yield Label(_name(widget), placeholder, (placeholder,), cells)
            if widget.value and not widget.has_focus:  # else it scrolls as one types
                line = widget.render_line(0).crop(0, cells).text.rstrip()
                yield Label(_name(widget), widget.value, (line,), cells)
        case FooterKey() | Screen():
            pass  # among the keys; without a text, and rendered here it would forget what is below
        case _:
            yield from _own_text(widget)


def _own_text(widget: Widget) -> Iterator[Label]:
    text = _plain(widget)
    if text is None or not widget.size:
        return
    inside = widget.content_region.translate(-widget.region.offset)
    strips = widget.render_lines(Region(0, 0, *widget.outer_size))
    lines = [strip.crop(inside.x, inside.right).text for strip in strips]
    yield Label(_name(widget), text, tuple(lines[inside.y : inside.bottom]), inside.width)


def _plain(widget: Widget) -> str | None:
    """The text that a widget renders, None where it is no text or is drawn line by line."""
    if type(widget).render_line is not Widget.render_line:
        return None
    visual = widget._render()
    if isinstance(visual, Content):
        return visual.plain
    inner = visual._renderable if isinstance(visual, RichVisual) else None
    return inner.plain if isinstance(inner, Text) else None


def _edges(widget: Widget) -> Iterator[Label]:
    """Titles in the frame."""
    box, _ = _place(widget)
    top, bottom = widget._border_title, widget._border_subtitle
    for text, line in ((top, 0), (bottom, box.height - 1)):
        if text is not None and text.plain.strip() and widget.styles.border and box.cells:
            strips = widget.render_lines(Region(0, line, box.width, 1))
            drawn_text = strips[0].text.strip("─━│┌┐└┘╭╮╰╯+-| ")
            yield Label(f"the frame of {_name(widget)}", text.plain, (drawn_text,), box.width)


def _options(choices: OptionList) -> Iterator[Label]:
    cells = choices.scrollable_content_region.width - choices._get_left_gutter_width()
    style = choices.get_visual_style("option-list--option")
    for option in choices.options:
        visual = choices._get_visual(option)
        inner = visual._renderable if isinstance(visual, RichVisual) else visual
        if isinstance(inner, Content | Text):
            strips = choices._get_option_render(option, style)
            lines = tuple(strip.text.rstrip() for strip in strips)
            yield Label(f"a row of {_name(choices)}", inner.plain, lines, cells)


def _table_rows(table: DataTable[object]) -> Iterator[Label]:
    keys = [column.key for column in table.ordered_columns]
    style = table.rich_style
    for number, row in enumerate(table.ordered_rows):
        for place, key in enumerate(keys):
            cell = table.get_cell(row.key, key)
            column = table.ordered_columns[place]
            cells = column.get_render_width(table) - 2 * table.cell_padding
            text = cell.plain if isinstance(cell, Text) else str(cell)
            segments = table._render_cell(number, place, style, column.get_render_width(table))
            lines = tuple("".join(part.text for part in line).strip() for line in segments)
            yield Label(f"line {number} of {_name(table)}", text, lines, cells)


def _keys(screen: Screen[object]) -> Iterator[Key]:
    """The keys that a screen with a footer offers now."""
    if not screen.query(Footer):
        return
    there = {key.description: _place(key)[0] for key in screen.query(FooterKey)}
    for _, binding, _, _ in screen.active_bindings.values():
        if binding.show and not binding.system:
            yield Key(binding.description, there.get(binding.description))
    for key in screen.query(FooterKey):
        drawn_text = f"{key.key_display} {key.description}"
        yield Key(drawn_text, _place(key)[0])


def _names_the_rest(screen: Screen[object]) -> bool:
    """True where the key of the help is on the screen, which names every key."""
    for key in screen.query(FooterKey):
        if key.action in HINT_ACTIONS:
            return _box(screen.region).holds(_place(key)[0])
    return False


def _name(widget: Widget) -> str:
    name = type(widget).__name__
    return f"{name}#{widget.id}" if widget.id else name


def _box(region: Region) -> Box:
    return Box(*region)
