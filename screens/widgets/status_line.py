"""The one line above the keys: what just happened, or what a key would do."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from screens.words import cut, shown

STYLES = {"note": "", "warning": "bold $text-warning", "fault": "bold $text-error"}


class StatusLine(Static):
    """One line of text, cut with a mark when it is too long."""

    DEFAULT_CSS = """
    StatusLine {
        height: 1;
        padding: 0 1;
        background: $surface;
    }
    """

    def __init__(self) -> None:
        super().__init__(markup=False, id="status")
        self._text = ""
        self._kind = "note"

    def say(self, text: str, kind: str = "note") -> None:
        """Shows a text; ``kind`` is ``note``, ``warning`` or ``fault``."""
        self._text, self._kind = shown(text), kind
        self.refresh(layout=False)

    def render(self) -> Content:
        """The text in the width that there is."""
        return Content.styled(cut(self._text, self.content_size.width), STYLES[self._kind])
