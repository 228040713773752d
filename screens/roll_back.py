"""Taking the last run back: what would go, what stays, and the question."""

from __future__ import annotations

from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.reactive import reactive
from textual.screen import ModalScreen
from textual.widgets import Static

from screens.services import Services, WayBack
from wizard.run.lines import clean_lines
from wizard.run.trouble import Trouble

NOTHING_CHANGED = "Nothing was taken back."
READING = "Looking at what the last run left. Nothing is changed."


class RollBack(ModalScreen[str]):
    """Shows the way back, takes it on ``y``, and gives one line about the outcome."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "go_back", "Take it back"),
        Binding("escape,n,q", "close", "Close", key_display="Esc"),
    ]
    working: reactive[bool] = reactive(True)

    def __init__(self, services: Services) -> None:
        super().__init__()
        self._services = services
        self._outcome = ""
        self._found: WayBack | None = None

    def compose(self) -> ComposeResult:
        """The way back in a frame, with its keys on the lower edge."""
        with Vertical(classes="dialog question") as dialog:
            dialog.border_title = Content("Roll back the last run")
            with VerticalScroll(can_focus=True) as scroll:
                scroll.focus()
                yield Static(READING, id="way-back", markup=False)

    def on_mount(self) -> None:
        """Starts to read."""
        self._read()

    def watch_working(self, working: bool) -> None:
        """Names the keys that count now."""
        if working:
            text = "Working"
        elif self._outcome or self._services.rehearses:
            text = "Esc closes" if self._outcome else "Esc closes (nothing is changed in this mode)"
        else:
            text = "y take it back   Esc no, keep everything"
        self.query_one(".dialog").border_subtitle = Content(text)

    # A pool worker on purpose: leaving the program waits until the files are dealt with.
    @work(thread=True, group="roll-back", exclusive=True)
    def _read(self) -> None:
        try:
            self._found = self._services.way_back()
        except Trouble as trouble:
            self.app.call_from_thread(self._show, words_of(trouble), NOTHING_CHANGED)
            return
        self.app.call_from_thread(self._show, clean_lines(self._found.text), "")

    @work(thread=True, group="roll-back", exclusive=True)
    def _go_back(self, found: WayBack) -> None:
        try:
            left = found.take()
        except Trouble as trouble:
            self.app.call_from_thread(self._show, words_of(trouble), NOTHING_CHANGED)
            return
        outcome = f"Taken back, but {len(left)} paths are left." if left else "Taken back."
        problems = clean_lines("\n".join(left))
        self.app.call_from_thread(self._show, f"{outcome}\n{problems}", outcome)

    def _show(self, text: str, outcome: str) -> None:
        self._outcome = outcome
        self.query_one("#way-back", Static).update(Content(text))
        self.working = False

    def action_go_back(self) -> None:
        """Takes the run back, once, where changes are allowed."""
        allowed = not self.working and not self._outcome and not self._services.rehearses
        if allowed and self._found is not None:
            self.working = True
            self._go_back(self._found)

    def action_close(self) -> None:
        """Closes with the outcome, when nothing is under way."""
        if not self.working:
            self.dismiss(self._outcome)


def words_of(trouble: Trouble) -> str:
    """What happened, what it means, what to do, with a line between them."""
    return clean_lines(f"{trouble.happened}\n\n{trouble.meaning}\n\n{trouble.next_step}")
