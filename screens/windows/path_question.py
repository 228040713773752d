"""Where a file is to go, or lies: a text above one field."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Footer, Input, Static

from screens.widgets.cut_marks import PathInput
from wizard.run.lines import clean


class PathQuestion(ModalScreen[str]):
    """Asks for a path; dismissed with it, or with ``""``."""

    DEFAULT_CSS = """
    PathQuestion {
        layout: vertical;
        background: $background;
        & > #path-title { height: 1; padding: 0 1; text-style: bold; background: $surface; }
        & > VerticalScroll { height: 1fr; scrollbar-size-vertical: 1; }
        & > #path-label { height: auto; padding: 0 1; background: $surface; }
        & > #path { margin: 0 1; }
        & > Footer { dock: none; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "take", "Take it", key_display="Enter", priority=True),
        Binding("escape", "leave", "Back", key_display="Esc"),
        Binding("up", "scroll(-1)", "Text up", key_display="↑", priority=True),
        Binding("down", "scroll(1)", "Text down", key_display="↓", priority=True),
    ]
    AUTO_FOCUS = "#path"

    def __init__(self, title: str, lines: Iterable[str], label: str, path: str) -> None:
        super().__init__()
        self._title, self._label, self._path = clean(title), label, path
        self._text = "\n".join(clean(part) for line in lines for part in line.split("\n"))

    def compose(self) -> ComposeResult:
        """Title, text, field, keys."""
        yield Static(self._title, id="path-title", markup=False)
        with VerticalScroll(can_focus=False):
            yield Static(self._text, id="path-text", markup=False)
        yield Static(self._label, id="path-label", markup=False)
        yield PathInput(self._path, id="path", compact=True, select_on_focus=False)
        yield Footer(show_command_palette=False, compact=True)

    def action_take(self) -> None:
        """Takes what was typed, unless it is nothing."""
        if path := self.query_one(Input).value.strip():
            self.dismiss(path)

    def action_leave(self) -> None:
        """Goes back without one."""
        self.dismiss("")

    def action_scroll(self, direction: int) -> None:
        """Moves the text above the field."""
        text = self.query_one(VerticalScroll)
        text.scroll_relative(y=direction * 5, animate=False)
