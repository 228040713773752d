"""The first screen: the verdict on this machine, and what you can do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, TypeVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from screens.faults import reason
from screens.machine_reading import MachineRead, ReadingFailed, read_machine, statuses_and_verdict
from screens.session import Session
from screens.step import HELP_KEY, QUIT_KEY, REPORT_KEY, StepScreen
from screens.widgets.header import HeaderLine
from screens.widgets.lists import MarkedList
from screens.words import cut
from wizard.core.lines import shown
from wizard.core.wording import DEMO_TOLD, DRY_RUN_TOLD
from wizard.diagnose.finding import Status
from wizard.services import DEMO, DRY_RUN, LIVE, Services

if TYPE_CHECKING:
    from wizard.plan.steps import Plan

READING = "Inspecting this machine. Nothing is being changed."
AIM = (
    "This program sets up PyTorch for the RX 5500, 5600 and 5700 (RDNA1) and tests "
    "convolutions on your card. Its authors have none of these cards."
)
MODES = {
    LIVE: ("Nothing changes until you agree to the whole plan. You can undo every change."),
    DRY_RUN: DRY_RUN_TOLD,
    DEMO: DEMO_TOLD,
}
UNREAD = (
    "Earlier runs cannot be read ({0}), so Continue and Roll back may be missing. Fix the "
    "problem and start the program again to see them."
)
MOST_OF_A_PATH = 120
"""Cells: with more of it the menu would not be whole on 24 lines."""
TITLE_CELLS = 17
T = TypeVar("T")


class Welcome(StepScreen):
    """A verdict about this machine, what waits from earlier runs, and the ways on from here."""

    NAME = "welcome"
    TITLE_WORD = "Welcome"
    HELP_TEXT = (
        "Setting up PyTorch takes five steps: Detect, Choose, Review, Install and Measure. "
        "Nothing changes before Install, and Review first shows everything that Install will "
        "do.\n\nArrow keys move, Enter goes forward, Esc goes back, q quits.\n\nContinue: finish "
        "an unfinished run. Finished steps are skipped.\nWatch: see which steps of an earlier run "
        "are still running as root. Quitting does not interrupt them.\nMeasure: test convolutions "
        "with a PyTorch installation you already have.\nDiagnose: find out what is wrong on this "
        "machine or in a log you paste, and how to fix it.\nRemove: remove ROCm from the system, "
        "or leftovers from other scripts.\nRoll back: undo the last run of this program.\nReport: "
        "collect the information that others need to help you, without personal data. You see the "
        "report first."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("w", "watch", "Watch", show=False),
        Binding("o", "go_on", "Continue", show=False),
        Binding("c", "conv2d", "Measure"),
        Binding("d", "diagnose", "Diagnose"),
        Binding("x", "clear", "Remove", show=False),
        Binding("r", "roll_back", "Roll back"),
        REPORT_KEY,
        HELP_KEY,
        QUIT_KEY,
    ]
    AUTO_FOCUS = "#menu"

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(_fresh(session), services)
        self._unread = ""
        """Why it is not known what earlier runs left."""
        self._undoable = self._looked_at(services.runs.undoable, False)
        self._unfinished = self._looked_at(services.runs.unfinished, None)
        self._at_work = self._looked_at(services.runs.at_work, None)
        self._half_undone = self._looked_at(services.runs.half_undone, "")
        self._restart = self._looked_at(services.runs.restart, "")
        self.reading = session.machine is None
        """True while the machine is still being read."""

    def _looked_at(self, look: Callable[[], T], otherwise: T) -> T:
        """What a look at earlier runs gives; this screen is there also where none can be."""
        try:
            return look()
        except OSError as error:
            self._unread = reason(error)
            return otherwise

    def body(self) -> Iterable[Widget]:
        """What the program is for, what waits from earlier runs, the menu."""
        with Vertical(id="about") as about:
            about.border_title = "This program"
            yield Static(f"{AIM}\n\n{MODES[self.services.mode]}", id="aim", markup=False)
            waiting = [Content.styled(text, "bold $text-warning") for text in self._waiting()]
            yield Static(Content("\n").join(waiting), id="waiting", markup=False)
        title = "What do you want to do?"
        yield MarkedList(*self._options(), enter="Open", title=title, id="menu")

    def on_mount(self) -> None:
        """Says what this machine comes to, once that is known."""
        self.set_class(any(self._waiting()), "-waiting")
        machine = self.session.machine
        if machine is None:
            self.conclude(READING)
            self.call_after_refresh(read_machine, self)  # the first frame waits for nothing
        else:
            self.conclude(*statuses_and_verdict(machine)[1])

    def on_machine_read(self, message: MachineRead) -> None:
        """Shows the verdict; the next step opens with what was read."""
        self.reading = False
        self.session = message.session
        self.query_one(HeaderLine).show_machine(message.session.machine)
        self.conclude(*message.verdict)

    def on_reading_failed(self, message: ReadingFailed) -> None:
        """Leaves it to the next step to say why."""
        self.reading = False
        self.conclude(
            "This machine could not be inspected. Press Enter to try again.",
            Status.WARNING,
        )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hides Watch, Continue and Roll back when there is no run for them."""
        if action == "watch":
            return self._at_work is not None
        if action == "go_on":
            return self._unfinished is not None
        if action == "roll_back":
            return self._undoable
        return super().check_action(action, parameters)

    async def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Does what was selected."""
        await self.run_action(str(event.option_id))

    def action_watch(self) -> None:
        """Shows what root does for an earlier start."""
        if self._at_work is not None:
            self.post_message(self.Go("watch", replace(self.session, at_work=self._at_work)))

    def action_go_on(self) -> None:
        """Goes on to detection with the choice of the run that stopped."""
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
            self.say(f"Cannot continue: {trouble}", "fault")
            return
        chosen = replace(_fresh(self.session), clears=True, plan=plan, choice=None, clearing=None)
        self.post_message(self.Go("review", replace(chosen, machine=None, parts=())))

    def action_clear(self) -> None:
        """Goes on to detection, and then to what should be removed."""
        self.post_message(self.Next(replace(_fresh(self.session), clears=True)))

    def action_conv2d(self) -> None:
        """Opens Measure without setting anything up."""
        self.post_message(self.Go("conv2d", self.session))

    def action_roll_back(self) -> None:
        """Shows what undoing the last run would do."""
        self.post_message(self.Go("roll_back", self.session))

    def _waiting(self) -> Iterator[str]:
        """What earlier runs left to do, and what cannot be read of them."""
        if self._at_work is not None:
            yield f"{shown(self._at_work.text)}. Press w to watch it."
        if self._half_undone:
            yield (
                f"The rollback of run {shown(self._half_undone)} is not finished. Open "
                "Roll back to finish it."
            )
        if (waits := self._unfinished) is not None:
            place = f" into {cut(shown(waits.folder), MOST_OF_A_PATH)}" if waits.folder else ""
            yield (
                f"Not finished: {shown(waits.name)}{place}. Continue finishes it. To undo it "
                f"instead: rdna1-setup rollback {shown(waits.run)}"
            )
        if self._restart:
            yield shown(self._restart)
        if self._unread:
            yield UNREAD.format(self._unread)

    def _options(self) -> Iterator[Option]:
        ways = {
            "watch": ("Watch", "see which steps are still running as root"),
            "go_on": ("Continue", "finish the run that stopped"),
            "next": ("Set up PyTorch", "check this machine, choose a stack"),
            "conv2d": ("Measure", "test an installed PyTorch"),
            "diagnose": ("Diagnose", "find out why something hangs or fails"),
            "clear": ("Remove", "remove ROCm, or leftovers from other scripts"),
            "roll_back": ("Roll back", "undo the last run"),
            "report": ("Report", "collect data for help; you see it first"),
            "leave": ("Quit", ""),
        }
        return (
            Option(f"{ways[way][0]:<{TITLE_CELLS}}{ways[way][1]}", id=way) for way in self._order()
        )

    def _order(self) -> Iterator[str]:
        """What waits from earlier runs comes first; else setting up does."""
        if self._at_work is not None:
            yield "watch"
        if self._half_undone:
            yield "roll_back"
        waits = self._unfinished
        if waits is not None and not waits.elsewhere:
            yield "go_on"
        yield "next"
        if waits is not None and waits.elsewhere:
            yield "go_on"
        yield from ("conv2d", "diagnose", "clear")
        if self._undoable and not self._half_undone:
            yield "roll_back"
        yield from ("report", "leave")


def _fresh(session: Session) -> Session:
    cleared = replace(session, plan=None, finished=None, failure=None, rollback=None)
    return replace(cleared, clears=False, aside=False)
