"""The fifth step: the plan is carried out, with its steps, its log and its progress."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from screens.run.acting import STOP_KEY, ActingScreen
from screens.run.screen import LOG_HELP
from screens.run.state import RunState, before_run
from screens.services import Services
from screens.session import Session
from screens.step import COMMON_KEYS

SAFE = (
    "Safe means: between two steps, or inside a download of wheels, which is kept and resumed. "
    "A step that installs, or changes the system, is finished first."
)
RUNNING_HINT = "Running. c stops safely: after this step, or inside a download of wheels."


class Apply(ActingScreen):
    """Shows the events of a run; leaving is blocked while it runs."""

    NAME = "apply"
    TITLE_WORD = "Install"
    SAFE = SAFE
    AGAIN = "press Esc, then a"
    HELP_TEXT = (
        "The steps are carried out in their order; the log shows every command and what it "
        f"prints.\n\nc stops at the next safe point. {SAFE}\n\n"
        "Where a step needs root, the screens give the terminal to sudo for your password, and to "
        "root's own list for a typed yes; then they come back.\n\n"
        "Back and Quit wait until the run has ended. If the program is killed, start it again "
        "with the same plan: it goes on where it stopped.\n\n"
        f"{LOG_HELP} n goes on when the run has ended."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "next", "Next"),
        STOP_KEY,
        *ActingScreen.RUN_KEYS,
        *COMMON_KEYS,
    ]

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(session, services)
        if session.plan is None:
            raise ValueError("Apply needs a plan")
        self._plan = session.plan

    def on_mount(self) -> None:
        """Starts the run."""
        self.say(RUNNING_HINT)
        state = before_run(self._plan, rehearsed=self.services.rehearses)
        self.begin(state, self.services.carry_out(self._plan))

    def stop(self) -> None:
        """Asks the run to stop."""
        self.services.ask_to_stop()

    def saved_as(self) -> str:
        """Path of the log of this plan's run."""
        return self.services.log_of(self._plan)

    def ended(self, state: RunState) -> None:
        """Keeps how it went, and says how to go on."""
        super().ended(state)
        if state.failure is not None:
            self.say(
                "Nothing more happens. Esc goes back to the plan, n shows how to undo.", "fault"
            )
        else:
            self.say("Nothing more happens by itself. n goes on; arrow keys scroll the log.")

    def action_next(self) -> None:
        """Goes on with what came of it."""
        self.post_message(self.Next(self.session))
