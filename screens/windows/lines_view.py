"""A report over the whole screen: lines of plain text to scroll through."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import Footer, Log, Static

from screens.widgets.cut_marks import SidewaysLog
from wizard.run.lines import clean

KEYS = "↑ ↓ ← → PgUp PgDn scroll"


class LinesView(ModalScreen[None]):
    """Lines as the command prints them: 79 columns of them fit, longer ones scroll sideways."""

    DEFAULT_CSS = """
    LinesView {
        layout: vertical;
        background: $background;
        & > #lines-title { height: 1; padding: 0 1; text-style: bold; background: $surface; }
        & > #lines { height: 1fr; scrollbar-size: 0 1; }
        & > Footer { dock: none; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "close", "Close", key_display="Esc"),
    ]
    AUTO_FOCUS = "#lines"

    def __init__(self, title: str, lines: Iterable[str]) -> None:
        super().__init__()
        self._title = f"{clean(title)}   {KEYS}"
        # A Log drops lines without any character.
        self._lines = [clean(part) or " " for line in lines for part in line.split("\n")]

    def compose(self) -> ComposeResult:
        """Title, lines, keys."""
        yield Static(self._title, id="lines-title", markup=False)
        yield SidewaysLog(id="lines", auto_scroll=False)
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        """Shows the lines from the first one on."""
        self.query_one(Log).write_lines(self._lines, scroll_end=False)

    def action_close(self) -> None:
        """Goes back."""
        self.dismiss(None)
