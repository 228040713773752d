"""Small windows over a step: a text to read, a question to answer by key."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from screens.clicks import key_line
from wizard.run.lines import clean


class Notice(ModalScreen[None]):
    """A text to read, scrollable, closed by Esc, Enter or q."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,q,question_mark,f1", "close", "Close", key_display="Esc"),
    ]

    KEYS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("Esc closes", "screen.close"),
        ("↑ ↓ PgUp PgDn scroll", ""),
    )

    def __init__(self, title: str, text: str | Content) -> None:
        super().__init__()
        self._title = clean(title)
        self._text = clean(text) if isinstance(text, str) else text

    def compose(self) -> ComposeResult:
        """The text in a frame, with its keys on the lower edge."""
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = Content(self._title)
            dialog.border_subtitle = key_line(*self.KEYS)
            with VerticalScroll(can_focus=True) as scroll:
                scroll.focus()
                yield Static(self._text, markup=False)

    def action_close(self) -> None:
        """Closes the window."""
        self.dismiss(None)


class Question(ModalScreen[bool]):
    """A question that one named key affirms; every other way out is a no."""

    def __init__(self, title: str, text: str, key: str, label: str) -> None:
        super().__init__()
        self._title, self._text, self._label, self._key = clean(title), clean(text), label, key
        self._bindings.bind(key, "affirm", label)
        self._bindings.bind("escape,n,q", "deny", "No", key_display="Esc")

    def compose(self) -> ComposeResult:
        """The question in a frame, with its keys on the lower edge."""
        with Vertical(classes="dialog question") as dialog:
            dialog.border_title = Content(self._title)
            yes = f"{self._key} {self._label}"
            dialog.border_subtitle = key_line(
                (yes, "screen.affirm"), ("Esc no, go back", "screen.deny")
            )
            with VerticalScroll(can_focus=True) as scroll:
                scroll.focus()
                yield Static(self._text, markup=False)

    def action_affirm(self) -> None:
        """Answers yes."""
        self.dismiss(True)

    def action_deny(self) -> None:
        """Answers no."""
        self.dismiss(False)
