"""The lower part of Choose: a line a stack, and what is said of the highlighted one."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from screens.choosing import Choosing
from screens.road_sections import title_of
from screens.roads_table import RoadsTable, table_lines
from screens.section_lines import section_lines

NARROWEST = 40
HEAD_LINES = 1


class StacksPane(Vertical):
    """Table and words for what is chosen so far, in the lines that there are."""

    @dataclass
    class Clicked(Message):
        """A line of the table was clicked."""

        stack: str

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
        stack = choosing.stack
        table = RoadsTable(
            choosing.advice.roads, choosing.stacks, choosing.asked, stack.id, choosing.with_system
        )
        rows = table_lines(table, cells)
        self.query_one("#table", Static).update(Content("\n").join(rows))
        title = title_of(choosing.road, stack.title, cells)
        spare = self.size.height - len(rows) - HEAD_LINES
        words = section_lines(choosing.sections, cells, spare)
        lines = [Content.styled(title, "bold"), *words]
        self.query_one("#words", Static).update(Content("\n").join(lines))

    def on_click(self, event: events.Click) -> None:
        """Tells which stack was clicked."""
        if event.widget is not None and event.widget.id == "table":
            line = event.screen_y - event.widget.region.y - HEAD_LINES
            if 0 <= line < len(self._choosing.advice.roads):
                self.post_message(self.Clicked(self._choosing.advice.roads[line].fit.stack))
