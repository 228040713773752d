"""Lines of plain text to scroll through, over the whole screen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Log

from screens.widgets.cut_marks import SidewaysLog
from screens.windows.dialogs import Page
from wizard.core.lines import clean


class LinesView(Page[bool]):
    """Lines as the command prints them; longer ones scroll sideways.

    Enter goes back like Esc, unless it is said what it does: then it answers True.
    """

    DEFAULT_CSS = "LinesView #lines { height: 1fr; scrollbar-size: 0 1; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "close", "Back", show=False)]
    AUTO_FOCUS = "#lines"

    def __init__(self, title: str, lines: Iterable[str], enter: str = "") -> None:
        super().__init__(title)
        if enter:
            affirm = Binding("enter", "affirm", enter, key_display="Enter")
            self._bindings.key_to_bindings["enter"] = [affirm]
        # A Log drops lines without any character.
        self._lines = [clean(part) or " " for line in lines for part in line.split("\n")]

    def body(self) -> Iterable[Widget]:
        """The lines."""
        yield SidewaysLog(id="lines", auto_scroll=False)

    def action_affirm(self) -> None:
        """Goes back with a yes."""
        self.dismiss(True)

    def on_mount(self) -> None:
        """Shows the lines from the first one on."""
        self.query_one(Log).write_lines(self._lines, scroll_end=False)
