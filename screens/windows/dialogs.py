"""Windows over a screen: a text to read, a question to answer by key, a whole page."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Footer, Static

from screens.clicks import key_line
from wizard.core.lines import clean

T = TypeVar("T")


class Dialog(ModalScreen[T]):
    """A frame with a title, and its keys on the lower edge; Esc and q close it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Close", key_display="Esc")
    ]
    KEYS: tuple[tuple[str, str], ...] = (("Esc Close", "screen.close"),)
    """Each with the action that a click on it does."""
    FRAME: ClassVar[str] = "dialog"

    def __init__(self, title: str, text: str | Content = "") -> None:
        super().__init__()
        self._title = clean(title)
        self._text = clean(text) if isinstance(text, str) else text

    def compose(self) -> ComposeResult:
        """What the window is about, in its frame."""
        with Vertical(classes=self.FRAME) as dialog:
            dialog.border_title = Content(self._title)
            dialog.border_subtitle = key_line(*self.KEYS)
            yield from self.body()

    def body(self) -> Iterable[Widget]:
        """The text, scrollable."""
        yield VerticalScroll(Static(self._text, markup=False), can_focus=True)

    def action_close(self) -> None:
        """Closes the window without an answer."""
        self.dismiss(None)


class Notice(Dialog[None]):
    """A text to read."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,question_mark,f1", "close", "Close", show=False)
    ]
    SCROLL = ("↑ ↓ PgUp PgDn Scroll", "")

    def on_resize(self) -> None:
        """Names the keys that scroll where the text does not fit."""
        self.call_after_refresh(self._name_keys)

    def _name_keys(self) -> None:
        more = (self.SCROLL,) * bool(self.query_one(VerticalScroll).max_scroll_y)
        self.query_one(".dialog").border_subtitle = key_line(*self.KEYS, *more)


class Question(Dialog[bool]):
    """A question that one named key affirms; every other way out is a no."""

    FRAME = "dialog question"

    def __init__(self, title: str, text: str, key: str, label: str) -> None:
        super().__init__(title, text)
        self.KEYS = ((f"{key} {label}", "screen.affirm"), ("Esc No, go back", "screen.close"))
        self._bindings.bind(key, "affirm", label)
        self._bindings.bind("n", "close", "No", show=False)

    def action_affirm(self) -> None:
        """Answers yes."""
        self.dismiss(True)

    def action_close(self) -> None:
        """Answers no."""
        self.dismiss(False)


class Page(ModalScreen[T]):
    """A window as large as the screen: a title on its edge, a line of keys below it."""

    DEFAULT_CSS = """
    Page {
        layout: vertical;
        background: $background;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Back", key_display="Esc")
    ]

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = clean(title)

    @abstractmethod
    def body(self) -> Iterable[Widget]:
        """What stands in the frame."""

    def compose(self) -> ComposeResult:
        """The frame, then the keys."""
        with Vertical(classes="panel page") as page:
            page.border_title = Content(f" {self._title} ")  # a narrow one has no corners
            yield from self.body()
        yield Footer(show_command_palette=False, compact=True)

    def action_close(self) -> None:
        """Goes back without an answer."""
        self.dismiss(None)
