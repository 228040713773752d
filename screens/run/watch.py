"""Root's part of an earlier start, watched to its end."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual.binding import Binding, BindingType

from screens.run.screen import LOG_HELP, RunScreen
from screens.run.state import RunState, before_watching
from screens.services import Services
from screens.session import Session
from screens.step import HELP_KEY, QUIT_KEY

GOES_ON = "It goes on by itself, also when you leave: Esc goes to the start, q quits."


class Watch(RunScreen):
    """Shows what root does for a wizard that is gone; leaving ends nothing."""

    NAME = "watch"
    TITLE_WORD = "Watch"
    WHEN_BROKEN_OFF = "n goes to the start: what root still does is told there; nothing was ended."
    HELP_TEXT = (
        "An earlier start of this program was ended while root was at work for it. Root finishes "
        "the step that it had begun, and takes no new one.\n\n"
        "You may leave at any time: nothing is broken off by it. When it has ended, go to the "
        f"start: there you can go on with the plan, or take it back.\n\n{LOG_HELP}"
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n,escape", "start", "To the start", key_display="n"),
        *RunScreen.RUN_KEYS,
        HELP_KEY,
        QUIT_KEY,
    ]

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(session, services)
        if session.at_work is None:
            raise ValueError("Watch needs something at work")
        self._at_work = session.at_work

    def on_mount(self) -> None:
        """Begins to look."""
        self.say(GOES_ON)
        self.begin(before_watching(), self._at_work.watch())

    def saved_as(self) -> str:
        """Path of the file that is read."""
        return self._at_work.saved

    def ended(self, state: RunState) -> None:
        """Says how to go on."""
        if state.failure is not None:
            self.say("Root's part has ended, not well. n goes to the start.", "fault")
        else:
            self.say("Root's part has ended. n goes to the start: go on there, or roll back.")

    def action_start(self) -> None:
        """Goes to the first step."""
        self.post_message(self.Go("welcome", replace(self.session, at_work=None)))
