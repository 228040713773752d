"""The log of a run: it follows its end until one scrolls up, and can be searched and copied."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
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

from screens.widgets.lists import SidewaysLog
from wizard.core.lines import clean

MOST_LINES = 10_000
"""A step that prints without end fills no memory; the file named above the log has every line."""
REST_S = 0.05
"""Nobody reads faster, and to draw sixty times a second takes half of a busy program's time."""
COPY_BYTES = 74_994
"""What every terminal that takes copies at all takes at once: 100,000 letters of base64."""


class RunLog(SidewaysLog):
    """The newest lines; the match of a search is what is selected."""

    class Searched(Message):
        """The matches are other ones now."""

    def __init__(self, most_lines: int = MOST_LINES) -> None:
        super().__init__(id="log", max_lines=most_lines, auto_scroll=False)
        self._most_lines = most_lines
        self.forgotten = 0
        """How many of the oldest lines are no longer kept."""
        self.match: int | None = None
        """The number, from the first line of all, of the line that a search has come to."""
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
        end, top = self.forgotten + len(self.lines) + len(lines), self.scroll_offset.y
        newest = lines[-self._most_lines :]
        self.write_lines(line or " " for line in newest)  # Log drops a line without a letter
        gone = end - len(self.lines) - self.forgotten
        self.forgotten += gone
        if self._following:
            self.scroll_end(animate=False, immediate=True, x_axis=False)
        elif gone:  # what is read stays where it is
            self.scroll_to(y=max(0, top - gone), animate=False)
        if gone and self.text_selection is not None:
            self.screen.clear_selection()  # its lines have moved on
        if self._pattern is not None:
            if self.match is not None and self.match < self.forgotten:
                self.match = next(iter(self._matches()), None)
            self._select_match()

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
        matches = self._matches()
        self._go_to(matches[max(0, bisect_right(matches, near) - 1)] if matches else None)

    def move(self, by: int) -> None:
        """Goes to another match; at the oldest and the newest one it stays."""
        if matches := self._matches():
            here = len(matches) if self.match is None else bisect_left(matches, self.match) + by
            self._go_to(matches[min(max(here, 0), len(matches) - 1)])

    @property
    def searching(self) -> bool:
        """True while something is looked for."""
        return self._pattern is not None

    @property
    def count(self) -> str:
        """How many lines match, and which of them this is; ``""`` without a search."""
        matches = self._matches()
        if not matches:
            return "no match" if self.searching else ""
        count = f"{len(matches):,} match{'' if len(matches) == 1 else 'es'}"
        at = "" if self.match is None else f"{bisect_left(matches, self.match) + 1:,} of "
        return f"{at}{count}"

    def line(self, number: int) -> str:
        """The line of this number."""
        return self.lines[number - self.forgotten]

    def _matches(self) -> list[int]:
        if self._pattern is None:
            return []
        found = self._pattern.search
        return [n for n, line in enumerate(self.lines, self.forgotten) if found(line)]

    def _go_to(self, number: int | None) -> None:
        self.match = number
        start, end = self._select_match()
        if number is None:
            self.scroll_to(x=0, animate=False)
        else:
            row, size = number - self.forgotten, self.scrollable_content_region.size
            left, right = (cell_len(self.line(number)[:at]) for at in (start, end))
            seen = range(self.scroll_offset.y, self.scroll_offset.y + size.height)
            self.scroll_to(
                x=0 if right < size.width else left - 1,  # a cell for the mark of what is cut
                y=None if row in seen else row - size.height // 2,
                animate=False,
            )
        self._following = number is None and self.is_vertical_scroll_end

    def _select_match(self) -> tuple[int, int]:
        """Selects the match, and gives where in its line it stands."""
        self.post_message(self.Searched())
        if self.match is None or self._pattern is None:
            self.screen.clear_selection()
            return (0, 0)
        found = self._pattern.search(self.line(self.match))
        start, end = found.span() if found else (0, 0)
        row = self.match - self.forgotten
        self.screen.selections = {self: Selection(Offset(start, row), Offset(end, row))}
        return start, end


class LogPane(Vertical):
    """The log in a frame, with a field below it while one searches."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Older match", key_display="↑", priority=True),
        Binding("down", "move(1)", "Newer match", key_display="↓", priority=True),
        Binding("escape", "end_search", "End search", key_display="Esc"),
    ]

    def __init__(self) -> None:
        super().__init__(id="log-pane", classes="panel")
        self.log_lines = RunLog()
        self._field = Input(placeholder="Search the log", compact=True)
        self._field.display = False

    def compose(self) -> ComposeResult:
        """Log, search field."""
        yield self.log_lines
        yield self._field

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The keys of a search mean nothing without one."""
        if action == "move":
            return self.typing
        return action != "end_search" or self.typing or self.log_lines.searching

    @property
    def typing(self) -> bool:
        """True while keys go to the search field."""
        return bool(self._field.display)

    def open_search(self) -> None:
        """Lets one type what to look for; the text of the last time is there already."""
        self._field.display = True
        self.screen.set_focus(self._field)  # at once: the next key is for it
        self.log_lines.look_for(self._field.value)

    def action_move(self, by: int) -> None:
        """Goes to an older (-1) or a newer match (1)."""
        self.log_lines.move(by)

    def action_end_search(self) -> None:
        """Selects nothing any more."""
        self.on_input_submitted()
        self.log_lines.look_for("")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Looks for what stands in the field now."""
        if self.typing:
            self.log_lines.look_for(event.value)

    def on_input_submitted(self) -> None:
        """Stays at the match."""
        self._field.display = False
        self.screen.set_focus(self.log_lines)
        self.refresh_bindings()

    def on_run_log_searched(self) -> None:
        """Tells the count anew."""
        self.border_subtitle = Content(self.log_lines.count)
        self.refresh_bindings()

    def copy(self) -> tuple[str, str]:
        """A text for the clipboard, ``""`` for an empty log, and what it is: the line of the match,
        what is selected, or the newest lines."""
        log = self.log_lines
        log.take_in()
        if log.match is not None:
            return log.line(log.match), f"line {log.match + 1:,}"
        if log.text_selection is not None and (text := self.screen.get_selected_text()):
            return text, "the selected text"
        every = "\n".join(log.lines).encode("utf-8", "replace")
        text = every[-COPY_BYTES:].decode("utf-8", "ignore")
        if len(every) > COPY_BYTES:
            text = text.partition("\n")[2]  # the first line is not whole
        count = text.count("\n") + 1
        whole = not log.forgotten and count == len(log.lines)
        return text, f"{'all' if whole else 'the newest'} {count:,} lines"
