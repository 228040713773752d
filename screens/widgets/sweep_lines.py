"""A text on one line."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from screens.words import cut


class OneLine(Static):
    """A text on one line, cut with a mark when it is too long."""

    def __init__(self, name: str) -> None:
        super().__init__(id=name, classes="pad", markup=False)
        self._text = ""

    def show(self, text: str) -> None:
        """Shows a text."""
        self._text = text
        self.refresh(layout=False)

    def render(self) -> Content:
        """The text in the width that there is."""
        return Content(cut(self._text, self.content_size.width))
