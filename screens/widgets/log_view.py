"""The log of a run: follows its end until one scrolls up, holds its place then, shows hits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from screens.run.kept_lines import KeptLines, pattern_of
from screens.run.log_search import LogSearch
from screens.widgets.cut_marks import with_marks

REST_S = 0.05
"""Nobody reads faster, and to draw sixty times a second takes half of a busy program's time."""


class LogView(ScrollView, can_focus=True):
    """Plain lines, the newest that fit into bounded memory.

    Textual's own Log counts the cells of each batch in a thread of its own, moves the text away
    below a reader once it forgets lines, and shows no hits.
    """

    ALLOW_SELECT = True
    COMPONENT_CLASSES: ClassVar[set[str]] = {"log-view--hit", "log-view--current"}
    DEFAULT_CSS = """
    LogView {
        background: $surface;
        color: $foreground;
        overflow: scroll;
        & > .log-view--hit { text-style: bold underline; }
        & > .log-view--current { text-style: reverse; }
    }
    """

    @dataclass
    class Searched(Message):
        """New lines were looked through for the text that is looked for."""

    def __init__(self, lines: KeptLines, search: LogSearch) -> None:
        super().__init__(id="log")
        self._lines = lines
        self._search = search
        self._widest = 0
        self._coming: list[str] = []
        self._resting = False
        self._following = True
        self._base = Style.null()

    @property
    def allow_select(self) -> bool:
        """True: the text is for taking away."""
        return True

    def write(self, lines: Sequence[str]) -> None:
        """Adds clean lines: at once, or with what else comes while the last ones are looked at."""
        self._coming += lines
        if not self._resting:
            self._show_what_came()

    def take_in(self) -> None:
        """Adds all that was written."""
        lines, self._coming = self._coming, []
        if not lines:
            return
        forgotten = self._lines.add(lines)
        self._widest = max(self._widest, _widest(lines))
        self.virtual_size = Size(self._widest, len(self._lines))
        if self._following:
            self._go_to_end()
        elif forgotten:
            self.scroll_to(y=max(0, self.scroll_offset.y - forgotten), animate=False)
        if forgotten and self.text_selection is not None:
            self.screen.clear_selection()  # its lines have moved on
        if self._search.text:
            self._search.go_on()
            self.post_message(self.Searched())
        self.refresh()

    def _show_what_came(self) -> None:
        self._resting = bool(self._coming)
        if self._resting:
            self.take_in()
            self.set_timer(REST_S, self._show_what_came)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Whoever scrolls up wants to read there; whoever comes back to the end, to follow it."""
        super().watch_scroll_y(old_value, new_value)
        self._following = self.is_vertical_scroll_end and self._search.current is None

    def on_resize(self) -> None:
        """Keeps the end in view where it was."""
        if self._following:
            self._go_to_end()

    def _go_to_end(self) -> None:
        self.scroll_end(animate=False, immediate=True, x_axis=False)

    @property
    def lowest(self) -> int:
        """The number of the lowest line in view."""
        below = self._lines.first + self.scroll_offset.y + self.scrollable_content_region.height
        return min(below, self._lines.end) - 1

    def show_current(self) -> None:
        """Brings the line that the search looks at into view, and the text in it."""
        number = self._search.current
        if number is not None:
            row, size = number - self._lines.first, self.scrollable_content_region.size
            found = pattern_of(self._search.text).search(self._lines[number])
            start, end = found.span() if found else (0, 0)
            left, right = (cell_len(self._lines[number][:place]) for place in (start, end))
            seen = range(self.scroll_offset.y, self.scroll_offset.y + size.height)
            self.scroll_to(
                x=0 if right < size.width else left - 1,  # a cell for the mark of what is cut
                y=None if row in seen else row - size.height // 2,
                animate=False,
            )
        self._following = number is None and self.is_vertical_scroll_end
        self.refresh()

    def get_selection(self, selection: Selection) -> tuple[str, str]:
        """The text that was selected with the mouse."""
        kept = self._lines.between(self._lines.first, self._lines.end)
        return selection.extract("\n".join(kept)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Draws the selection."""
        self.refresh()

    def render_lines(self, crop: Region) -> list[Strip]:
        """The rows in view; their one style is asked for once: that takes longer than a row."""
        self._base = self.rich_style
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """One row of what is in view."""
        scroll_x, scroll_y = self.scroll_offset
        row, style = scroll_y + y, self._base
        width = self.scrollable_content_region.width
        if row >= len(self._lines):
            return Strip.blank(width, style)
        number = self._lines.first + row
        line = self._lines[number]
        if self._search.text or self.text_selection is not None:
            segments = list(self._styled(number, row).render(self.app.console))
            strip = Strip(segments, cell_len(line)).apply_style(style)
        else:
            strip = Strip([Segment(line, style)], cell_len(line))
        end = cell_len(line)
        view = strip.crop_extend(scroll_x, scroll_x + width, style).apply_offsets(scroll_x, row)
        return with_marks(view, before=0 < scroll_x < end, behind=end > scroll_x + width)

    def _styled(self, number: int, row: int) -> Text:
        text = Text(self._lines[number], no_wrap=True, end="")
        if self._search.text and self._search.is_hit(number):
            if number == self._search.current:
                text.stylize(self.get_component_rich_style("log-view--current", partial=True))
            hit = self.get_component_rich_style("log-view--hit", partial=True)
            for found in pattern_of(self._search.text).finditer(text.plain):
                text.stylize(hit, *found.span())
        selection = self.text_selection
        if selection is not None and (span := selection.get_span(row)) is not None:
            end = len(text) if span[1] == -1 else span[1]
            text.stylize(self.screen.get_component_rich_style("screen--selection"), span[0], end)
        return text


def _widest(lines: Sequence[str]) -> int:
    """Cells of the widest line: of plain letters each takes one, and counting them is slow."""
    return max(map(len if "".join(lines).isascii() else cell_len, lines))
