"""The fifth step: the plan is carried out, with its steps, its log and its progress."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import aclosing
from dataclasses import replace
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Log, Static

from screens.dialogs import Question
from screens.run_state import RunState, after, before_run, broken_off
from screens.run_text import failure_text, progress_line
from screens.services import Services
from screens.session import Session
from screens.step import COMMON_KEYS, StepScreen
from screens.widgets.step_list import StepList
from wizard.run.events import Event, Output, StepFinished, StepStarted
from wizard.run.lines import clean

LOG_LINES = 5_000
SAFE = (
    "Safe means: between two steps, or inside a download, which is kept and resumed. "
    "A step that installs is finished first."
)
RUNNING_HINT = "Running. c stops at a safe point: after this step, or inside a download (kept)."


class Apply(StepScreen):
    """Shows the events of a run; leaving is blocked while it runs."""

    NAME = "apply"
    TITLE_WORD = "Apply"
    HELP_TEXT = (
        "The steps are carried out in their order; the log shows every command and what it "
        f"prints.\n\nc stops at the next safe point. {SAFE}\n\n"
        "Back and Quit wait until the run has ended. If the program is killed, start it again "
        "with the same plan: it goes on where it stopped.\n\n"
        "Tab goes to the log; arrows and PgUp scroll it, sideways too where a line is long. "
        "n goes on when the run has ended."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "next", "Next"),
        Binding("c", "stop", "Stop safely"),
        *COMMON_KEYS,
    ]
    AUTO_FOCUS = "#log"
    running: reactive[bool] = reactive(False, bindings=True)
    state: reactive[RunState | None] = reactive(None, init=False)

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(session, services)
        if session.plan is None:
            raise ValueError("Apply needs a plan")
        self._plan = session.plan

    def body(self) -> Iterable[Widget]:
        """Steps, log, what went wrong, bar."""
        with Container(id="run"):
            yield StepList()
            yield Log(id="log", max_lines=LOG_LINES)
        with VerticalScroll(id="failure", classes="pad"):
            yield Static(id="failure-text", markup=False)
        yield Static(id="progress", classes="pad", markup=False)

    def on_mount(self) -> None:
        """Starts the run."""
        self.state = before_run(self._plan, rehearsed=self.services.rehearses)
        self.running = True
        self.say(RUNNING_HINT)
        self._carry_out()

    @property
    def busy(self) -> bool:
        """True until the run has ended."""
        return self.running

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Stop while it runs, Next afterwards."""
        if action == "stop":
            return self.running
        if action == "next":
            return not self.running
        return super().check_action(action, parameters)

    @work(group="apply", exclusive=True)
    async def _carry_out(self) -> None:
        try:
            async with aclosing(self.services.carry_out(self._plan)) as events:
                async for event in events:
                    self._take(event)
        except (OSError, ValueError) as trouble:
            # The journal on disk is right whatever happened: the user must still be told.
            self._break_off(f"The run broke off: {trouble}")
        else:
            self._break_off("The run ended without saying how it went.")
        self._end()

    def _take(self, event: Event) -> None:
        if self.state is not None:
            self.state = after(self.state, event)
        match event:
            case StepStarted():
                self._log(f"[{event.number}/{event.total}] {event.text}")
            case Output():
                self._log(*event.lines)
            case StepFinished():
                self._log(f"    {event.outcome}")
            case _:
                pass

    def _log(self, *lines: str) -> None:
        self.query_one(Log).write_lines([clean(line) for line in lines])

    def _break_off(self, happened: str) -> None:
        state = self.state
        if state is not None and state.finished is None and state.failure is None:
            self.state = broken_off(state, happened)

    def _end(self) -> None:
        self.running = False
        state = self.state
        if state is None:
            return
        self.session = replace(self.session, finished=state.finished, failure=state.failure)
        if state.failure is not None:
            self.say(
                "Nothing more happens. Esc goes back to the plan, n shows how to undo.", "fault"
            )
        else:
            self.say("Nothing more happens by itself. n goes on; arrow keys scroll the log.")

    def watch_state(self, state: RunState | None) -> None:
        """Shows the state."""
        if state is None or not self.is_mounted:
            return
        self.query_one(StepList).show(state)
        self.query_one("#progress", Static).update(progress_line(state))
        self.query_one("#failure-text", Static).update(failure_text(state))
        self.query_one("#failure").display = state.failure is not None

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
