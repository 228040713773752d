"""What every step has: header, conclusion, status, keys, help, and its messages."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Footer, Static

from screens.dialogs import Notice
from screens.faults import fault, tell
from screens.keys import key_lines
from screens.session import Session, to_diagnose
from screens.widgets.header import Conclusion, HeaderLine, header_steps
from screens.widgets.status_line import StatusLine, wait_for
from wizard.diagnose.finding import Status
from wizard.services import Services

if TYPE_CHECKING:
    from wizard.plan.steps import Plan

TOO_SMALL = (
    "rdna1-setup needs 80 columns and 24 lines for its screens.\nMake this window larger to "
    "continue.\nq quits. Without screens: rdna1-setup --plain"
)

EXPLAINED = "For explanations, press i on the Choose screen, or run rdna1-setup about."

KEYS_NOW = "The keys you can use now (Ctrl+P finds any action by name):"

HELP_KEY = Binding("question_mark,f1", "help", "Help", key_display="?")
QUIT_KEY = Binding("q", "leave", "Quit")
BACK_KEY = Binding("escape", "back", "Back", key_display="Esc")
REPORT_KEY = Binding("p", "report", "Report", show=False)
COMMON_KEYS: tuple[BindingType, ...] = (BACK_KEY, HELP_KEY, QUIT_KEY)


class StepScreen(Screen[None]):
    """One step: it shows a session and posts where to go; it knows no other step."""

    NAME: str
    """One of ``session.STEPS``, or the name of a screen out of their order."""
    TITLE_WORD: str
    HELP_TEXT: str
    AUTO_FOCUS = ""
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - Textual declares it so
        (0, "-cramped"),
        (80, "-narrow"),
        (110, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (24, "-short"), (32, "-tall")]  # noqa: RUF012 - Textual declares it so

    @dataclass
    class Next(Message):
        """The user goes on with this session."""

        session: Session

    @dataclass
    class Back(Message):
        """The user goes back; the session keeps what was entered here."""

        session: Session

    @dataclass
    class Go(Message):
        """The user goes to a step out of the order."""

        step: str
        session: Session

    @dataclass
    class Leave(Message):
        """The user leaves the program with this session."""

        session: Session

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__()
        self.session = session
        self.services = services

    @abstractmethod
    def body(self) -> Iterable[Widget]:
        """The widgets between conclusion and status line."""

    def compose(self) -> ComposeResult:
        """Header, conclusion, body, status and keys; the last one only in a small window."""
        steps = header_steps(self.NAME, self.session)
        header = HeaderLine(steps, self.TITLE_WORD, self.services.mode)
        header.show_machine(self.session.machine)
        yield header
        yield Conclusion()
        with Vertical(id="body"):
            yield from self.body()
        yield StatusLine()
        yield Footer(show_command_palette=False, compact=True)
        yield Static(TOO_SMALL, id="too-small", markup=False)

    def on_resize(self) -> None:
        """Gives the focus back that a window too small for the screens has taken."""
        self.call_after_refresh(self._focus_again)

    def _focus_again(self) -> None:
        shown = not self.has_class("-cramped") and not self.has_class("-flat")
        wanted = self.query(self.AUTO_FOCUS) if shown and self.AUTO_FOCUS else ()
        if wanted and self.focused is None:  # a screen that is being taken down has none any more
            self.set_focus(next(iter(wanted)))

    @property
    def busy(self) -> bool:
        """True while leaving would break something off."""
        return False

    def say(self, text: str, kind: str = "note") -> None:
        """Shows a text in the status line; a screen that is being taken down has none any more."""
        for line in self.query(StatusLine):
            line.say(text, kind)

    def wait(self, text: str) -> None:
        """Says what is being done, with its time, until something else is said."""
        wait_for(self, text, self.services.clock)

    async def made(
        self, make: Callable[[], Plan], none: str, why: str, next_step: str
    ) -> Plan | None:
        """The plan, made in a thread; None where there is none, which is told."""
        try:
            return await asyncio.to_thread(make)
        except ValueError as nothing:
            self.say(f"{none}. Nothing was changed.", "warning")
            self.app.push_screen(Notice(none, f"{nothing}\n\nNothing was changed."))
        except OSError as error:
            tell(self, none, fault(why, error, next_step))
        return None

    def conclude(
        self,
        text: str,
        status: Status | None = None,
        second: str = "",
        second_status: Status | None = None,
    ) -> None:
        """Shows what this screen comes to, above all else on it."""
        for line in self.query(Conclusion):
            line.tell(text, status, second, second_status)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Dims Back and Quit while busy."""
        if action in ("back", "leave"):
            return None if self.busy else True
        return True

    def action_back(self) -> None:
        """Goes back with what was entered so far."""
        self.post_message(self.Back(self.session))

    def action_next(self) -> None:
        """Goes on."""
        self.post_message(self.Next(self.session))

    def action_diagnose(self) -> None:
        """Shows what is wrong here; Esc there leads back."""
        self.post_message(self.Go("diagnose", to_diagnose(self.NAME, self.session)))

    def action_report(self) -> None:
        """Shows what a report for others would hold."""
        from screens.report_preview import ReportPreview  # not before the first frame

        self.app.push_screen(ReportPreview(self.services))

    def action_leave(self) -> None:
        """Ends the program, with what came of it so far."""
        self.post_message(self.Leave(self.session))

    def action_help(self) -> None:
        """Shows what this step is and does."""
        keys = "\n".join(f"  {line}" for line in key_lines(self))
        text = f"{self.HELP_TEXT}\n\n{KEYS_NOW}\n{keys}\n\n{EXPLAINED}"
        self.app.push_screen(Notice(f"Help: {self.TITLE_WORD}", text))
