"""The log of a run: it follows its end until one scrolls up, and can be searched and copied."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Offset
from textual.message import Message
from textual.selection import Selection
from textual.widgets import Input

from screens.widgets.cut_marks import SidewaysLog
from wizard.run.lines import clean

MOST_LINES = 10_000
"""A step that prints without end fills no memory; the file named above the log has every line."""
REST_S = 0.05
"""Nobody reads faster, and to draw sixty times a second takes half of a busy program's time."""
COPY_BYTES = 74_994
"""What every terminal that takes copies at all takes at once: 100,000 letters of base64."""


class RunLog(SidewaysLog):
    """The newest lines; the match of a search is what is selected."""

    @dataclass
    class Searched(Message):
        """The matches are other ones now."""

    def __init__(self, most_lines: int = MOST_LINES) -> None:
        super().__init__(id="log", max_lines=most_lines, auto_scroll=False)
        self._most_lines = most_lines
        self.forgotten = 0
        """How many of the oldest lines are no longer kept."""
        self.match: int | None = None
        """The number, from the first line of all, of the line that a search has come to."""
        self._matches: list[int] = []
        self._pattern: re.Pattern[str] | None = None
        self._coming: list[str] = []
        self._resting = False
        self._following = True

    def add(self, lines: Sequence[str]) -> None:
        """Adds lines: at once, or with what else comes while the last ones are looked at."""
        plain = "".join(lines).isprintable()  # nearly always: to look at each line takes longer
        self._coming += lines if plain else map(clean, lines)
        if not self._resting:
            self._show_what_came()

    def _show_what_came(self) -> None:
        self._resting = bool(self._coming)
        if self._resting:
            self.take_in()
            self.set_timer(REST_S, self._show_what_came)

    def take_in(self) -> None:
        """Shows all that was added."""
        lines, self._coming = self._coming, []
        if not lines:
            return
        first, top = self.forgotten + len(self.lines), self.scroll_offset.y
        newest = lines[-self._most_lines :]
        self.write_lines(line or " " for line in newest)  # Log drops a line without a letter
        gone = first + len(lines) - len(self.lines) - self.forgotten
        self.forgotten += gone
        if self._following:
            self.scroll_end(animate=False, immediate=True, x_axis=False)
        elif gone:  # what is read stays where it is
            self.scroll_to(y=max(0, top - gone), animate=False)
        if gone and self.text_selection is not None:
            self.screen.clear_selection()  # its lines have moved on
        if self._pattern is not None:
            self._look_at_new(first)

    def _update_size(self, updates: int, lines: list[str]) -> None:  # type: ignore[override]
        # Log's own counts the cells of each batch in a thread: too late for what scrolls sideways,
        # and slow where a program prints fast. Of plain letters each takes one cell.
        if lines:
            cells = len if "".join(lines).isascii() else cell_len
            self._update_maximum_width(updates, max(map(cells, lines)))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Whoever scrolls up wants to read there; whoever comes back to the end, to follow it."""
        super().watch_scroll_y(old_value, new_value)
        self._following = self.is_vertical_scroll_end and self.match is None

    def on_resize(self) -> None:
        """Keeps the end in view where it was."""
        if self._following:
            self.scroll_end(animate=False, immediate=True, x_axis=False)

    def look_for(self, text: str) -> None:
        """Goes to the last match that is in view or above it; ``""`` ends the search."""
        below = self.scroll_offset.y + self.scrollable_content_region.height
        near = self.forgotten + below - 1 if self.match is None else self.match
        self._pattern = re.compile(re.escape(text), re.IGNORECASE) if text else None
        self._matches = list(self._found(self.forgotten))
        before = max(0, bisect_right(self._matches, near) - 1)
        self._go_to(self._matches[before] if self._matches else None)

    def move(self, by: int) -> None:
        """Goes to another match; at the oldest and the newest one it stays."""
        if self._matches:
            here = len(self._matches) if self.match is None else self._place + by
            self._go_to(self._matches[min(max(here, 0), len(self._matches) - 1)])

    @property
    def count(self) -> str:
        """How many lines match, and which of them this is; ``""`` without a search."""
        if self._pattern is None:
            return ""
        if not self._matches:
            return "no match"
        count = f"{len(self._matches):,} match{'' if len(self._matches) == 1 else 'es'}"
        return count if self.match is None else f"{self._place + 1:,} of {count}"

    @property
    def _place(self) -> int:
        return bisect_left(self._matches, self.match or 0)

    def line(self, number: int) -> str:
        """The line of this number."""
        return self.lines[number - self.forgotten]

    def newest(self, most_bytes: int) -> list[str]:
        """As many of the last lines as fit into so many bytes of UTF-8, line ends included."""
        at = len(self.lines)
        while at > 0:
            most_bytes -= len(self.lines[at - 1].encode("utf-8", "replace")) + 1
            if most_bytes < 0:
                break
            at -= 1
        return list(self.lines[at:])

    def _found(self, first: int) -> Iterable[int]:
        if self._pattern is not None:
            for number in range(max(first, self.forgotten), self.forgotten + len(self.lines)):
                if self._pattern.search(self.line(number)):
                    yield number

    def _look_at_new(self, first: int) -> None:
        self._matches += self._found(first)
        del self._matches[: bisect_left(self._matches, self.forgotten)]
        if self.match is not None and self.match < self.forgotten:
            self.match = self._matches[0] if self._matches else None
        self._select_match()
        self.post_message(self.Searched())

    def _go_to(self, number: int | None) -> None:
        self.match = number
        span = self._select_match()
        if number is None:
            self.scroll_to(x=0, animate=False)
        else:
            row, size = number - self.forgotten, self.scrollable_content_region.size
            line = self.line(number)
            left, right = (cell_len(line[:at]) for at in span)
            seen = range(self.scroll_offset.y, self.scroll_offset.y + size.height)
            self.scroll_to(
                x=0 if right < size.width else left - 1,  # a cell for the mark of what is cut
                y=None if row in seen else row - size.height // 2,
                animate=False,
            )
        self._following = number is None and self.is_vertical_scroll_end
        self.post_message(self.Searched())

    def _select_match(self) -> tuple[int, int]:
        """Selects the match, and gives where in its line it stands."""
        if self.match is None or self._pattern is None:
            self.screen.clear_selection()
            return (0, 0)
        found = self._pattern.search(self.line(self.match))
        start, end = found.span() if found else (0, 0)
        row = self.match - self.forgotten
        self.screen.selections = {self: Selection(Offset(start, row), Offset(end, row))}
        return start, end


class SearchField(Input):
    """Takes what to look for; up and down go from match to match."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Older match", key_display="↑"),
        Binding("down", "move(1)", "Newer match", key_display="↓"),
    ]

    @dataclass
    class Moved(Message):
        """Another match is wanted: the next older one (-1) or newer one (1)."""

        by: int

    def action_move(self, by: int) -> None:
        """Asks for another match."""
        self.post_message(self.Moved(by))


