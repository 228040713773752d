"""Windows over a screen: a text to read, a question to answer by key, a field for a path."""

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
from textual.widgets import Footer, Input, Log, Static

from screens.keys import key_line
from screens.widgets.lists import PathInput, SidewaysLog
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


class LinesView(Page[bool]):
    """Lines as the command prints them; longer ones scroll sideways.

    Enter goes back like Esc, unless it is said what it does: then it answers True.
    """

    DEFAULT_CSS = "LinesView #lines { height: 1fr; scrollbar-size: 0 1; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "close", "Back", show=False)]
    AUTO_FOCUS = "#lines"

    def __init__(self, title: str, lines: Iterable[str], enter: str = "") -> None:
        super().__init__(title)
        if enter:
            affirm = Binding("enter", "affirm", enter, key_display="Enter")
            self._bindings.key_to_bindings["enter"] = [affirm]
        # A Log drops lines without any character.
        self._lines = [clean(part) or " " for line in lines for part in line.split("\n")]

    def body(self) -> Iterable[Widget]:
        """The lines."""
        yield SidewaysLog(id="lines", auto_scroll=False)

    def action_affirm(self) -> None:
        """Goes back with a yes."""
        self.dismiss(True)

    def on_mount(self) -> None:
        """Shows the lines from the first one on."""
        self.query_one(Log).write_lines(self._lines, scroll_end=False)


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
