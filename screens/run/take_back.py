"""The last run is taken back: root's part in the system first, then its folder."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from screens.run.acting import STOP_KEY, ActingScreen
from screens.run.screen import LOG_HELP
from screens.run.state import RunState, before_taking_back
from screens.services import Services
from screens.session import Session
from screens.step import HELP_KEY, QUIT_KEY

SAFE = (
    "Safe means: between two steps; one that has begun is finished first. What is not taken back "
    "by then stays as it is, and Roll back goes on from there."
)
RUNNING_HINT = "Taking back. c stops at a safe point: when the running step is done."
TAKEN_BACK = "Taken back. n goes to the start."
LEFT = "Not taken back to its end. n goes to the start: Roll back goes on there."


class TakeBack(ActingScreen):
    """Shows the events of a way back; leaving is blocked while it runs."""

    NAME = "take_back"
    TITLE_WORD = "Roll back"
    SAFE = SAFE
    AGAIN = "press n, then r"
    WHEN_BROKEN_OFF = "n goes to the start: Roll back goes on there where this stopped."
    HELP_TEXT = (
        "The way back is carried out as it was shown, the last change first; the log shows every "
        f"command and what it prints.\n\nc stops at the next safe point. {SAFE}\n\n"
        "Where a step needs root, the screens give the terminal to sudo for your password, and to "
        "root's own list for a typed yes; then they come back.\n\n"
        "If the program is killed, start it again and take Roll back: it goes on where it "
        f"stopped.\n\n{LOG_HELP} n goes to the start when it has ended."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n,escape", "next", "To the start", key_display="n"),
        STOP_KEY,
        *ActingScreen.RUN_KEYS,
        HELP_KEY,
        QUIT_KEY,
    ]

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(session, services)
        if session.way_back is None or services.rehearses:
            raise ValueError("there is nothing that may be taken back")
        self._way = session.way_back

    def on_mount(self) -> None:
        """Starts it."""
        self.say(RUNNING_HINT)
        self.begin(before_taking_back(self._way.plan), self._way.take())

    def stop(self) -> None:
        """Asks it to stop."""
        self._way.stop()

    def saved_as(self) -> str:
        """Path of the log of root's part."""
        return self.services.log_of(self._way.plan) if self._way.plan is not None else ""

    def ended(self, state: RunState) -> None:
        """Keeps how it went, and says how to go on."""
        super().ended(state)
        whole = state.failure is None and state.finished is not None and state.finished.ok
        self.say(TAKEN_BACK if whole else LEFT, "note" if whole else "fault")

    def action_next(self) -> None:
        """Goes to the first step, which looks anew at what there is to undo."""
        self.post_message(self.Go("welcome", self.session))
