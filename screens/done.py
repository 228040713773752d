"""The last screen: what changed, how to use it, and how to undo it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widget import Widget
from textual.widgets import Static

from screens.session import Session
from screens.step import COMMON_KEYS, REPORT_KEY, StepScreen
from wizard.advice.leftovers import short_path
from wizard.conv2d.requests import sweep_in
from wizard.core.amounts import size_text
from wizard.core.events import PlanFinished
from wizard.core.journal import Kind
from wizard.core.lines import clean, shown
from wizard.core.wording import by_keys
from wizard.diagnose.finding import Status
from wizard.plan.steps import Plan
from wizard.plan.usage import (
    login_too,
    measure_command,
    on_processor,
    python_lines,
    starts,
    still_missing,
)
from wizard.report.conv2d_answers import keep_command
from wizard.report.conv2d_conclusion import concluded
from wizard.report.plan import LOGIN, RESTART
from wizard.root.session import undo_script
from wizard.services import DEMO, LIVE

START = "Start"
BESIDE = 160
"""Cells of a screen that has room for two commands beside each other, each on one line."""


@dataclass(frozen=True, slots=True)
class Panel:
    """A part of the ending: its title, and its lines."""

    title: str
    lines: tuple[str, ...]
    urgent: bool = False
    """True for what the user must know or do before all else."""


class Done(StepScreen):
    """Ends the way with everything that the user may want to keep."""

    NAME = "done"
    TITLE_WORD = "Done"
    HELP_TEXT = (
        "This page shows what changed, how to use the stack, and how to undo the changes. The "
        "check at the end of Install only shows that torch loads and that a small calculation is "
        "correct. Only Measure shows whether convolutions work on your card.\n\nEnter goes back "
        "to the start. d looks for the cause if something hangs. p shows a report you can share, "
        "for example in an issue. It contains no personal data, and you see it before it is "
        "written. Esc goes back to the plan."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,w", "welcome", "Back to the start", key_display="Enter"),
        Binding("d", "diagnose", "Something hangs?"),
        replace(REPORT_KEY, show=True),
        *COMMON_KEYS,
    ]
    AUTO_FOCUS = "#ending"

    def body(self) -> Iterable[Widget]:
        """The parts of the ending, in two columns where there is room."""
        panels = [_widget(panel) for panel in panels_of(self.session, self.services.mode)]
        with VerticalScroll(id="ending", can_focus=True):
            yield from panels

    def on_mount(self) -> None:
        """Says how it ended."""
        self.conclude(*conclusion(self.session, self.services.mode))

    def on_resize(self) -> None:
        """Lays the parts out beside each other where there is room."""
        super().on_resize()
        self.set_class(self.size.width >= BESIDE, "-beside")

    def action_welcome(self) -> None:
        """Goes to the start; the machine is read again there, as it may have changed."""
        self.post_message(self.Go("welcome", Session(applications=self.session.applications)))


def _widget(panel: Panel) -> Static:
    widget = Static("\n".join(panel.lines), classes="panel", markup=False)
    widget.border_title = panel.title
    widget.set_class(panel.title == START, "-first")
    widget.set_class(panel.urgent, "-urgent")
    return widget


def conclusion(session: Session, mode: str) -> tuple[str, Status | None]:
    """How it ended, in one sentence."""
    plan, finished = session.plan, session.finished
    if plan is None:
        return "Nothing was installed.", None
    if mode != LIVE:
        return f"This was a {'demo' if mode == DEMO else 'dry run'}, so nothing was changed.", None
    if session.failure is not None:
        return "Not finished: a step failed.", Status.FAULT
    if finished is None or finished.cancelled or not finished.ok:
        text = "The plan is not finished. Start the same plan again to continue."
        return text, Status.WARNING
    if not plan.venv:
        return "Done. The whole plan was carried out, and you can undo it.", Status.OK
    if not finished.changed:
        return "Everything was already in place, so nothing was changed.", Status.OK
    if on_processor(plan):
        return (
            "PyTorch is installed. It runs on the processor and does not use your card.",
            Status.OK,
        )
    return _measured_text(session)


def _measured_text(session: Session) -> tuple[str, Status]:
    """That PyTorch is installed, and what Measure came to: no tick beside bad news."""
    measured = None if session.measured is None else concluded(session.measured, None)
    if measured is not None and measured.status is not Status.OK:
        return f"PyTorch is installed. {measured.text}", Status.WARNING
    if measured is None and session.found is None:
        told = "PyTorch is installed. Convolutions have not been measured on your card yet."
        return told, Status.OK
    return "PyTorch is installed, and convolutions were measured on your card.", Status.OK


def panels_of(session: Session, mode: str) -> Iterator[Panel]:
    """What to do, how to start, how to undo, what changed."""
    plan, finished, failure = session.plan, session.finished, session.failure
    if plan is None:
        return
    whole = failure is None and finished is not None and finished.ok
    if failure is not None:
        where = f"Step {failure.number}: " if failure.number else ""
        yield Panel("What failed", (f"{where}{shown(failure.happened)}",), urgent=True)
        yield Panel("What it means", (shown(by_keys(failure.meaning)),))
        yield Panel("What to do next", (shown(by_keys(failure.next_step)),), urgent=True)
    if left := _left_to_do(plan, finished, mode):
        yield Panel("Still to do", left, urgent=True)
    if whole:
        yield from _use(session, mode)
    if mode != LIVE or (finished is not None and finished.run):
        kept = ("Files you added are kept.",) if plan.venv else ()
        yield Panel("Undo", (_undo(finished), *kept, *_by_hand(plan, finished)))
    tense = ("Changed" if whole else "Planned") if mode == LIVE else "Would be changed"
    yield Panel(tense, tuple(_changes(plan)))
    if plan.venv and (system := tuple(_system_changes(plan))):
        yield Panel("Changed in the system" if mode == LIVE else "In the system", system)
    if finished is not None and finished.log:
        yield Panel("Log", (shown(finished.log),))


def _use(session: Session, mode: str) -> Iterator[Panel]:
    """How to start what was installed, and what was measured with it."""
    installed, found = _installed(session), tuple(_found(session, mode))
    if installed is not None:
        commands = starts(installed, session.applications, session.machine)
        lines = "\n\n".join("\n".join(map(clean, each)) for each in commands)
        yield Panel(START, tuple(lines.split("\n")))
        if len(found) < 2:  # no setting was found: the shapes can be measured again
            found += (clean(measure_command(installed, session.applications)),)
    if found:
        yield Panel("Measure", found)
    if installed is not None:
        yield Panel("Which Python", tuple(map(clean, python_lines(installed, session.machine))))


def _installed(session: Session) -> Plan | None:
    """The installation of this session: the plan itself, or the one whose setting was kept."""
    plan = session.plan
    if plan is not None and plan.kind is Kind.KEEP and session.before is not None:
        plan = session.before.plan
    return plan if plan is not None and plan.kind is Kind.INSTALL else None


def _found(session: Session, mode: str) -> Iterator[str]:
    """What Measure came to, and whether a setting that it found is kept, or how to keep it."""
    measured, plan, machine = session.measured, session.plan, session.machine
    if measured is None or plan is None:
        return
    end, setting = concluded(measured, None), measured.done.setting
    told = f"{end.text} {end.second}" if end.keeps else end.text
    yield clean(f"In the example: {told}" if mode == DEMO else told)
    if not end.keeps or setting is None or not setting.changes:
        return
    python = sweep_in(measured.request).python
    command = keep_command(setting.changes, python)
    if plan.kind is Kind.KEEP:
        verb = "is" if mode == LIVE else "would be"
        place = python.rpartition("/bin/")[0]
        place = place if machine is None else short_path(place, machine)
        yield clean(f"The setting {verb} kept in {place}.")
    elif mode == DEMO:
        yield "After a real run, Enter in Measure keeps such a setting in your environment."
    elif command:
        yield "The setting is not kept. To keep it:"
        yield clean(command)
    if (installed := _installed(session)) is not None and machine is not None:
        names = [name for name, _ in setting.changes]
        yield from map(clean, login_too(installed, names, machine))


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
        yield "To undo the system changes without this program, run this as root:"
        yield f"sh {script}"


def _system_changes(plan: Plan) -> Iterable[str]:
    return (shown(step.effect) for step in plan.steps if step.needs_root and step.effect)


def _changes(plan: Plan) -> Iterable[str]:
    if not plan.venv:
        yield from (shown(step.reason) for step in plan.steps)
        return
    size = "unknown size" if plan.installed_bytes is None else size_text(plan.installed_bytes)
    yield f"{shown(plan.venv)} ({shown(plan.name)}, {size}), containing:"
    for step in plan.steps:
        if step.effect and not step.needs_root:
            yield shown(step.effect).removeprefix(f"{shown(plan.venv)}/")
