"""The log of a run with its search: written to, looked through and copied from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input

from screens.run.kept_lines import KeptLines
from screens.run.log_search import LogSearch
from screens.widgets.log_view import LogView
from screens.widgets.search_line import SearchField, SearchLine
from wizard.run.lines import clean

COPY_BYTES = 74_994
"""What every terminal that takes copies at all takes at once: 100,000 letters of base64."""


FOCUS = "> "


@dataclass(frozen=True, slots=True)
class Copy:
    """A text for the clipboard, and what it is."""

    text: str
    what: str


class LogPane(Vertical):
    """Log above, search line below it while it is open."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "forget", "End search", key_display="Esc"),
    ]

    def __init__(self) -> None:
        super().__init__(id="log-pane")
        self._lines = KeptLines()
        self._search = LogSearch(self._lines)
        self._view = LogView(self._lines, self._search)
        self._field = SearchLine()
        self._file = ""

    def compose(self) -> ComposeResult:
        """Log, search line."""
        yield self._view
        yield self._field

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Esc ends a search, and means nothing here without one."""
        if action == "forget":
            return bool(self._search.text)
        return True

    def name_file(self, path: str) -> None:
        """Shows where the whole log is saved."""
        self._file = path
        self._tell_focus(self._view.has_focus)

    def on_descendant_focus(self) -> None:
        """Says that the keys go to the log: the colour of its edge alone would not."""
        self._tell_focus(True)

    def on_descendant_blur(self) -> None:
        """Says it no more."""
        self._tell_focus(False)

    def _tell_focus(self, focused: bool) -> None:
        self.border_title = Content(f"{FOCUS if focused else ''}{clean(self._file)}")

    def write(self, lines: Sequence[str]) -> None:
        """Adds lines."""
        plain = "".join(lines).isprintable()  # nearly always: to look at each line takes longer
        self._view.write(lines if plain else [clean(line) for line in lines])

    @property
    def searching(self) -> bool:
        """True while keys go to the search line."""
        return self._field.display

    def open_search(self) -> None:
        """Lets one type what to look for; the text of the last time is there already."""
        self._look_for(self._field.open())

    def copy(self) -> Copy | None:
        """The selection, else the marked line, else the newest lines; None for an empty log."""
        self._view.take_in()
        selected = self._selected()
        if selected:
            return Copy(selected, "what is selected")
        if self._search.current is not None:
            number = self._search.current
            return Copy(self._lines[number], f"line {number + 1:,}")
        newest = self._lines.newest(COPY_BYTES)
        if not newest:
            return None
        whole = len(newest) == self._lines.end
        what = f"all {len(newest):,} lines" if whole else f"the newest {len(newest):,} lines"
        return Copy("\n".join(newest), what)

    def on_log_view_searched(self) -> None:
        """Tells the count anew."""
        self._field.tell(str(self._search))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Looks for what stands in the field now."""
        event.stop()
        if self.searching:
            self._look_for(event.value)

    def on_search_field_moved(self, event: SearchField.Moved) -> None:
        """Goes to another hit."""
        self._search.move(event.by)
        self._show_search()

    def on_search_field_left(self, event: SearchField.Left) -> None:
        """Gives the keys to the log."""
        self._field.close()
        self.screen.set_focus(self._view)
        if not event.kept:
            self.action_forget()

    def action_forget(self) -> None:
        """Marks nothing any more."""
        self._look_for("")

    def _look_for(self, text: str) -> None:
        """Looks for a text, from what is in view upwards."""
        near = self._view.lowest if self._search.current is None else self._search.current
        self._search.begin(text, near)
        self._show_search()

    def _selected(self) -> str:
        selection = self._view.text_selection
        return "" if selection is None else self._view.get_selection(selection)[0]

    def _show_search(self) -> None:
        self._field.tell(str(self._search))
        self._view.show_current()
        self.refresh_bindings()
