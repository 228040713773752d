"""The line in which one types what to look for in the log; up and down go from hit to hit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static


class SearchField(Input):
    """Takes the text; its own keys say where to go."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Older", key_display="↑"),
        Binding("down", "move(1)", "Newer", key_display="↓"),
        Binding("enter", "leave(True)", "Stay there", key_display="Enter"),
        Binding("escape", "leave(False)", "End search", key_display="Esc"),
    ]

    @dataclass
    class Moved(Message):
        """Another hit is wanted: the next older one (-1) or newer one (1)."""

        by: int

    @dataclass
    class Left(Message):
        """The field gives the keys back; its hits stay marked where ``kept``."""

        kept: bool

    def action_move(self, by: int) -> None:
        """Goes to another hit."""
        self.post_message(self.Moved(by))

    def action_leave(self, kept: bool) -> None:
        """Gives the keys back."""
        self.post_message(self.Left(kept and bool(self.value)))


class SearchLine(Horizontal):
    """Field and count of its hits; hidden until it is opened."""

    DEFAULT_CSS = """
    SearchLine {
        height: 1;
        padding: 0 1;
        display: none;
        background: $panel;
        & > #search-for { width: auto; text-style: bold; }
        & > SearchField { width: 1fr; }
        & > #search-count { width: auto; }
    }
    """

    def __init__(self) -> None:
        super().__init__(id="search")
        self._field = SearchField(compact=True)

    def compose(self) -> ComposeResult:
        """Label, field, count."""
        yield Static("/ ", id="search-for", markup=False)
        yield self._field
        yield Static(id="search-count", markup=False)

    def open(self) -> str:
        """Takes the keys, and gives what was looked for last: typing takes its place."""
        self.display = True
        self.screen.set_focus(self._field)  # at once: the next key is for it
        return self._field.value

    def close(self) -> None:
        """Is gone again."""
        self.display = False

    def tell(self, count: str) -> None:
        """Shows how many hits there are."""
        self.query_one("#search-count", Static).update(Content(f" {count}"))
