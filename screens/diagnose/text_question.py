"""A text to be explained: pasted here, or the file that it lies in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from screens.dialogs import Page
from screens.widgets.lists import PathInput
from wizard.core.amounts import size_text

FIRST = "Paste a kernel log, a traceback, or a program's output. Nothing is sent anywhere."
FILE = "Or press Tab and type the name of a file"
TEXT = "The text"
FOCUS = "> "
MOST_SHOWN = 100_000
"""Characters: to lay more of them out holds every key up."""
LONG_TEXT = "You pasted {0}, which is too much to show here. Ctrl+R processes all of it."
NOTHING_GIVEN = "There is no text yet. Paste some, or press Tab to name a file."


@dataclass(frozen=True, slots=True)
class Given:
    """What is to be explained: one of the two is not empty."""

    text: str = ""
    path: str = ""


class PastedText(TextArea):
    """A text that is pasted or typed; what is very long is kept, and not shown."""

    @dataclass
    class Kept(Message):
        """A long text was pasted."""

        characters: int

    def __init__(self) -> None:
        super().__init__(id="given", classes="panel")
        self._kept = ""

    @property
    def whole(self) -> str:
        """All that was given."""
        return self._kept or self.text

    def on_paste(self, event: events.Paste) -> None:
        """Keeps a long text aside."""
        if len(event.text) > MOST_SHOWN:
            event.prevent_default()
            self._kept = event.text
            self.post_message(self.Kept(len(event.text)))


class TextQuestion(Page[Given]):
    """Asks for a text or a file; dismissed with it, or with None."""

    DEFAULT_CSS = """
    TextQuestion {
        & #text-first { height: auto; text-style: bold; }
        & #given { height: 1fr; margin: 0; }
        & #file { margin: 0 0 1 0; padding: 0 2; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+r,f2", "read", "Read it", key_display="^r", priority=True),
        Binding("tab", "app.focus_next", "Text or file", key_display="Tab"),
        Binding("escape", "close", "Back", key_display="Esc", priority=True),
    ]
    AUTO_FOCUS = "#given"

    def __init__(self) -> None:
        super().__init__("Explain a text")

    def body(self) -> Iterable[Widget]:
        """What to paste, the text, the file."""
        yield Static(FIRST, id="text-first", markup=False)
        yield PastedText()
        yield Static(FILE, id="file-label", markup=False)
        yield PathInput(id="file", compact=True, placeholder="~/log.txt")

    def on_descendant_focus(self) -> None:
        """Says where the keys go: the colour of an edge alone would not."""
        in_file = self.query_one("#file").has_focus
        self.query_one("#given").border_title = Content(TEXT if in_file else f"{FOCUS}{TEXT}")
        mark = FOCUS if in_file else " " * len(FOCUS)
        self.query_one("#file-label", Static).update(f"{mark}{FILE}")

    def action_read(self) -> None:
        """Takes the file where one is named, else the text."""
        path = self.query_one("#file", Input).value.strip()
        given = Given(self.query_one(PastedText).whole, path)
        if given.text.strip() or given.path:
            self.dismiss(given)
        else:
            self._say(NOTHING_GIVEN)

    def on_pasted_text_kept(self, event: PastedText.Kept) -> None:
        """Says that it is there."""
        self._say(LONG_TEXT.format(size_text(event.characters)))

    def _say(self, text: str) -> None:
        self.query_one("#text-first", Static).update(text)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Takes what was given."""
        event.stop()
        self.action_read()
