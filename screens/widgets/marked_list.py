"""A list whose highlighted row bears a mark: its colour alone would say nothing to many."""

from __future__ import annotations

from typing import Any, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.strip import Strip
from textual.widgets import OptionList

MARK = "> "


class MarkedList(OptionList):
    """Choices below one another, with ``>`` before the one that Enter takes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", "Down", show=False),
        Binding("k", "cursor_up", "Up", show=False),
    ]

    def __init__(self, *content: Any, enter: str = "", title: str = "", **options: Any) -> None:
        """``enter`` is what Enter does, for the line of keys; a title stands on a frame."""
        options = {"classes": "panel" if title else None, "compact": True, **options}
        super().__init__(*content, markup=False, **options)
        self.border_title = Content(title) if title else None
        if enter:
            select = Binding("enter", "select", enter, key_display="Enter")
            self._bindings.key_to_bindings["enter"] = [select]

    def _get_left_gutter_width(self) -> int:
        return len(MARK)

    def render_line(self, y: int) -> Strip:
        """A line of an option behind its mark, or behind the room for one.

        On the marked row all words have the colour that reads well on its ground.
        """
        strip = super().render_line(y)
        line = self.scroll_offset.y + y
        if line >= len(self._lines):
            return strip
        option, below = self._lines[line]
        mark = MARK if option == self.highlighted and not below else " " * len(MARK)
        style = next((each.style for each in strip if each.style is not None), None)
        if option == self.highlighted:
            row = self.get_component_rich_style("option-list--option-highlighted")
            style = None if style is None else style + Style(color=row.color)
            readable = Segment.apply_style(strip, post_style=Style(color=row.color))
            strip = Strip(readable, strip.cell_length)
        return Strip([Segment(mark, style), *strip])
