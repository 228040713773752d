"""A table of stacks or of their aspects, whose verdicts have the colours of the theme."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.theme import Theme
from textual.widgets import DataTable
from textual.widgets.data_table import CursorType

CURSOR = "> "
"""Before what is selected: colour alone would say nothing to many."""
NO_CURSOR = "  "
COLOURS = {
    "works": "text-success",
    "likely": "text-success",
    "possible": "text-primary",
    "not tried": "text-muted",
    "disputed": "text-warning",
    "unlikely": "text-error",
    "no": "text-error",
    "unknown": "text-muted",
    "none": "text-muted",
}
"""The theme's variable for each word of a verdict."""


class VerdictTable(DataTable[Text]):
    """Cells are words; those of a verdict are coloured, also after a change of theme."""

    DEFAULT_CSS = """
    VerdictTable {
        height: auto;
        margin: 0 2;
        background: $background;
        scrollbar-size: 1 1;
        & > .datatable--header { background: $background; color: $text-muted; }
        & > .datatable--fixed, & > .datatable--odd-row { background: $background; }
        & > .datatable--even-row { background: $background; }
        & > .datatable--header-hover { background: $background; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", "Down", show=False),
        Binding("k", "cursor_up", "Up", show=False),
    ]

    def __init__(self, name: str, cursor: CursorType) -> None:
        super().__init__(id=name, cursor_type=cursor)
        self._marked: tuple[str, str] | None = None

    def on_mount(self) -> None:
        """Follows the theme."""
        self.app.theme_changed_signal.subscribe(self, self._recolour)

    def on_resize(self) -> None:
        """Keeps the cursor in sight: what a box beside it says may leave fewer rows."""
        self.move_cursor()

    def _recolour(self, _: Theme) -> None:
        for row in self.rows:
            for column in self.columns:
                cell = self.get_cell(row, column)
                self.update_cell(row, column, self.word(cell.plain))

    def word(self, text: str) -> Text:
        """A cell with the colour that its verdict has."""
        variable = COLOURS.get(text.removeprefix(CURSOR).strip(), "")
        colour = self.app.theme_variables.get(variable, "")
        return Text(text, colour if colour.startswith("#") else "")

    def mark(self, row: str, column: str) -> None:
        """Moves the mark to a cell."""
        if self._marked == (row, column):
            return
        if self._marked is not None and self._marked[0] in self.rows:
            text = self.get_cell(*self._marked).plain
            self.update_cell(*self._marked, self.word(NO_CURSOR + text.removeprefix(CURSOR)))
        text = self.get_cell(row, column).plain
        self.update_cell(row, column, self.word(CURSOR + text.removeprefix(NO_CURSOR)))
        self._marked = (row, column)
