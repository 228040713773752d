"""The last step: what changed, how to use it, how to undo it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from screens.hanging import hanging
from screens.report.key import REPORT_KEY
from screens.report.preview import ReportPreview
from screens.services import DEMO, LIVE
from screens.session import Session, to_diagnose
from screens.step import COMMON_KEYS, StepScreen
from screens.words import shown
from wizard.journalform import Kind
from wizard.plan.root_steps import AddToGroups, AptChange, SetSystemPathAside, WriteSystemFile
from wizard.plan.steps import Plan, WriteFile
from wizard.plan.using import (
    measure_command,
    on_processor,
    python_lines,
    starts,
    still_missing,
)
from wizard.remedies import by_keys
from wizard.report.events import LOGIN, RESTART
from wizard.root.session import undo_script
from wizard.run.events import PlanFinished
from wizard.run.lines import clean
from wizard.sizes import counted, size_text

LABEL_CELLS = 10
FRAME_CELLS = 4


class Done(StepScreen):
    """Ends the way with everything that the user may want to keep."""

    NAME = "done"
    TITLE_WORD = "Done"
    HELP_TEXT = (
        "What changed, how to use it and how to undo it. Passing the check of Apply means that "
        "torch loads and that one tiny product is right. Whether convolutions work on your card "
        "only the Conv2d panel says.\n\n"
        "d looks for what is wrong where something hangs. p shows a report for others, such as "
        "for an issue, whole and redacted before it is written. Esc goes back to the plan, w to "
        "the start, q leaves."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "leave", "Finish"),
        Binding("w", "welcome", "To the start"),
        Binding("d", "diagnose", "Something hangs?"),
        REPORT_KEY,
        *COMMON_KEYS[:2],
    ]
    AUTO_FOCUS = "#ending"

    def body(self) -> Iterable[Widget]:
        """The ending, scrollable."""
        with VerticalScroll(id="ending", can_focus=True):
            yield Static(id="text", markup=False)

    def on_resize(self) -> None:
        """Lays the text out for the new width."""
        text = ending_text(self.session, self.services.mode, self.size.width - FRAME_CELLS)
        self.query_one("#text", Static).update(text)

    def action_report(self) -> None:
        """Shows what a report for others would hold."""
        self.app.push_screen(ReportPreview(self.services))

    def action_diagnose(self) -> None:
        """Shows what is wrong here."""
        self.post_message(self.Go("diagnose", to_diagnose(self.NAME, self.session)))

    def action_welcome(self) -> None:
        """Goes to the first step with the machine that is known."""
        session = Session(machine=self.session.machine, parts=self.session.parts)
        self.post_message(self.Go("welcome", session))


def ending_text(session: Session, mode: str, cells: int) -> Content:
    """The whole ending as text."""
    lines = [Content.styled(_headline(session, mode), "bold"), Content("")]
    for label, texts in _sections(session, mode):
        for index, text in enumerate(texts):
            name = label if index == 0 else ""
            lines += hanging(f"{name:<{LABEL_CELLS}}", text, cells, "bold $text-primary")
        lines.append(Content(""))
    return Content("\n").join(lines)


def _headline(session: Session, mode: str) -> str:
    finished = session.finished
    if session.plan is None:
        return "Nothing was installed."
    if mode != LIVE:
        word = "demo" if mode == DEMO else "dry run"
        return f"Rehearsed to the end. This was a {word}: nothing was changed."
    if session.failure is not None:
        return "Not finished: a step failed. Nothing more happens by itself."
    if finished is None or finished.cancelled or not finished.ok:
        return "Stopped before the end. Start the same plan again and it goes on."
    if not session.plan.venv:
        return "Done as planned. It can be taken back."
    if not finished.changed:
        return "Everything was already as planned: nothing was changed."
    if on_processor(session.plan):
        return "Installed. It computes on the processor, without the card."
    return "Installed. What is left to know is whether convolutions work on your card."


def _sections(session: Session, mode: str) -> Iterable[tuple[str, tuple[str, ...]]]:
    plan, finished, failure = session.plan, session.finished, session.failure
    if plan is None:
        return
    whole = failure is None and finished is not None and finished.ok
    tense = ("Changed" if whole else "Planned") if mode == LIVE else "Would be"
    if failure is not None:
        step = f"step {failure.number}: " if failure.number else ""
        yield "Failed", (f"{step}{shown(failure.happened)}",)
        yield "It means", (shown(by_keys(failure.meaning)),)
        yield "Next", (shown(by_keys(failure.next_step)),)
    if left := _left_to_do(plan, finished, mode):
        yield "To do", left
    if whole and plan.kind is Kind.INSTALL:
        asked, machine = session.applications, session.machine
        for number, lines in enumerate(starts(plan, asked, machine)):
            yield "" if number else "Start", tuple(map(clean, lines))
        yield "Python", tuple(map(clean, python_lines(plan, machine)))
        yield "Measure", (clean(measure_command(plan)),)
    yield tense, tuple(_changes(plan))
    if plan.venv and (system := tuple(_system_changes(plan))):
        yield "System", system
    if mode != LIVE or (finished is not None and finished.run):
        kept = ("Files that you added are kept.",) if plan.venv else ()
        yield "Undo it", (_undo(finished), *kept, *_by_hand(plan, finished))
    if finished is not None and finished.log:
        yield "Log", (shown(finished.log),)


def _left_to_do(plan: Plan, finished: PlanFinished | None, mode: str) -> tuple[str, ...]:
    """What is left to the user: a restart is a new login too."""
    if finished is None or not finished.ok:
        return ()
    login = finished.relogin_needed or (mode != LIVE and plan.relogin_needed)
    missing = still_missing(plan)
    texts = (
        RESTART if finished.restart_needed else "",
        LOGIN if login and not finished.restart_needed else "",
        f"You still need {missing}." if missing else "",
    )
    return tuple(shown(text) for text in texts if text)


def _undo(finished: PlanFinished | None) -> str:
    run = finished.run if finished is not None else ""
    return f"rdna1-setup rollback {shown(run)}".rstrip()


def _by_hand(plan: Plan, finished: PlanFinished | None) -> Iterable[str]:
    """The way back of root's part that needs no program of ours."""
    if finished is not None and finished.run and any(step.needs_root for step in plan.steps):
        script = shown(str(undo_script(finished.run)))
        yield f"The system's part without this program, as root: sh {script}"


def _system_changes(plan: Plan) -> Iterable[str]:
    for step in plan.steps:
        match step:
            case AptChange():
                counts = (("removal", step.expect_remove), ("installation", step.expect_install))
                yield ", ".join(
                    f"{what} of {counted(len(names), 'package')}" for what, names in counts if names
                )
            case WriteSystemFile():
                yield shown(step.path)
            case SetSystemPathAside():
                yield f"{shown(step.path)}, moved into the backup"
            case AddToGroups():
                yield f"{shown(step.user)} in the groups {shown(', '.join(step.groups))}"
            case _:
                pass


def _changes(plan: Plan) -> Iterable[str]:
    if not plan.venv:
        yield from (shown(step.reason) for step in plan.steps)
        return
    size = "size not known" if plan.installed_bytes is None else size_text(plan.installed_bytes)
    yield f"{shown(plan.venv)} ({shown(plan.name)}, {size}), in it:"
    for step in plan.steps:
        if isinstance(step, WriteFile):
            yield shown(step.path).removeprefix(f"{shown(plan.venv)}/")
