"""The wizard's screens in their order; this is all that the application itself decides."""

from __future__ import annotations

import asyncio
import gc
import os
import select
import signal
import sys
from collections.abc import Sequence

from textual.app import App
from textual.filter import LineFilter

from assets import FOLDER
from screens.output import SafeOutput
from screens.services import Services
from screens.session import STEPS, Session, following, preceding
from screens.step import StepScreen

ENDINGS = (signal.SIGHUP, signal.SIGTERM)
"""The window was closed, or somebody wants the program to end: left alone, it would die at once."""
ORDERLY_END_S = 20
"""Whoever does not end within that time is ended: the signal was meant."""
SIGNALLED = 128
"""What a shell adds to a signal's number in an exit code."""
LOOK_AT_TERMINAL_S = 2.0
"""How often to see whether the terminal is still there: below ``su`` no signal tells."""
STOP_HINT = "Still working: c stops it safely, then q leaves."
LEAVE_HINT = "q leaves. Ctrl+C ends nothing here, so that no work breaks off by accident."
FINE = 0
FAILED = 1
CANCELLED = 130


class SetupApp(App[int]):
    """Shows one step after the other, each made afresh from the session."""

    TITLE = "rdna1-setup"
    CSS_PATH = FOLDER / "screens.tcss"
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self, services: Services, session: Session | None = None, first: str = STEPS[0]
    ) -> None:
        super().__init__()
        self._services = services
        self._session = session or Session()
        self._first = first
        self._safe_output = SafeOutput(not services.unicode, services.console)
        self.outcome = FINE

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Textual's own filters, then ours."""
        return (*super().get_line_filters(), self._safe_output)

    def on_mount(self) -> None:
        """Pushes the first step; later ones take its place."""
        for number in ENDINGS:
            asyncio.get_running_loop().add_signal_handler(number, self._end_on, number)
        if sys.__stdin__ is not None and sys.__stdin__.isatty() and not self.is_headless:
            self.set_interval(LOOK_AT_TERMINAL_S, self._end_without_terminal)
        self.push_screen(make_step(self._first, self._session, self._services))

    def on_step_screen_next(self, message: StepScreen.Next) -> None:
        """Shows the following step."""
        self._show(following(self._current().NAME, message.session), message.session)

    def on_step_screen_back(self, message: StepScreen.Back) -> None:
        """Shows the preceding step."""
        self._show(preceding(self._current().NAME, message.session), message.session)

    def on_step_screen_go(self, message: StepScreen.Go) -> None:
        """Shows the step asked for."""
        self._show(message.step, message.session)

    async def action_quit(self) -> None:
        """Leaves, unless a step would be broken off."""
        step = self._current()
        if step.busy:
            step.say(STOP_HINT, "warning")
        else:
            self._leave(step.session)

    def action_help_quit(self) -> None:
        """Answers Ctrl+C, which elsewhere ends a program."""
        self._current().say(STOP_HINT if self._current().busy else LEAVE_HINT, "warning")

    def on_step_screen_leave(self, message: StepScreen.Leave) -> None:
        """Ends the program."""
        self._leave(message.session)

    def _leave(self, session: Session) -> None:
        self._judge(session)
        self._hear_no_more()
        self.exit()

    def _judge(self, session: Session) -> None:
        if session.finished is not None or session.failure is not None:
            self.outcome = outcome_of(session)

    def _end_on(self, number: signal.Signals) -> None:
        """Ends in order: workers end their programs, and the terminal is as it was."""
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(ORDERLY_END_S)
        if number is signal.SIGHUP:
            _let_go_of_the_terminal()
        self._services.ask_to_stop()
        self.exit(return_code=SIGNALLED + number)

    def _end_without_terminal(self) -> None:
        if sys.__stdin__ is not None and is_hung_up(sys.__stdin__.fileno()):
            self._end_on(signal.SIGHUP)

    def _current(self) -> StepScreen:
        return next(s for s in reversed(self.screen_stack) if isinstance(s, StepScreen))

    def _show(self, step: str, session: Session) -> None:
        self._judge(session)
        self._hear_no_more()
        self.switch_screen(make_step(step, session, self._services))

    def _hear_no_more(self) -> None:
        """Nothing comes to a step that is left: its widgets go before its workers are ended."""
        self.workers.cancel_node(self._current())


def is_hung_up(descriptor: int) -> bool:
    """True for a terminal whose other end is closed; reading it would end at once, for ever."""
    poll = select.poll()
    poll.register(descriptor, 0)
    return any(events & select.POLLHUP for _, events in poll.poll(0))


def _let_go_of_the_terminal() -> None:
    """What is still drawn goes nowhere: a write to a closed window would fail or block."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (sys.__stdin__, sys.__stdout__, sys.__stderr__):
        if stream is not None:
            os.dup2(nowhere, stream.fileno())


def outcome_of(session: Session) -> int:
    """The exit code that a session stands for."""
    if session.finished is None or session.finished.ok:
        return FAILED if session.failure else FINE
    return CANCELLED if session.finished.cancelled else FAILED


def make_step(step: str, session: Session, services: Services) -> StepScreen:
    """The screen of a step; its module is loaded only now, so that the first frame comes soon."""
    match step:
        case "welcome":
            from screens.welcome import Welcome

            return Welcome(session, services)
        case "detect":
            from screens.detect import Detect

            return Detect(session, services)
        case "choose":
            from screens.choose import Choose

            return Choose(session, services)
        case "clear":
            from screens.clear import Clear

            return Clear(session, services)
        case "review":
            from screens.review import Review

            return Review(session, services)
        case "apply":
            from screens.apply import Apply

            return Apply(session, services)
        case "rehearse" | "changes":
            return _rehearsal_step(step, session, services)
        case "conv2d":
            from screens.conv2d import Conv2d

            return Conv2d(session, services)
        case "done":
            from screens.done import Done

            return Done(session, services)
        case _:
            return _beside(step, session, services)


def _beside(step: str, session: Session, services: Services) -> StepScreen:
    """A screen out of the order of the steps."""
    match step:
        case "watch":
            from screens.watch import Watch

            return Watch(session, services)
        case "roll_back":
            from screens.roll_back import RollBack

            return RollBack(session, services)
        case "take_back":
            from screens.take_back import TakeBack

            return TakeBack(session, services)
        case "diagnose":
            from screens.diagnose import Diagnose

            return Diagnose(session, services)
        case _:
            raise ValueError(f"no step is called {step!r}")


def _rehearsal_step(step: str, session: Session, services: Services) -> StepScreen:
    if step == "rehearse":
        from screens.rehearse import Rehearse

        return Rehearse(session, services)
    from screens.changes import Changes

    return Changes(session, services)


def show(app: SetupApp) -> int:
    """Shows this app until the user leaves; gives the exit code."""
    gc.freeze()  # what is loaded stays: to look through it for garbage holds keys up for 50 ms
    app.run()
    return app.return_code or app.outcome
