"""The way back of the last run, word for word, before anything of it happens."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Static

from screens.faults import fault
from screens.review.text import refusal_lines, way_back_text
from screens.services import Services, WayBack
from screens.session import Session
from screens.step import HELP_KEY, QUIT_KEY, StepScreen
from screens.widgets.status_line import wait_for
from wizard.run.trouble import Trouble

READING = "Looking at what the last run left. Nothing is changed."
READY = "Nothing has been changed yet. y takes it back; Esc keeps everything as it is."
LOOK_AGAIN = "Mend that, then take Roll back again: nothing was changed by looking."
REFUSED = "Nothing was changed. Esc goes to the start."


class RollBack(StepScreen):
    """Shows both parts of the way back, root's and the folder's, and asks."""

    NAME = "roll_back"
    TITLE_WORD = "Roll back"
    HELP_TEXT = (
        "This is how the last run is taken back: what it changed in the system first, if it did, "
        "and then its folder. 'does' is the exact text of what is carried out; lines after '|' "
        "are the content of a file, whole.\n\n"
        "y takes it back. Root's part asks in this terminal: sudo for your password, and root's "
        "own list for a typed yes.\n"
        "Files that are not ours stay: the text says which, and where what you changed is kept.\n"
        "An older run: rdna1-setup rollback --list names them, rdna1-setup rollback ID takes one "
        "back.\n\n"
        "Arrows, PgUp, PgDn, Home and End scroll. Esc goes to the start."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "take_back", "Take it back"),
        Binding("escape,n", "start", "Keep everything", key_display="Esc"),
        HELP_KEY,
        QUIT_KEY,
    ]
    AUTO_FOCUS = "#plan"
    found: reactive[WayBack | None] = reactive(None, bindings=True)

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(session, services)
        self._refusal: Trouble | None = None

    def body(self) -> Iterable[Widget]:
        """The way back, scrollable."""
        with VerticalScroll(id="plan", can_focus=True):
            yield Static(id="text", markup=False)

    def on_mount(self) -> None:
        """Starts to read."""
        wait_for(self, READING, self.services.clock)
        self._read()

    @work(group="read", exclusive=True)
    async def _read(self) -> None:
        try:
            self.found = await asyncio.to_thread(self.services.way_back)
        except (Trouble, OSError) as error:
            self._refusal = fault("How to take it back cannot be read", error, LOOK_AGAIN)
        self.say(READY if self.found is not None else REFUSED)
        self._show()

    def on_resize(self) -> None:
        """Lays the text out for the new width."""
        self._show()

    def _show(self) -> None:
        cells = self.size.width - 4
        if self.found is not None:
            text = way_back_text(self.found.text, self.found.plan, cells)
        elif self._refusal is not None:
            text = Content("\n").join(refusal_lines(self._refusal, cells))
        else:
            text = Content(READING)
        for place in self.query("#text").results(Static):  # none while it is taken down
            place.update(text)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offers to take back what was found, where changes are allowed."""
        if action == "take_back":
            return self.found is not None and not self.services.rehearses
        return super().check_action(action, parameters)

    def action_take_back(self) -> None:
        """Goes on to take it back."""
        self.post_message(self.Go("take_back", replace(self.session, way_back=self.found)))

    def action_start(self) -> None:
        """Goes to the first step, with nothing done."""
        self.post_message(self.Go("welcome", self.session))
