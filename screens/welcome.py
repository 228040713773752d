"""The first step: what the program will do, and what it will not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, TypeVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from screens.faults import reason
from screens.report.key import QUIET_REPORT_KEY
from screens.services import DEMO, DRY_RUN, LIVE, Services, Unfinished
from screens.session import Session, to_diagnose
from screens.step import HELP_KEY, QUIT_KEY, StepScreen
from screens.widgets.marked_list import MarkedList
from screens.words import cut, shown
from wizard.modes import DEMO_TOLD, DRY_RUN_TOLD

if TYPE_CHECKING:
    from wizard.plan.steps import Plan
    from wizard.run.watching import AtWork

AIM = (
    "PyTorch on an RX 5500, 5600 or 5700 (RDNA1): this wizard looks at your machine, says which "
    "stack (a PyTorch and what it needs) may work, installs it by a plan that you review, and "
    "measures Conv2d on your own card."
)
DOES = (
    ("does", "read system files, ask your package manager what is installed"),
    ("does", "show every command and every file before anything happens"),
    ("does", "put everything into one folder of yours, with a way back"),
    ("does not", "use root, unless you choose it and say yes once more"),
    ("does not", "touch kernels, Mesa, firmware or your own files"),
    ("does not", "promise: nobody of us has run this on an RDNA1 card"),
)
MODES = {
    LIVE: "LIVE: changes are made after you have reviewed them, never before.",
    DRY_RUN: DRY_RUN_TOLD,
    DEMO: DEMO_TOLD,
}

UNREAD = (
    "What earlier runs left cannot be read ({0}): Go on and Roll back may be missing here. Mend "
    "that and start again to see them; all else works."
)
MOST_OF_A_PATH = 120
"""Cells: with more of it the menu would not be whole on 24 lines."""
T = TypeVar("T")
SOMETHING_HANGS = "something hangs? why, and what mends it"
ANYTHING_WRONG = "what is wrong here, or in a log, and what mends it"


class Menu(MarkedList):
    """The ways on from here; Enter takes one."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "select", "OK", key_display="Enter")]


