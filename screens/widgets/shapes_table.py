"""The table of the Conv2d panel: one line a shape, drawn from the state of the sweep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.events import Click
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from screens.conv2d.state import SweepState
from screens.conv2d.table import Cell, Column, cells_of, columns_for

HEAD_LINES = 1
CURSOR = ">"
"""Before the row of the cursor: colour alone would say nothing."""


class ShapesTable(ScrollView, can_focus=True, inherit_bindings=False):
    """Draws only the lines that changed: DataTable draws all of them for one cell."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "shapes--head",
        "shapes--even",
        "shapes--cursor",
        "shapes--success",
        "shapes--warning",
        "shapes--error",
    }
    DEFAULT_CSS = """
    ShapesTable {
        background: $surface;
        color: $foreground;
        overflow-x: hidden;
        & > .shapes--head { text-style: bold; background: $panel; color: $foreground; }
        & > .shapes--success { color: $text-success; }
        & > .shapes--warning { color: $text-warning; }
        & > .shapes--error { color: $text-error; }
        & > .shapes--even { background: $surface-lighten-1 50%; }
        & > .shapes--cursor {
            background: $block-cursor-blurred-background;
            color: $block-cursor-blurred-foreground;
            text-style: $block-cursor-blurred-text-style;
        }
        &:dark > .shapes--even { background: $surface-darken-1 40%; }
        &:focus {
            & > .shapes--cursor {
                background: $block-cursor-background;
                color: $block-cursor-foreground;
                text-style: $block-cursor-text-style;
            }
        }
    }
    """

    @dataclass
    class Chosen(Message):
        """A row was clicked on."""

        number: int

    def __init__(self, state: SweepState) -> None:
        super().__init__(id="shapes")
        self._state = state
        self._number = 1
        self._columns: tuple[Column, ...] = ()

    def on_mount(self) -> None:
        """Lays the columns out."""
        self._lay_out()

    def on_resize(self) -> None:
        """Lays the columns out for the new width, and keeps the cursor in view."""
        self._lay_out()
        self._show_cursor()

    @property
    def row_count(self) -> int:
        """How many rows there are."""
        return len(self._state.rows)

    def show(self, state: SweepState, number: int) -> None:
        """Shows a state with the cursor on a row."""
        before, self._state = self._state, state
        at, self._number = self._number, number
        if state.rows is not before.rows:
            self._lay_out()
        for line in range(self.size.height):
            each = self._number_at(line)
            if each and _face(before, each, at) != _face(state, each, number):
                self.refresh(Region(0, line, self.size.width, 1))
        if number != at:
            self._show_cursor()

    def moved(self, state: SweepState, number: int, down: int, right: int) -> int:
        """The row that a step leads to."""
        return min(max(number + down, 1), max(1, len(state.rows)))

    @property
    def page(self) -> int:
        """How many rows are in view."""
        return max(1, self.size.height - HEAD_LINES)

    def on_click(self, event: Click) -> None:
        """Chooses the row below the pointer."""
        if number := self._number_at(event.y):
            self.post_message(self.Chosen(number))

    def render_line(self, y: int) -> Strip:
        """The head on top, below it the rows in view."""
        if y < HEAD_LINES:
            heads = [Cell(column.head) for column in self._columns]
            return self._line(heads, self.get_component_rich_style("shapes--head"))
        if not (number := self._number_at(y)):
            return Strip.blank(self.size.width, self.rich_style)
        cells = cells_of(self._state, number, self._columns)
        if number == self._number:
            style = self.get_component_rich_style("shapes--cursor")
            return self._line([Cell(cell.text) for cell in cells], style, CURSOR)
        even = number % 2 == 1
        style = self.get_component_rich_style("shapes--even") if even else self.rich_style
        return self._line(cells, style)

    def _line(self, cells: Sequence[Cell], style: Style, mark: str = " ") -> Strip:
        segments = [
            Segment(f" {set_cell_size(cell.text, column.cells)} ", style + self._ink(cell.style))
            for cell, column in zip(cells, self._columns, strict=True)
        ]
        strip = Strip([Segment(mark, style), *segments])
        return strip.adjust_cell_length(self.size.width, style)

    def _ink(self, style: str) -> Style:
        """A colour of the theme, such as ``$text-error``, as a style of these lines."""
        if not style:
            return Style.null()
        name = style.removeprefix("$text-")
        return Style(color=self.get_component_rich_style(f"shapes--{name}").color)

    def _lay_out(self) -> None:
        self._columns = columns_for(self._state, self.app.size.width)
        width = len(CURSOR) + sum(column.cells + 2 for column in self._columns)
        self.virtual_size = Size(width, self.row_count + HEAD_LINES)
        self.refresh()

    def _number_at(self, line: int) -> int:
        """The row that is drawn on a line; 0 where none is."""
        number = self.scroll_offset.y + line - HEAD_LINES + 1
        return number if line >= HEAD_LINES and number <= self.row_count else 0

    def _show_cursor(self) -> None:
        first, room = self.scroll_offset.y, self.page
        place = self._number - 1
        if not first <= place < first + room:
            self.scroll_to(y=place if place < first else place - room + 1, animate=False)


def _face(state: SweepState, number: int, cursor: int) -> tuple[object, ...]:
    """All that a row is drawn from."""
    phase = state.phase if state.running == number else None
    rows = state.rows
    if number > len(rows):
        return ()
    claim = state.claim_of(number)
    return rows[number - 1], state.results.get(number), phase, number == cursor, claim
