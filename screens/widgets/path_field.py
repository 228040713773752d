"""A path that can be typed: its label before it, and a word behind it."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, Static

from screens.widgets.cut_marks import PathInput


class PathField(Horizontal):
    """One line with a label, a path and a word."""

    def __init__(self, label: str, name: str, path: str = "") -> None:
        super().__init__(id="place", classes="pad")
        self._label = label
        self._input = PathInput(path, id=name, compact=True, select_on_focus=False)

    def compose(self) -> ComposeResult:
        """Label, path, word."""
        yield Static(f"{self._label} ", id="where", markup=False)
        yield self._input
        yield Static(id="footprint", markup=False)

    @property
    def path(self) -> str:
        """What stands in the field."""
        return self._input.value.strip()

    @property
    def typing(self) -> bool:
        """True while keys go to the field."""
        return self._input.has_focus

    def take_keys(self) -> None:
        """Lets keys go to the field."""
        self.screen.set_focus(self._input)

    def show(self, path: str, word: str) -> None:
        """Shows a path, unless one is being typed, and a word behind it."""
        if not self.typing:
            with self.screen.prevent(Input.Changed):
                self._input.value = path
            self._input.cursor_position = len(path)
        behind, text = self.query_one("#footprint", Static), Content(f" {word}")
        if behind.content != text:
            behind.update(text)