class Welcome(StepScreen):
    """Aim, mode and the ways on from here."""

    NAME = "welcome"
    TITLE_WORD = "Welcome"
    HELP_TEXT = (
        "The wizard has seven steps: Welcome, Detect, Choose, Review, Apply, Conv2d, Done.\n\n"
        "Nothing is changed before Apply, and Apply shows first what it will do.\n"
        "Arrow keys move, Enter takes, Esc goes back, q leaves.\n\n"
        "Watch: shows what root still does for an earlier start; leaving ends nothing.\n"
        "Go on: leads through the same choice as a run that stopped; Apply skips what is done.\n"
        "Remove: takes ROCm off the system, or clears away what other scripts left.\n"
        "Conv2d panel: measures convolutions with a PyTorch that you already have.\n"
        "Diagnose: what is wrong here or in a pasted log, what proves it, what mends it.\n"
        "Roll back: takes back what the last run of this program did.\n"
        "Report (p): what helpers need, redacted, shown whole before it is written."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("w", "watch", "Watch"),
        Binding("o", "go_on", "Go on"),
        Binding("c", "conv2d", "Conv2d"),
        Binding("d", "diagnose", "Diagnose"),
        Binding("x", "clear", "Remove"),
        Binding("r", "roll_back", "Roll back"),
        QUIET_REPORT_KEY,
        HELP_KEY,
        QUIT_KEY,
    ]
    AUTO_FOCUS = "#menu"

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(_fresh(session), services)
        self._unread = ""
        """Why it is not known what earlier runs left."""
        self._undoable = self._looked_at(services.undoable, False)
        self._unfinished = self._looked_at(services.unfinished, None)
        self._at_work = self._looked_at(services.at_work, None)
        self._half_back = self._looked_at(services.half_back, "")
        self._restart = self._looked_at(services.restart, "")

    def _looked_at(self, look: Callable[[], T], otherwise: T) -> T:
        """What a look at earlier runs gives; this screen is there also where none can be."""
        try:
            return look()
        except OSError as error:
            self._unread = reason(error)
            return otherwise

    def body(self) -> Iterable[Widget]:
        """What it does and does not, then the menu."""
        text = _text(self.services.mode, self._unfinished, self._at_work, self._half_back)
        unread = UNREAD.format(self._unread) if self._unread else ""
        for words in filter(None, (shown(self._restart), unread)):
            text = Content("\n").join((text, Content.styled(words, "bold $text-warning")))
        # With more to say and more ways on, the menu must still be whole on 24 lines.
        waits = self._unfinished or self._at_work or self._half_back
        told = waits or self._restart or self._unread
        yield Static(text, id="aim", classes="-tight" if told else "", markup=False)
        yield Menu(*self._options(), id="menu", markup=False, compact=True)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hides Watch, Go on and Roll back when there is no run for them."""
        if action == "watch":
            return self._at_work is not None
        if action == "go_on":
            return self._unfinished is not None
        if action == "roll_back":
            return self._undoable
        return super().check_action(action, parameters)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Takes what was selected."""
        match event.option_id:
            case "watch":
                self.action_watch()
            case "go_on":
                self.action_go_on()
            case "start":
                self.action_start()
            case "conv2d":
                self.action_conv2d()
            case "diagnose":
                self.action_diagnose()
            case "clear":
                self.action_clear()
            case "roll_back":
                self.action_roll_back()
            case "report":
                self.action_report()
            case _:
                self.action_leave()

    def action_watch(self) -> None:
        """Shows what root does for an earlier start."""
        if self._at_work is not None:
            self.post_message(self.Go("watch", replace(self.session, at_work=self._at_work)))

    def action_go_on(self) -> None:
        """Goes on to detection with the choice of the run that waits."""
        waits = self._unfinished
        if waits is not None and waits.plan is not None:
            self._go_on_with(waits.plan)
        elif waits is not None:
            chosen = replace(
                self.session, stack=waits.stack, folder=waits.folder, footprint=waits.footprint
            )
            self.post_message(self.Next(chosen))

    def _go_on_with(self, make: Callable[[], Plan]) -> None:
        try:
            plan = make()
        except ValueError as trouble:
            self.say(f"Cannot go on: {trouble}", "fault")
            return
        chosen = replace(_fresh(self.session), clears=True, plan=plan, choice=None, clearing=None)
        self.post_message(self.Go("review", chosen))

    def action_start(self) -> None:
        """Goes on to detection."""
        self.post_message(self.Next(self.session))

    def action_clear(self) -> None:
        """Goes on to detection, and then to what is to go."""
        self.post_message(self.Next(replace(_fresh(self.session), clears=True)))

    def action_conv2d(self) -> None:
        """Opens the Conv2d panel without setting anything up."""
        self.post_message(self.Go("conv2d", self.session))

    def action_diagnose(self) -> None:
        """Shows what is wrong here."""
        self.post_message(self.Go("diagnose", to_diagnose(self.NAME, self.session)))

    def action_roll_back(self) -> None:
        """Shows what taking the last run back would do."""
        self.post_message(self.Go("roll_back", self.session))

    def action_report(self) -> None:
        """Shows what a report for others would hold."""
        from screens.report.preview import ReportPreview

        self.app.push_screen(ReportPreview(self.services))

    def _options(self) -> Iterable[Option]:
        if self._at_work is not None:
            yield Option("Watch           see what root is doing, to its end", id="watch")
        if self._half_back:
            yield Option("Roll back       go on with taking the last run back", id="roll_back")
        start = Option("Start           look at this machine, changes nothing", id="start")
        go_on = Option("Go on           finish the run that stopped before its end", id="go_on")
        waits = self._unfinished
        yield from (
            (start,) if waits is None else (start, go_on) if waits.elsewhere else (go_on, start)
        )
        yield Option("Conv2d panel    measure a PyTorch that you already have", id="conv2d")
        yield Option(f"Diagnose        {self._why_diagnose()}", id="diagnose")
        yield Option("Remove          take ROCm off, or what other scripts left", id="clear")
        if self._undoable and not self._half_back:
            yield Option("Roll back       take back what the last run did", id="roll_back")
        told = self._at_work or self._half_back or self._restart
        if not (waits or told):  # else p: 24 lines hold no more
            yield Option("Report          for an issue; shown before it is written", id="report")
        yield Option("Quit", id="quit")

    def _why_diagnose(self) -> str:
        machine = self.session.machine
        has_torch = machine is not None and any(e.torch for e in machine.environments)
        return SOMETHING_HANGS if has_torch or self._undoable else ANYTHING_WRONG


def _fresh(session: Session) -> Session:
    cleared = replace(session, plan=None, finished=None, failure=None, way_back=None)
    return replace(cleared, clears=False, aside=False)


def _text(
    mode: str, waits: Unfinished | None, at_work: AtWork | None, half_back: str = ""
) -> Content:
    gap = () if waits is not None and at_work is not None else (Content(""),)
    lines = [Content(AIM), *gap]
    for word, what in DOES:
        style = "bold $text-success" if word == "does" else "bold $text-warning"
        lines.append(Content.assemble((f"{word:<10}", style), what))
    lines += [*gap, Content.styled(MODES[mode], "bold")]
    if at_work is not None:
        lines.append(Content.styled(f"{shown(at_work.text)}: watch", "bold $text-warning"))
    if half_back:
        text = f"Half taken back: run {shown(half_back)}. Roll back goes on with it."
        lines.append(Content.styled(text, "bold $text-warning"))
    if waits is not None:
        place = f" into {cut(shown(waits.folder), MOST_OF_A_PATH)}" if waits.folder else ""
        text = (
            f"Not finished: {shown(waits.name)}{place}. Go on makes the same "
            f"plan and continues it. To undo it: rdna1-setup rollback {shown(waits.run)}"
        )
        lines.append(Content.styled(text, "bold $text-warning"))
    return Content("\n").join(lines)
