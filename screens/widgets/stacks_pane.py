"""The lower part of Choose: the stacks, and what is said of the highlighted one."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from screens.choose.aspect_grid import grid_lines
from screens.choose.choosing import Choosing
from screens.choose.road_sections import title_of
from screens.choose.roads_table import RoadsTable, table_lines
from screens.choose.section_lines import section_lines
from screens.choose.stacks_matrix import ASPECT, matrix_lines, stack_at
from screens.clicks import tag_at

NARROWEST = 40
WIDE = 100
"""Columns from which on the stacks stand beside each other."""
HEAD_LINES = 1
WORDS_AT_LEAST = 4
"""Lines that the words keep beside the aspects."""


class StacksPane(Vertical):
    """Table and words for what is chosen so far, in the lines that there are."""

    @dataclass
    class Clicked(Message):
        """A line of the table was clicked, or an aspect; each is ``""`` for none."""

        stack: str
        aspect: str

    def __init__(self, choosing: Choosing) -> None:
        super().__init__(id="stacks")
        self._choosing = choosing

    def compose(self) -> ComposeResult:
        """Table, then words."""
        yield Static(id="table", classes="pad", markup=False)
        yield Static(id="words", classes="pad", markup=False)

    def on_resize(self) -> None:
        """Lays everything out for the new size."""
        self.show(self._choosing)

    def show(self, choosing: Choosing) -> None:
        """Shows a choice."""
        self._choosing = choosing
        cells = max(NARROWEST, self.size.width - 2)
        rows = self._rows(cells)
        table = self.query_one("#table", Static)
        # The whole screen is laid out anew only where rows come or go: it takes a while.
        table.update(Content("\n").join(rows), layout=len(rows) != table.size.height)
        title = title_of(choosing.fit, choosing.rank, choosing.stack.title, cells)
        spare = max(0, self.size.height - len(rows) - 1)
        lines = [Content.styled(title, "bold")]
        if not self._side_by_side:
            lines += grid_lines(choosing, cells, spare - WORDS_AT_LEAST)
        lines += section_lines(choosing.sections, cells, spare + 1 - len(lines))
        self.query_one("#words", Static).update(Content("\n").join(lines), layout=False)

    def _rows(self, cells: int) -> tuple[Content, ...]:
        choosing = self._choosing
        if self._side_by_side:
            return matrix_lines(choosing, cells, self.size.height - 1 - WORDS_AT_LEAST)
        stack = choosing.stack
        return table_lines(
            RoadsTable(
                choosing.recommendation.fits,
                choosing.stacks,
                choosing.asked,
                stack.id,
                choosing.with_system,
            ),
            cells,
        )

    @property
    def _side_by_side(self) -> bool:
        return self.size.width >= WIDE

    def on_click(self, event: events.Click) -> None:
        """Tells which stack was clicked, and which aspect."""
        aspect = str(tag_at(event, ASPECT) or "")
        stack = self._stack_at(event.screen_x, event.screen_y)
        if stack or aspect:
            self.post_message(self.Clicked(stack, aspect))

    def _stack_at(self, x: int, y: int) -> str:
        table = self.query_one("#table").region
        if not table.contains(x, y):
            return ""
        if self._side_by_side:
            return stack_at(self._choosing, max(NARROWEST, self.size.width - 2), x - table.x - 1)
        line, fits = y - table.y - HEAD_LINES, self._choosing.recommendation.fits
        return fits[line].stack if 0 <= line < len(fits) else ""
