"""The one line above the keys: what just happened, or what a key would do."""

from __future__ import annotations

from collections.abc import Callable

from rich.cells import cell_len
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from screens.words import SECOND_S, Wait, cut
from wizard.core.lines import shown

STYLES = {"note": "", "warning": "bold $text-warning", "fault": "bold $text-error"}


def wait_for(screen: Widget, text: str, clock: Callable[[], float]) -> None:
    """Says on a screen what is being done; one that is taken down has no line for it any more."""
    for line in screen.query(StatusLine):
        line.wait(text, clock)


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
        self._wait: Wait | None = None

    def on_mount(self) -> None:
        """Tells anew each second how long something takes."""
        self.set_interval(SECOND_S, self._tell_wait)

    def say(self, text: str, kind: str = "note") -> None:
        """Shows a text; ``kind`` is ``note``, ``warning`` or ``fault``."""
        self._text, self._kind, self._wait = shown(text), kind, None
        self.refresh(layout=False)

    @property
    def says(self) -> str:
        """What was said or is waited for, whole."""
        return self._text

    @property
    def waits(self) -> bool:
        """True while something is told as being done."""
        return self._wait is not None

    @property
    def is_cut(self) -> bool:
        """True when there is more text than room."""
        return cell_len(self._text) > self.content_size.width

    def wait(self, text: str, clock: Callable[[], float]) -> None:
        """Shows what is being done, and for how long by now, until something else is said."""
        self.say(text)
        self._wait = Wait(self._text, clock)

    def _tell_wait(self) -> None:
        if self._wait is not None:
            self.refresh(layout=False)

    def render(self) -> Content:
        """The text in the width that there is; the time is never what is cut."""
        cells = self.content_size.width
        if self._wait is not None:
            return Content(self._wait.told(cells))
        return Content.styled(cut(self._text, cells), STYLES[self._kind])
