"""A list whose highlighted row bears a mark: its colour alone would say nothing to many."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.strip import Strip
from textual.widgets import OptionList

MARK = "> "


class MarkedList(OptionList):
    """Choices below one another, with ``>`` before the one that Enter takes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", "Down", show=False),
        Binding("k", "cursor_up", "Up", show=False),
    ]

    def _get_left_gutter_width(self) -> int:
        return len(MARK)

    def render_line(self, y: int) -> Strip:
        """A line of an option behind its mark, or behind the room for one."""
        strip = super().render_line(y)
        line = self.scroll_offset.y + y
        if line >= len(self._lines):
            return strip
        option, below = self._lines[line]
        mark = MARK if option == self.highlighted and not below else " " * len(MARK)
        first = next(iter(strip), None)
        return Strip([Segment(mark, None if first is None else first.style), *strip])
