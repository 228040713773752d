"""Lists whose highlighted row bears a mark, and marks where a line goes on beyond the edge."""

from __future__ import annotations

from typing import Any, ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Region
from textual.strip import Strip
from textual.widgets import Input, Log, OptionList

CUT_MARK = "…"


def with_marks(strip: Strip, *, before: bool, behind: bool) -> Strip:
    """A line with a mark at its ends, where there is more of it."""
    width = strip.cell_length
    if not width or not (before or behind):
        return strip
    first, rest = (strip.crop(0, 1), strip.crop(1)) if before else (None, strip)
    last = rest.crop(rest.cell_length - 1) if behind else None
    middle = rest.crop(0, rest.cell_length - 1) if behind else rest
    ends = [None if end is None else _mark_like(end) for end in (first, last)]
    return Strip.join([part for part in (ends[0], middle, ends[1]) if part is not None])


def _mark_like(strip: Strip) -> Strip:
    style = next((segment.style for segment in strip), None)
    return Strip([Segment(CUT_MARK, style)], 1)


class SidewaysLog(Log):
    """Lines of which the longer ones are marked where the window ends."""

    def render_line(self, y: int) -> Strip:
        """One line of what is in view."""
        strip = super().render_line(y)
        scroll_x, scroll_y = self.scroll_offset
        if scroll_y + y >= len(self.lines):
            return strip
        end = cell_len(self.lines[scroll_y + y])
        width = self.scrollable_content_region.width  # what is behind it lies below the scroll bar
        view = with_marks(
            strip.crop(0, width), before=0 < scroll_x < end, behind=end > scroll_x + width
        )
        return view.extend_cell_length(strip.cell_length, self.rich_style)


class PathInput(Input):
    """One line to type in, marked where there is more of it than room."""

    def render_line(self, y: int) -> Strip:
        """The part of the text that is in view."""
        strip = super().render_line(y)
        start, width = int(self.scroll_offset.x), self.scrollable_content_region.width
        cursor = self._cursor_cells - start if self.has_focus else -1
        return with_marks(
            strip.crop(0, width),
            before=start > 0 and cursor != 0,
            behind=cell_len(self.value) > start + width and cursor != width - 1,
        )

    def on_resize(self) -> None:
        """Keeps what is typed in view."""
        if self.has_focus:
            self.scroll_to_region(Region(self._cursor_cells, 0, 1, 1), animate=False, force=True)

    @property
    def _cursor_cells(self) -> int:
        return cell_len(self.value[: self.cursor_position])


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
