"""Views of a sweep that are text: the grid and the plot of times, with a cursor on one row."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widget import Widget

from screens.clicks import tag_at
from screens.conv2d import grid, times
from screens.conv2d.state import SweepState


class SweepText(Widget, can_focus=True):
    """A state drawn as lines, anew for each change."""

    page = 1
    """How many steps a page is."""

    def __init__(self, name: str, state: SweepState) -> None:
        super().__init__(id=name)
        self._state = state
        self._number = 1

    def show(self, state: SweepState, number: int) -> None:
        """Shows a state with the cursor on a row."""
        self._state, self._number = state, number
        self.refresh(layout=False)

    @dataclass
    class Chosen(Message):
        """A row was clicked on."""

        number: int

    def on_click(self, event: Click) -> None:
        """Chooses the row below the pointer."""
        number = tag_at(event, grid.ROW)
        if isinstance(number, int):
            self.post_message(self.Chosen(number))

    def render(self) -> Content:
        """The lines in the room that there is."""
        if not self._state.rows:
            return Content("")
        size = self.content_size
        return Content("\n").join(self.lines(self._state, self._number, size.width, size.height))

    @staticmethod
    @abstractmethod
    def lines(state: SweepState, number: int, width: int, height: int) -> list[Content]:
        """What is drawn."""

    @staticmethod
    @abstractmethod
    def moved(state: SweepState, number: int, down: int, right: int) -> int:
        """Where a step leads."""


class SweepGrid(SweepText):
    """Sizes down, channels across."""

    lines = staticmethod(grid.grid_lines)
    moved = staticmethod(grid.moved)


class SweepTimes(SweepText):
    """Times over the size."""

    lines = staticmethod(times.times_lines)
    moved = staticmethod(times.moved)
