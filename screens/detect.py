"""The second step: a checklist of what the machine is, filled as the answers come."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import OptionList, Static

from screens.detect_text import broken_text, details_text, summary
from screens.following import load
from screens.hanging import few_lines
from screens.services import DetectedPart, Services
from screens.session import Session, to_diagnose
from screens.step import COMMON_KEYS, StepScreen
from screens.waiting import SECOND_S, Wait
from screens.widgets.checklist import Checklist
from screens.widgets.header_line import HeaderLine
from screens.windows.dialogs import Notice
from wizard.diagnose.finding import Status
from wizard.machine.facts import Machine

FOLLOWING = "screens.choose.screen"
READING = "Reading this machine. Nothing is changed."
MOST_LINES = 6
"""A summary of more leaves no room for what it sums up."""


class Detect(StepScreen):
    """Runs detection in a thread of its own and shows each answer with its source."""

    NAME = "detect"
    TITLE_WORD = "Detect"
    HELP_TEXT = (
        "The wizard reads files and asks your package manager; it changes nothing and needs "
        "no root.\n\nEach row is one question with its answer. Enter opens a row: its source and "
        "all that was found. 'unknown' is an answer too: it says why, and the next steps take "
        "it into account.\n\nr reads everything again. n goes on to Choose.\n"
        "d looks for what is wrong here, and what mends it."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n,right", "next", "Choose a stack", key_display="n"),
        Binding("n,right", "next_to_clear", "Choose what goes", key_display="n"),
        Binding("r", "again", "Read again"),
        Binding("d", "diagnose", "Diagnose"),
        *COMMON_KEYS,
    ]
    AUTO_FOCUS = "#parts"

    @dataclass
    class PartArrived(Message):
        """Detection answered one question."""

        part: DetectedPart
        run: int

    @dataclass
    class MachineArrived(Message):
        """Detection is done."""

        machine: Machine
        statuses: Mapping[str, Status]
        run: int

    @dataclass
    class DetectionBroke(Message):
        """Detection ended early."""

        error: Exception
        run: int

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(session, services)
        self._run = 0
        self._wait: Wait | None = None
        """Since when it reads; None once it does not."""
        self._text = ""

    def body(self) -> Iterable[Widget]:
        """The checklist and a line that sums it up."""
        yield Static("", id="summary", classes="pad", markup=False)
        yield Checklist()

    def on_mount(self) -> None:
        """Shows an earlier result, or starts to read."""
        self.set_interval(SECOND_S, self._tell_wait)
        if self.session.machine is None:
            self.action_again()
            return
        self._rows.show(self.session.parts, _statuses(self.session.machine))
        self._sum_up()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Shows Next once the machine is known: dimmed keys look alike in some terminals."""
        if action == "next":
            return self.session.machine is not None and not self.session.clears
        if action == "next_to_clear":
            return self.session.machine is not None and self.session.clears
        if action == "diagnose":
            return self.session.machine is not None
        return super().check_action(action, parameters)

    @property
    def reading(self) -> bool:
        """True while answers are still to come."""
        return self._wait is not None

    def action_diagnose(self) -> None:
        """Shows what is wrong here."""
        self.post_message(self.Go("diagnose", to_diagnose(self.NAME, self.session)))

    def action_next(self) -> None:
        """Goes on with the machine that was found."""
        self.post_message(self.Next(self.session))

    def action_next_to_clear(self) -> None:
        """The same, where what is to go comes next."""
        self.action_next()

    def action_again(self) -> None:
        """Reads everything (again)."""
        self._run += 1
        self.session = replace(self.session, machine=None, parts=())
        self._rows.show(())
        self._wait = Wait(READING, self.services.clock)
        self._tell_wait()
        self.refresh_bindings()
        # A daemon thread, not a pool worker: leaving the program must not wait for a stuck read.
        threading.Thread(target=self._detect, args=(self._run,), daemon=True).start()

    def _detect(self, run: int) -> None:
        def on_part(part: DetectedPart) -> None:
            self.post_message(self.PartArrived(part, run))

        try:
            machine = self.services.detect(on_part)
            statuses = _statuses(machine)
            self._prepare_choose(machine)
        except Exception as error:  # a thread would swallow it: the handler decides
            self.post_message(self.DetectionBroke(error, run))
        else:
            self.post_message(self.MachineArrived(machine, statuses, run))

    def _prepare_choose(self, machine: Machine) -> None:
        """Reads data and code here, where it holds nobody up: Choose opens at once then."""
        from screens.choose.choosing import choosing_at

        session = replace(self.session, machine=machine, applications=self._ticked(machine))
        choosing_at(session, self.services)
        self.services.roads()
        load(FOLLOWING)

    def _ticked(self, machine: Machine) -> tuple[str, ...]:
        """What was ticked already, else what is found here."""
        # It reads a table: not before the first frame.
        from wizard.advice.recommend import found_applications

        return self.session.applications or found_applications(machine)

    def on_detect_part_arrived(self, message: PartArrived) -> None:
        """Adds a row."""
        if message.run == self._run:
            self._rows.add(message.part)

    def on_detect_machine_arrived(self, message: MachineArrived) -> None:
        """Shows the machine and opens the way on."""
        if message.run != self._run:
            return
        parts, ticked = self._rows.parts, self._ticked(message.machine)
        self.session = replace(
            self.session, machine=message.machine, parts=parts, applications=ticked
        )
        self._rows.show(parts, message.statuses)
        self.query_one(HeaderLine).show_machine(message.machine)
        self._sum_up()
        self.refresh_bindings()

    def on_detect_detection_broke(self, message: DetectionBroke) -> None:
        """Says what went wrong; anything but a system error is a bug and ends the program."""
        if message.run != self._run:
            return
        if not isinstance(message.error, (OSError, ValueError)):
            raise message.error
        self._summary(broken_text(message.error, len(self._rows.parts)))
        self.say("Not read to its end. r tries again; Esc goes back.", "fault")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Opens the details of a row."""
        part = self._rows.parts[event.option_index]
        self.app.push_screen(
            Notice(part.title, details_text(part, self._rows.statuses.get(part.title)))
        )

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Names the source of the row in full."""
        self.say(f"Source: {self._rows.parts[event.option_index].source}")

    @property
    def _rows(self) -> Checklist:
        return self.query_one(Checklist)

    def on_resize(self) -> None:
        """Lays the summary out for the new width."""
        self._show_summary()

    def _summary(self, text: str) -> None:
        self._text, self._wait = text, None
        self._show_summary()

    def _tell_wait(self) -> None:
        if self._wait is not None:
            self._text = self._wait.told(self.size.width - 2)
            self._show_summary()

    def _show_summary(self) -> None:
        lines = few_lines(self._text, self.size.width - 2, MOST_LINES)
        for place in self.query("#summary").results(Static):
            place.update(Content("\n".join(lines)))

    def _sum_up(self) -> None:
        machine = self.session.machine
        if machine is None:
            return
        self._summary(summary(machine))


def _statuses(machine: Machine) -> Mapping[str, Status]:
    # It reads a table: not before the first frame.
    from wizard.diagnose.parts import part_statuses

    return part_statuses(machine)
