"""The plan tried in an overlay of this system: its steps, its way back, then what they change."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual.binding import Binding, BindingType

from screens.run.screen import LOG_HELP, RunScreen
from screens.run.state import RunState, before_run
from screens.services import Rehearsing, Services
from screens.session import Session
from screens.step import COMMON_KEYS
from wizard.overlay.rehearsing import rehearsable

RUNNING_HINT = "Rehearsing in a copy: nothing on this system is changed. c stops it."


class Rehearse(RunScreen):
    """Shows the events of a rehearsal; leaving is blocked while it runs."""

    NAME = "review"
    TITLE_WORD = "Rehearse"
    AGAIN = "press Esc, then r"
    WHEN_BROKEN_OFF = "Esc goes back to the plan: nothing on this system was changed."
    HELP_TEXT = (
        "Root does its part of the plan, and takes it back, in a copy that lies over this system "
        "and is thrown away. Services of this system are out of its reach, and only apt gets the "
        "network. While it lasts no other program can change packages.\n\n"
        "c stops it at once: nothing can be left half done. When it has ended, n shows every file "
        f"that the plan would change, and what is not as before after the way back.\n\n{LOG_HELP}"
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "changes", "What changes"),
        Binding("c", "stop", "Stop"),
        *RunScreen.RUN_KEYS,
        *COMMON_KEYS,
    ]

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(session, services)
        if session.plan is None or services.rehearsal is None:
            raise ValueError("a rehearsal needs a plan, and a machine that may be touched")
        self._plan = session.plan
        self._rehearsing: Rehearsing = services.rehearsal()

    def on_mount(self) -> None:
        """Starts it."""
        self.say(RUNNING_HINT)
        state = before_run(rehearsable(self._plan), rehearsed=True)
        self.begin(state, self._rehearsing.carry_out(self._plan))

    @property
    def busy(self) -> bool:
        """True until it has ended."""
        return self.running

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Stop while it runs, what changes afterwards."""
        if action == "stop":
            return self.running
        if action == "changes":
            return not self.running and self.session.rehearsed is not None
        return super().check_action(action, parameters)

    def ended(self, state: RunState) -> None:
        """Keeps what came of it, and says how to go on."""
        done = self._rehearsing.outcome
        self.session = replace(self.session, rehearsed=done)
        self.refresh_bindings()
        if done is None:
            self.say("It came to no end; nothing was changed. Esc goes back to the plan.", "fault")
        elif done.ok:
            self.say("Done, and taken back. n shows what the plan would change.")
        else:
            self.say("Not all went well: n shows what. Nothing was changed.", "warning")

    def action_stop(self) -> None:
        """Stops it."""
        self._rehearsing.cancel()
        self.say("Stopping; the copy is thrown away.", "warning")

    def action_changes(self) -> None:
        """Shows what it would change."""
        self.post_message(self.Go("changes", self.session))

    def action_back(self) -> None:
        """Goes back to the plan."""
        self.post_message(self.Go("review", self.session))