class LogPane(Vertical):
    """The log in a frame, with a field below it while one searches."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "end_search", "End search", key_display="Esc"),
    ]

    def __init__(self) -> None:
        super().__init__(id="log-pane", classes="panel")
        self.log_lines = RunLog()
        self._field = SearchField(placeholder="Search the log", compact=True)
        self._field.display = False

    def compose(self) -> ComposeResult:
        """Log, search field."""
        yield self.log_lines
        yield self._field

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Esc ends a search, and means nothing here without one."""
        if action == "end_search":
            return self.searching or self.log_lines.count != ""
        return True

    @property
    def searching(self) -> bool:
        """True while keys go to the search field."""
        return bool(self._field.display)

    def open_search(self) -> None:
        """Lets one type what to look for; the text of the last time is there already."""
        self._field.display = True
        self.screen.set_focus(self._field)  # at once: the next key is for it
        self.log_lines.look_for(self._field.value)

    def on_search_field_moved(self, event: SearchField.Moved) -> None:
        """Goes to another match."""
        self.log_lines.move(event.by)

    def action_end_search(self) -> None:
        """Selects nothing any more."""
        self._close()
        self.log_lines.look_for("")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Looks for what stands in the field now."""
        event.stop()
        if self.searching:
            self.log_lines.look_for(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Stays at the match."""
        event.stop()
        self._close()

    def on_run_log_searched(self) -> None:
        """Tells the count anew."""
        self.border_subtitle = Content(self.log_lines.count)
        self.refresh_bindings()

    def copy(self) -> tuple[str, str] | None:
        """A text for the clipboard, and what it is: the line of the match, what is selected, or
        the newest lines; None for an empty log."""
        self.log_lines.take_in()
        log, number = self.log_lines, self.log_lines.match
        if number is not None:
            return log.line(number), f"line {number + 1:,}"
        if log.text_selection is not None and (text := self.screen.get_selected_text()):
            return text, "the selected text"
        newest = log.newest(COPY_BYTES)
        if not newest:
            return None
        whole = len(newest) == log.forgotten + len(log.lines)
        what = f"all {len(newest):,} lines" if whole else f"the newest {len(newest):,} lines"
        return "\n".join(newest), what

    def _close(self) -> None:
        self._field.display = False
        self.screen.set_focus(self.log_lines)
        self.refresh_bindings()
