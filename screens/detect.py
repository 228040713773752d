"""Shows what this machine has, and what could prevent PyTorch from working."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from screens.dialogs import Notice
from screens.faults import fault, in_one_run
from screens.machine_reading import (
    MachineRead,
    PartRead,
    ReadingFailed,
    read_machine,
    statuses_and_verdict,
)
from screens.session import Session
from screens.step import COMMON_KEYS, StepScreen
from screens.widgets.header import HeaderLine
from screens.widgets.lists import MarkedList
from screens.words import SECOND_S, STATUS_STYLES, Wait, column, wrapped
from wizard.core.amounts import counted
from wizard.core.lines import clean, shown
from wizard.diagnose.finding import Status
from wizard.diagnose.outcomes import Verdict
from wizard.machine.facts import Machine
from wizard.machine.part import PartDone
from wizard.services import Services

TITLE_CELLS = 20


def row_text(part: PartDone, cells: int, status: Status | None) -> Content:
    """A row: mark, question, answer. A long answer takes further lines; none is cut.

    While not all is read there is no mark.
    """
    mark = f"{status.mark} " if status else "  "
    style = STATUS_STYLES[status] if status else ""
    answer, *further = wrapped(shown(part.summary), cells - len(mark) - TITLE_CELLS)
    indent = " " * (len(mark) + TITLE_CELLS)
    return Content.assemble(
        (mark, style),
        (column(shown(part.title), TITLE_CELLS), "bold"),
        answer,
        *(f"\n{indent}{line}" for line in further),
    )


def fold_text(count: int, *, unfolded: bool) -> str:
    """The row that all rows without anything to note fold into."""
    return f"{'▾' if unfolded else '▸'} {counted(count, 'more check')}, all fine"


def broken_text(error: OSError | ValueError, rows: int) -> str:
    """Why there is no machine, and what to do about it."""
    found = "The findings so far are below" if rows else "Nothing was found so far"
    return in_one_run(
        fault(
            "This machine could not be inspected completely",
            error,
            f"{found}. Press r to read again.",
        )
    )


def details_text(part: PartDone, status: Status | None) -> str:
    """Everything about one answer."""
    head = f"{status.word}: " if status not in (None, Status.OK) else ""
    found = "\n".join(clean(line) for line in part.details) or "Nothing more was found."
    return f"{head}{clean(part.summary)}\n\nSource: {clean(part.source)}\n\n{found}"


READING = "Inspecting this machine. Nothing is being changed."
ALWAYS = ("Graphics cards", "System", "Python environments", "Applications")
"""Rows that people look for, also where there is nothing to note."""
FOLD = "fold"
WIDEST = 100
FRAME_CELLS = 10
BESIDE, LIST_CELLS = 110, 76
"""Cells of a screen that has room for all of a row beside the list, and of the list there."""


class Checks(MarkedList):
    """The answers so far; Space opens one, or the row that the others are folded into."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "screen.next", "Choose", key_display="Enter"),
        Binding("space", "select", "Details", key_display="Space"),
    ]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offers details once there is a row to show them of."""
        if action == "select":
            return bool(self.option_count)
        return super().check_action(action, parameters)


class Detect(StepScreen):
    """Shows each answer as it comes, then what they come to: what needs attention on top."""

    NAME = "detect"
    TITLE_WORD = "Detect"
    HELP_TEXT = (
        "This program reads files and queries your package manager. It changes nothing and does "
        "not need root.\n\nEach row is one check and its result. ✗ is a problem, ! is a warning, "
        "and ? means not tested. Space expands a row to show everything that was found and its "
        "source.\n\nEnter continues. r checks everything again. d explains what is wrong and how "
        "to fix it."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,n", "next", "Continue to Choose", show=False),
        Binding("d", "diagnose", "Diagnose"),
        Binding("r", "again", "Read again", show=False),
        Binding("r", "again(True)", "Read again"),
        *COMMON_KEYS,
    ]
    AUTO_FOCUS = "#parts"

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(session, services)
        self._reading = 0
        self._wait: Wait | None = None
        """Since when it reads; None once it does not."""
        self._parts: tuple[PartDone, ...] = ()
        self._statuses: Mapping[str, Status] = {}
        """By title; empty until all is read."""
        self._unfolded = False
        self._failed = False
        """True once a reading broke off."""

    def body(self) -> Iterable[Widget]:
        """The rows."""
        with Horizontal():
            yield Checks(title="This machine", id="parts")
            with VerticalScroll(id="part", classes="panel", can_focus=False):
                yield Static(id="part-text", markup=False)

    def on_mount(self) -> None:
        """Shows what was read already, or starts to read."""
        self.set_interval(SECOND_S, self._tell_wait)
        machine = self.session.machine
        if machine is None:
            self.action_again()
        else:
            self._show(machine, *statuses_and_verdict(machine))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Shows keys only once they do something: dimmed ones look alike in some terminals."""
        if action in ("next", "diagnose"):
            return self.session.machine is not None
        if action == "again":
            return bool(parameters) == self._failed
        return super().check_action(action, parameters)

    @property
    def reading(self) -> bool:
        """True while answers are still to come."""
        return self._wait is not None

    def action_again(self, _failed: bool = False) -> None:
        """Reads everything (again)."""
        self._failed = False
        self._reading += 1
        self.session = replace(self.session, machine=None, parts=())
        self._parts, self._statuses, self._unfolded = (), {}, False
        self._wait = Wait(READING, self.services.clock)
        self._lay_out()
        self._tell_wait()
        self.refresh_bindings()
        read_machine(self, self._reading)

    def on_part_read(self, message: PartRead) -> None:
        """Adds a row."""
        if message.reading == self._reading:
            self._parts = (*self._parts, message.part)
            self._lay_out()

    def on_machine_read(self, message: MachineRead) -> None:
        """Shows what it all comes to, and opens the way on."""
        if message.reading != self._reading or message.session.machine is None:
            return
        self.session = message.session
        self.query_one(HeaderLine).show_machine(message.session.machine)
        self._show(message.session.machine, message.statuses, message.verdict)
        self.refresh_bindings()

    def on_reading_failed(self, message: ReadingFailed) -> None:
        """Says what went wrong."""
        if message.reading != self._reading:
            return
        self._wait, self._failed = None, True
        self.refresh_bindings()
        self.conclude(broken_text(message.error, len(self._parts)), Status.FAULT)

    def on_option_list_option_highlighted(self) -> None:
        """Shows all of the marked row beside the list, where there is room."""
        self._show_part()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Opens the details of a row, or the rows that are folded away."""
        if event.option_id == FOLD:
            self._unfolded = not self._unfolded
            self._lay_out()
            return
        part = next(each for each in self._parts if each.title == event.option_id)
        text = details_text(part, self._statuses.get(part.title))
        self.app.push_screen(Notice(part.title, text))

    def on_resize(self) -> None:
        """Lays the rows out for the new width."""
        super().on_resize()
        self.set_class(self.size.width >= BESIDE, "-beside")
        self._lay_out()

    def _tell_wait(self) -> None:
        if self._wait is not None:
            self.conclude(self._wait.told(min(WIDEST, self.size.width - 4)))

    def _show(self, machine: Machine, statuses: Mapping[str, Status], told: Verdict) -> None:
        self._wait, self._statuses = None, statuses
        self._parts = self.session.parts
        self._lay_out()
        self.conclude(*told)

    def _lay_out(self) -> None:
        """All rows anew: while it reads as they come, then what needs attention on top."""
        for rows in self.query(Checks):
            kept = rows.highlighted
            rows.clear_options()
            width = LIST_CELLS if self.has_class("-beside") else self.size.width
            rows.add_options(self._options(min(WIDEST, width - FRAME_CELLS)))
            rows.highlighted = min(kept or 0, rows.option_count - 1) if rows.option_count else None

            self._show_part()
        self.refresh_bindings()

    def _show_part(self) -> None:
        marked = self.query_one(Checks).highlighted_option
        name = "" if marked is None else marked.id
        title, text = "", ""
        if name == FOLD:
            fine = [each for each in self._parts if not self._matters(each)]
            title = f"{counted(len(fine), 'more check')}, all fine"
            text = "\n".join(clean(f"{each.title}: {each.summary}") for each in fine)
        for part in self._parts:
            if part.title == name:
                title, text = part.title, details_text(part, self._statuses.get(name))
        pane = self.query_one("#part", VerticalScroll)
        pane.border_title = Content(clean(title))
        self.query_one("#part-text", Static).update(text)
        pane.scroll_home(animate=False)

    def _options(self, cells: int) -> Iterable[Option]:
        def row(part: PartDone) -> Option:
            status = self._statuses.get(part.title)
            return Option(row_text(part, cells, status), id=part.title)

        if not self._statuses:
            return map(row, self._parts)
        order = list(Status)
        by_status = sorted(self._parts, key=lambda part: order.index(self._status(part)))
        told = [part for part in by_status if self._matters(part)]
        folded = [part for part in self._parts if not self._matters(part)]
        options = [row(part) for part in told]
        if folded:
            options.append(Option(fold_text(len(folded), unfolded=self._unfolded), id=FOLD))
        return (*options, *(row(part) for part in folded if self._unfolded))

    def _status(self, part: PartDone) -> Status:
        return self._statuses.get(part.title, Status.OK)

    def _matters(self, part: PartDone) -> bool:
        return self._status(part) is not Status.OK or part.title in ALWAYS
