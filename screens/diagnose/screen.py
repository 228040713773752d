"""Shows what is wrong with this machine or in a pasted text, what proves it, and how to fix it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from textual import getters, work
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widget import Widget
from textual.widgets import OptionList

from screens.diagnose.findings_pane import FindingsPane
from screens.diagnose.text import (
    CHECKING,
    Fine,
    Row,
    Shown,
    after_progress,
    conclusion_of,
    details,
    fixed_text,
    saved_text,
    second_line,
    unread_text,
)
from screens.diagnose.text_question import Given, TextQuestion
from screens.dialogs import LinesView, Notice
from screens.faults import fault, save, told
from screens.machine_reading import in_daemon
from screens.session import Session, from_diagnose
from screens.step import COMMON_KEYS, REPORT_KEY, StepScreen
from screens.widgets.header import HeaderLine
from wizard.advice.recommend import found_applications
from wizard.diagnose.explain import Explanation
from wizard.diagnose.finding import Finding, Status, counts_text
from wizard.diagnose.machine import Diagnosis, Progress
from wizard.machine.facts import Machine
from wizard.machine.part import PartDone
from wizard.plan.steps import Plan
from wizard.services import Services

LINE_CELLS = 78
DRAWN_S = 0.1
READING = "Inspecting this machine ..."
AT_IT = "Running the checks ..."
NOT_READ = "Nothing could be checked. Press r to try again."
OF_A_TEXT = "Esc switches back to this machine."
MAKING = "Making the plan: reading the files that would change ..."
FIX = "Fix"
UNCHANGED = "Nothing was changed. Fix the problem, then press Enter again."
ANOTHER = "Press t to name another file or to paste the text itself."
PASTED = "the text you pasted"
UNFINISHED = "{0} in {1} is not finished. Go to Welcome to continue or undo it."
MACHINE, TEXT = "machine", "text"


class Diagnose(StepScreen):
    """The findings as a list, with one row for the checks that are fine."""

    NAME = "diagnose"
    TITLE_WORD = "Diagnose"
    HELP_TEXT = (
        "The first line names the most likely cause. The list shows everything that was found, "
        "worst first: ✗ is a fault, ! is a warning, ? means not tested, and ✓ is fine. Checking "
        "changes nothing.\n\nEnter makes a plan to fix the highlighted problem and opens it in "
        "Review. After the fix, everything is checked again. For other problems, Enter shows "
        "what to do.\nSpace shows everything about the highlighted row: the evidence, what it "
        "means, and every step. Enter there makes the plan, if there is one. On the last row, it "
        "lists the checks that found no problem.\nt explains a text: paste a kernel log, an error "
        "or a traceback, or name a file.\nr reads the machine again and repeats every check.\n"
        "s saves everything as text (not in a dry run).\np shows a report you can give to "
        "others.\n\nTo get the same as text or JSON: rdna1-setup diagnose [--json], "
        "rdna1-setup explain [--json] FILE"
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "details", "Details", key_display="Space"),
        Binding("t", "explain", "Explain a text"),
        Binding("r", "again", "Check again", show=False),
        Binding("s", "save", "Save as text", show=False),
        REPORT_KEY,
        *COMMON_KEYS,
    ]
    AUTO_FOCUS = "#findings"
    pane = getters.query_one(FindingsPane)

    @dataclass
    class Heard(Message):
        """A thread has something to say."""

        kind: str
        run: int
        act: Callable[[], None]

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(session, services)
        finished = session.finished
        whole = finished is not None and finished.ok and session.failure is None
        self._fixed = session.fix if whole else None
        self._finished = finished
        self._runs: Counter[str] = Counter()
        self.here = session.diagnosed or Shown()
        """What is known of this machine by now."""
        self._of_text: Shown | None = None
        self._draws = False
        """True while what has come is about to be drawn."""
        self.session = replace(
            session, plan=None, choice=None, finished=None, failure=None, fix=None, before=None
        )

    def body(self) -> Iterable[Widget]:
        """The list and the details."""
        yield FindingsPane()

    def on_mount(self) -> None:
        """Shows what was found before, or checks everything."""
        if self.session.diagnosed is None or self._fixed is not None:
            self._check(afresh=self._fixed is not None)
        else:
            self._show(at=self.here.at)

    @property
    def there(self) -> Shown:
        """What is on the screen."""
        return self.here if self._of_text is None else self._of_text

    # Daemon threads, not workers: leaving the program must not wait for a stuck read.

    def _begin(self, kind: str, look: Callable[[Callable[..., None]], None]) -> None:
        self._runs[kind] += 1
        run = self._runs[kind]

        def hear(act: Callable[..., None], *given: object) -> None:
            self.post_message(self.Heard(kind, run, partial(act, *given)))

        take = self._take_trouble if kind == MACHINE else self._take_unexplained
        in_daemon(self, partial(look, hear), partial(hear, take))

    def on_diagnose_heard(self, message: Heard) -> None:
        """Takes what came, unless a later one has begun."""
        if message.run == self._runs[message.kind]:
            message.act()

    def _check(self, *, afresh: bool) -> None:
        """Checks everything, after reading the machine (again)."""
        if afresh:
            self.session = replace(self.session, machine=None, parts=())
        self._take(Shown(running="this machine's details"))
        self.wait(AT_IT if self.session.machine else READING)
        self._begin(MACHINE, partial(self._look, self.session.machine))

    def _look(self, machine: Machine | None, hear: Callable[..., None]) -> None:
        if machine is None:
            machine = self.services.knowledge.detect(lambda part: hear(self._take_part, part))
            hear(self._take_machine, machine)
        diagnostics = self.services.diagnostics
        found = diagnostics.look(machine, lambda step: hear(self._take_progress, step))
        fixable = diagnostics.fixes(machine, found.findings)
        best = self._recommended(machine) if found.rdna1 else ""
        hear(self._take_diagnosis, found, fixable, best)

    def _recommended(self, machine: Machine) -> str:
        """What Choose and ``rdna1-setup plan`` recommend too."""
        wanted = self.session.applications or found_applications(machine)
        return self.services.knowledge.recommend(machine, wanted, self.session.preset).name

    def _take_part(self, part: PartDone) -> None:
        self.session = replace(self.session, parts=(*self.session.parts, part))
        self._take(replace(self.here, running=f"this machine's details ({part.title})"))

    def _take_machine(self, machine: Machine) -> None:
        self.session = replace(self.session, machine=machine)
        self.query_one(HeaderLine).show_machine(machine)

    def _take_progress(self, step: Progress) -> None:
        self._take(after_progress(self.here, step))

    def _take_diagnosis(
        self, diagnosis: Diagnosis, fixable: Mapping[Finding, Plan | None], best: str
    ) -> None:
        there, status = Shown(result=diagnosis, fixable=fixable, recommended=best), None
        fixed, finished = self._fixed, self._finished
        if fixed is not None and finished is not None:
            text, status = fixed_text(fixed, there.findings, finished, self.services.mode)
            rows = enumerate(there.rows)
            at = (n for n, r in rows if isinstance(r, Finding) and r.cause == fixed.cause)
            there = replace(there, fixed=text, fixed_status=status, at=next(at, 0))
        self._take(there)

    def _take_trouble(self, error: OSError | ValueError) -> None:
        self._take(Shown(trouble=unread_text(error)))

    def _take(self, there: Shown) -> None:
        self.here = replace(there, unfolded=self.here.unfolded)
        if self.here.running:
            if not self._draws:  # a few times a second: dozens of checks end within one
                self._draws = True
                self.set_timer(DRAWN_S, self._show_coming)
        elif self._of_text is None:
            self._show(at=self.here.at if self.here.fixed else None)

    def _show_coming(self) -> None:
        self._draws = False
        if self._of_text is None and self.here.running:  # else all of it is shown already
            self._show()

    def _show(self, at: int | None = None) -> None:
        if not self.query(FindingsPane):
            return  # it is being taken down
        there = self.there
        self._conclude(there)
        best = there.recommended
        self.pane.findings.border_subtitle = f"Recommended stack: {best}" if best else ""
        self.pane.show(there, at)
        if self.pane.display is not bool(there.rows):
            self.pane.display = bool(there.rows)
            self.pane.findings.focus()
        if there.trouble:
            self.say(NOT_READ, "fault")
        elif there.text:
            self.say(OF_A_TEXT)
        elif not there.running:
            self.say(f"{counts_text(finding.status for finding in there.findings)}.")
        self.refresh_bindings()

    def _conclude(self, there: Shown) -> None:
        found = conclusion_of(there)
        if found is None:
            self.conclude(CHECKING)
        elif there.fixed:
            self.conclude(there.fixed, there.fixed_status, found.text, found.status)
        elif second := second_line(there):
            self.conclude(found.text, found.status, second)
        elif (stopped := self.services.runs.unfinished()) is not None:
            text = UNFINISHED.format(stopped.name, stopped.folder)
            self.conclude(found.text, found.status, text, Status.WARNING)
        else:
            self.conclude(found.text, found.status)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offers what can be done with what is there."""
        if action == "details":
            return bool(self.there.rows)
        if action == "save":
            return not self.services.rehearses and self.there.result is not None
        return super().check_action(action, parameters)

    def on_option_list_option_highlighted(self) -> None:
        """Shows the details of that row."""
        self.pane.show_details()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Opens the fix of a row, or all that is known of it."""
        row = self.pane.findings.rows[event.option_index]
        if row in self.there.fixable:
            self._fix(row)
        else:
            self.action_details()

    def action_details(self) -> None:
        """Shows all of the highlighted row; a row of many is unfolded."""
        row = self.pane.findings.current
        if isinstance(row, Fine):
            folded = replace(self.there, unfolded=not self.there.unfolded)
            if self._of_text is None:
                self.here = folded
            else:
                self._of_text = folded
            self._show()
        elif row is not None:
            lines = (line.plain for line in details(row, self.there, LINE_CELLS))
            fixable = isinstance(row, Finding) and row in self.there.fixable
            page = LinesView("Details", lines, FIX if fixable else "")
            self.app.push_screen(page, partial(self._read, row))

    def _read(self, row: Row, fixes: bool | None) -> None:
        if fixes:
            self._fix(row)

    @work(group="fix", exclusive=True)
    async def _fix(self, finding: Row) -> None:
        machine = self.session.machine
        if not isinstance(finding, Finding) or machine is None:
            return
        self.wait(MAKING)
        make = partial(self.services.diagnostics.make_fix, machine, finding)
        none = "There is no plan for this"
        plan = await self.made(make, none, "The plan was not made", UNCHANGED)
        if plan is None:
            return
        left = replace(self.here, at=self.pane.findings.highlighted or 0)
        before = replace(self.session, diagnosed=left)
        fixing = replace(before, plan=plan, fix=finding, before=before)
        self.post_message(self.Go("review", fixing))

    def action_explain(self) -> None:
        """Asks for a text to explain."""
        self.app.push_screen(TextQuestion(), self._explain)

    def _explain(self, given: Given | None) -> None:
        if given is None or not (given.text or given.path):
            return
        name, diagnosing = given.path or PASTED, self.services.diagnostics
        self.wait(f"Reading {name} ...")

        def look(hear: Callable[..., None]) -> None:
            explain = diagnosing.explain_file if given.path else diagnosing.explain
            hear(self._take_text, Shown(text=name, result=explain(given.path or given.text)))

        self._begin(TEXT, look)

    def _take_text(self, there: Shown) -> None:
        self._of_text = there
        self._show(at=0)

    def _take_unexplained(self, error: OSError | ValueError) -> None:
        self.say("The text could not be read. Press t to try a different text.", "fault")
        text = told(fault("The text was not read", error, ANOTHER))
        self.app.push_screen(Notice("Not explained", text))

    def action_again(self) -> None:
        """Checks everything again."""
        self._of_text = None
        self._check(afresh=True)

    def action_back(self) -> None:
        """From a text to this machine; from there to where it was opened."""
        if self._of_text is None:
            self.post_message(self.Go(*from_diagnose(self.session)))
        else:
            self._of_text = None
            self._show()

    def action_save(self) -> None:
        """Saves what is shown, whole, and names the file."""
        kind = TEXT if isinstance(self.there.result, Explanation) else MACHINE
        text = saved_text(self.there, self.session.machine)
        save(self, self.services.reports.save, f"rdna1-findings-{kind}.txt", text)
