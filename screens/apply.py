"""The fifth step: the plan is carried out, with its steps, its log and its progress."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual.binding import Binding, BindingType

from screens.dialogs import Question
from screens.run_screen import LOG_HELP, RunScreen
from screens.run_state import RunState, before_run
from screens.services import Services
from screens.session import Session
from screens.step import COMMON_KEYS

SAFE = (
    "Safe means: between two steps, or inside a download, which is kept and resumed. "
    "A step that installs is finished first."
)
RUNNING_HINT = "Running. c stops at a safe point: after this step, or inside a download (kept)."


class Apply(RunScreen):
    """Shows the events of a run; leaving is blocked while it runs."""

    TITLE_WORD = "Apply"
    HELP_TEXT = (
        "The steps are carried out in their order; the log shows every command and what it "
        f"prints.\n\nc stops at the next safe point. {SAFE}\n\n"
        "Back and Quit wait until the run has ended. If the program is killed, start it again "
        "with the same plan: it goes on where it stopped.\n\n"
        f"{LOG_HELP} n goes on when the run has ended."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "next", "Next"),
        Binding("c", "stop", "Stop safely"),
        *RunScreen.RUN_KEYS,
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

    @property
    def busy(self) -> bool:
        """True until the run has ended."""
        return self.running

    def saved_as(self) -> str:
        """Path of the log of this plan's run."""
        return self.services.log_of(self._plan)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Stop while it runs, Next afterwards."""
        if action == "stop":
            return self.running
        if action == "next":
            return not self.running
        return super().check_action(action, parameters)

    def ended(self, state: RunState) -> None:
        """Keeps how it went, and says how to go on."""
        self.session = replace(self.session, finished=state.finished, failure=state.failure)
        if state.failure is not None:
            self.say(
                "Nothing more happens. Esc goes back to the plan, n shows how to undo.", "fault"
            )
        else:
            self.say("Nothing more happens by itself. n goes on; arrow keys scroll the log.")

    def action_stop(self) -> None:
        """Asks whether to stop, and says what safe means."""
        question = Question("Stop at a safe point?", SAFE, "y", "stop there")
        self.app.push_screen(question, self._stop_if)

    def _stop_if(self, sure: bool | None) -> None:
        if sure and self.running:
            self.services.ask_to_stop()
            self.say(
                "Stopping at the next safe point. The running step is finished first.", "warning"
            )

    def action_next(self) -> None:
        """Goes on with what came of it."""
        self.post_message(self.Next(self.session))
