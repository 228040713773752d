"""The wizard's screens in their order; this is all that the application itself decides."""

from __future__ import annotations

import asyncio
import gc
import os
import select
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, ClassVar

from rich.segment import Segment
from textual import events
from textual.app import App
from textual.binding import Binding, BindingType
from textual.color import Color
from textual.filter import LineFilter
from textual.screen import ModalScreen, Screen

from assets import FOLDER
from screens.dialogs import Notice
from screens.keys import key_lines
from screens.session import STEPS, Session, following, preceding
from screens.step import StepScreen
from screens.themes import DARK, THEMES
from wizard.core.glyphs import for_console, to_ascii
from wizard.core.lines import clean
from wizard.services import Services


class SafeOutput(LineFilter):
    """Removes what a terminal would act upon, whatever widget let it through."""

    def __init__(self, ascii_only: bool, console: bool = False) -> None:
        super().__init__()
        self.ascii_only = ascii_only
        self.console = console

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The segments with safe text."""
        return [self._safe(segment) for segment in segments]

    def _safe(self, segment: Segment) -> Segment:
        text = segment.text
        if not text.isprintable():
            text = clean(text).replace("\n", " ")
        if self.ascii_only and not text.isascii():
            text = to_ascii(text)
        elif self.console and not text.isascii():
            text = for_console(text)
        return segment if text is segment.text else Segment(text, segment.style, segment.control)


ENDINGS = (signal.SIGHUP, signal.SIGTERM)
"""The window was closed, or somebody wants the program to end: left alone, it would die at once."""
ORDERLY_END_S = 20
"""Whoever does not end within that time is ended: the signal was meant."""
SIGNALLED = 128
"""What a shell adds to a signal's number in an exit code."""
LOOK_AT_TERMINAL_S = 2.0
"""How often to see whether the terminal is still there: below ``su`` no signal tells."""
STOP_HINT = "Still working. Press c to stop safely, then q to quit."
LEAVE_HINT = "Press q to quit. Ctrl+C is disabled so that you cannot stop the work by accident."
HELP_KEYS = ("question_mark", "f1")
FINE = 0
FAILED = 1
CANCELLED = 130


class SetupApp(App[int]):
    """Shows one step after the other, each made afresh from the session."""

    TITLE = "rdna1-setup"
    CSS_PATH = FOLDER / "screens.tcss"
    HORIZONTAL_BREAKPOINTS = StepScreen.HORIZONTAL_BREAKPOINTS
    VERTICAL_BREAKPOINTS = StepScreen.VERTICAL_BREAKPOINTS
    ENABLE_COMMAND_PALETTE = False  # Textual's own binding of it would stand in the keys' line
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+p", "command_palette", "Commands", show=False, priority=True)
    ]

    def __init__(
        self, services: Services, session: Session | None = None, first: str = STEPS[0]
    ) -> None:
        super().__init__()
        self._services = services
        self._session = session or Session()
        self._first = first
        self._safe_output = SafeOutput(not services.unicode, services.console)
        self.outcome = FINE
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = services.theme if services.theme in self.available_themes else DARK

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

    def action_command_palette(self) -> None:
        """Lists all that can be done here."""
        from screens.palette import Palette  # not before the first frame

        if not isinstance(self.screen, Palette):
            self.push_screen(Palette())

    def action_keys_here(self) -> None:
        """Lists the keys of the window at hand."""
        self.push_screen(Notice("Help: keys in this window", "\n".join(key_lines(self.screen))))

    def on_key(self, event: events.Key) -> None:
        """Gives windows the keys that every screen has: Textual keeps its bindings from them."""
        if not isinstance(self.screen, ModalScreen):
            return
        if event.key in HELP_KEYS and event.key not in self.screen.active_bindings:
            self.action_keys_here()
            event.prevent_default()  # else the window that opens takes it too, and closes
        elif event.key == "ctrl+p":
            self.action_command_palette()

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
        self._services.runs.ask_to_stop()
        self.exit(return_code=SIGNALLED + number)

    def _end_without_terminal(self) -> None:
        if sys.__stdin__ is not None and is_hung_up(sys.__stdin__.fileno()):
            self._end_on(signal.SIGHUP)

    def _current(self) -> StepScreen:
        return next(s for s in reversed(self.screen_stack) if isinstance(s, StepScreen))

    def _show(self, step: str, session: Session) -> None:
        self._judge(session)
        self._hear_no_more()
        with self.prevent(events.ScreenResume):  # what goes too need not read anything anew
            for _ in self._step_and_above()[1:]:
                self.pop_screen()
        self.switch_screen(make_step(step, session, self._services))

    async def push_screen_wait(self, screen: Screen[Any] | str, *, mode: str | None = None) -> Any:
        """Textual's own, but for whom it ends: a worker that is ended ends no screen with it.

        Textual awaits here what is being taken down, in the worker. That may be the screen that
        the worker belongs to: to end the one would end the other in the midst of it.
        """
        await asyncio.shield(self._flush_next_callbacks())
        pushed = self.push_screen(screen, wait_for_dismiss=True, mode=mode)
        return await asyncio.shield(pushed)

    def _hear_no_more(self) -> None:
        """Nothing comes to what is left: its widgets go before its workers are ended.

        A worker that waits for the answer of a window ends here too: the window is never answered.
        """
        for screen in self._step_and_above():
            self.workers.cancel_node(screen)

    def _step_and_above(self) -> list[Screen[Any]]:
        """The step at the bottom, with the windows and the screens beside it that lie over it."""
        stack = self.screen_stack
        lowest = next(at for at, screen in enumerate(stack) if isinstance(screen, StepScreen))
        return stack[lowest:]


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


SCREENS = {
    "welcome": ("screens.welcome", "Welcome"),
    "detect": ("screens.detect", "Detect"),
    "ask": ("screens.choose.ask", "Ask"),
    "choose": ("screens.choose.screen", "Choose"),
    "compare": ("screens.choose.compare", "Compare"),
    "clear": ("screens.clear", "Clear"),
    "review": ("screens.review.screen", "Review"),
    "apply": ("screens.run.screen", "Install"),
    "roll_back": ("screens.review.roll_back", "RollBack"),
    "rolling_back": ("screens.run.screen", "RollingBack"),
    "watch": ("screens.run.screen", "Watch"),
    "conv2d": ("screens.conv2d.screen", "Conv2d"),
    "diagnose": ("screens.diagnose.screen", "Diagnose"),
    "done": ("screens.done", "Done"),
}
"""Where the screen of each step is made, by module and name, in the order of the wizard."""


def make_step(step: str, session: Session, services: Services) -> StepScreen:
    """The screen of a step; its module is loaded only now, so that the first frame comes soon."""
    module, name = SCREENS[step]
    screen: StepScreen = getattr(import_module(module), name)(session, services)
    return screen


def show(app: SetupApp) -> int:
    """Shows this app until the user leaves; gives the exit code."""
    gc.freeze()  # what is loaded stays: to look through it for garbage holds keys up for 50 ms
    app.run()
    return app.return_code or app.outcome
