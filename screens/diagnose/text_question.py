"""A text to be explained: pasted here, or the file that it lies in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Footer, Input, Static, TextArea

from screens.widgets.cut_marks import PathInput
from wizard.sizes import size_text

TITLE = "Explain a text: yours, or somebody else's"
HINT = (
    "Paste a kernel log (journalctl -k -b), a traceback, what apt or pip printed, lspci, rocminfo: "
    "as it is. Nothing of it is kept or sent, and nothing of this machine is looked at."
)
FILE = "Or a file: Tab, its path, Enter. Long texts are read faster so."
TEXT = "The text"
FOCUS = "> "
MOST_SHOWN = 100_000
"""Characters: to lay more of them out holds every key up."""
LONG_TEXT = "{0} was pasted, too long to be shown here. ^r reads it whole; Esc leaves it."
NOTHING_GIVEN = "There is no text yet: paste one, or press Tab and name a file."


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
        super().__init__(id="given")
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


class TextQuestion(ModalScreen[Given]):
    """Asks for a text or a file; dismissed with it, or with nothing given."""

    DEFAULT_CSS = """
    TextQuestion {
        layout: vertical;
        background: $background;
        & > #text-title { height: 1; padding: 0 1; text-style: bold; background: $surface; }
        & > #text-hint { height: auto; padding: 0 1; }
        & > #given { height: 1fr; border: solid $primary; padding: 0 1; }
        & > #given:focus { border: solid $accent; }
        & > #file-label { height: auto; }
        & > #file { margin: 0 2; }
        & > Footer { dock: none; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+r,f2", "read", "Read it", key_display="^r", priority=True),
        Binding("tab", "app.focus_next", "Text or file", key_display="Tab"),
        Binding("escape", "leave", "Back", key_display="Esc", priority=True),
    ]
    AUTO_FOCUS = "#given"

    def compose(self) -> ComposeResult:
        """What to paste, the text, the file, keys."""
        yield Static(TITLE, id="text-title", markup=False)
        yield Static(HINT, id="text-hint", markup=False)
        yield PastedText()
        yield Static(FILE, id="file-label", markup=False)
        yield PathInput(id="file", compact=True, placeholder="~/log.txt")
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        """Says where the keys go."""
        self._tell_focus()

    def on_descendant_focus(self) -> None:
        """Says it anew: the colour of an edge alone would not."""
        self._tell_focus()

    def _tell_focus(self) -> None:
        in_file = self.query_one("#file").has_focus
        self.query_one("#given").border_title = Content(TEXT if in_file else f"{FOCUS}{TEXT}")
        mark = FOCUS if in_file else " " * len(FOCUS)
        self.query_one("#file-label", Static).update(f"{mark}{FILE}")

    def action_read(self) -> None:
        """Takes the file where one is named, else the text."""
        given = Given(
            self.query_one(PastedText).whole, self.query_one("#file", Input).value.strip()
        )
        if given.text.strip() or given.path:
            self.dismiss(given)
        else:
            self._hint(NOTHING_GIVEN)

    def on_pasted_text_kept(self, event: PastedText.Kept) -> None:
        """Says that it is there."""
        self._hint(LONG_TEXT.format(size_text(event.characters)))

    def _hint(self, text: str) -> None:
        self.query_one("#text-hint", Static).update(text)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Takes what was given."""
        event.stop()
        self.action_read()

    def action_leave(self) -> None:
        """Goes back without a text."""
        self.dismiss(Given())
