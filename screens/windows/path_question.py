"""Where a file is to go, or lies: a text above one field."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widget import Widget
from textual.widgets import Input, Static

from screens.widgets.cut_marks import PathInput
from screens.windows.dialogs import Page
from wizard.core.lines import clean


class PathQuestion(Page[str]):
    """Asks for a path; dismissed with it, or with ``""``."""

    DEFAULT_CSS = """
    PathQuestion {
        & VerticalScroll { height: 1fr; scrollbar-size-vertical: 1; }
        & #path-label { height: auto; text-style: bold; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "take", "Accept", key_display="Enter", priority=True),
        Binding("up", "scroll(-1)", "Scroll the text up", priority=True, show=False),
        Binding("down", "scroll(1)", "Scroll the text", priority=True, show=False),
    ]
    AUTO_FOCUS = "#path"

    def __init__(self, title: str, lines: Iterable[str], label: str, path: str) -> None:
        super().__init__(title)
        self._label, self._path = label, path
        self._text = "\n".join(clean(part) for line in lines for part in line.split("\n"))

    def body(self) -> Iterable[Widget]:
        """Text, label, field."""
        yield VerticalScroll(Static(self._text, id="path-text", markup=False), can_focus=False)
        yield Static(self._label, id="path-label", markup=False)
        yield PathInput(self._path, id="path", compact=True, select_on_focus=False)

    def action_take(self) -> None:
        """Takes what was typed, unless it is nothing."""
        if path := self.query_one(Input).value.strip():
            self.dismiss(path)

    def action_close(self) -> None:
        """Goes back without one."""
        self.dismiss("")

    def action_scroll(self, direction: int) -> None:
        """Moves the text above the field."""
        text = self.query_one(VerticalScroll)
        text.scroll_relative(y=direction * 5, animate=False)
