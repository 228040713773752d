"""The words of Review: a plan in one sentence, what to know before, and each step in full."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content

from screens.hanging import hanging
from screens.words import shown
from wizard.advice.leftovers import short_path
from wizard.core.lines import clean, clean_lines
from wizard.core.sizes import counted
from wizard.core.trouble import Trouble
from wizard.journalform import Kind
from wizard.operations.fetch_wheels import FetchWheels
from wizard.operations.install_wheels import InstallWheels
from wizard.operations.packages import AptChange
from wizard.plan.steps import Plan, Step
from wizard.plan.way_back import FOLDER_REASON, FOLDER_TITLE
from wizard.report.machine import bytes_text
from wizard.report.plan import download_bytes, most_bytes

if TYPE_CHECKING:
    from wizard.machine.facts import Machine
    from wizard.run.wheels_size import WheelsSize

WARNING, ERROR, LABEL = "bold $text-warning", "bold $text-error", "$text-muted"
UNDO = "rdna1-setup rollback"
RESTART = "Restart the machine afterwards."
LOG_IN = "Log in again afterwards."
DOES = {
    Kind.REMOVE: "Remove ROCm from this system",
    Kind.CLEAN_UP: "Remove leftovers from other scripts",
    Kind.FIX: "Apply the fix",
    Kind.KEEP: "Keep the setting",
    Kind.ROLLBACK: "Roll back",
}
"""What a plan is for that installs nothing."""

Remark = tuple[str, str, str]
"""A label, its style, and what is to be known before the plan begins."""


@dataclass(frozen=True, slots=True)
class Row:
    """A step as it is listed, and what unfolds below it."""

    title: str
    reason: str
    does: tuple[str, ...]
    """The commands, or what is done in their place, exactly."""
    undo: str = ""
    lines: tuple[str, ...] = ()
    """What goes into a file or out of it, whole."""
    note: str = ""
    """Beside the title: how much there is to download, or that root is needed."""
    root: bool = False


def rows_of(plan: Plan | None, found: WheelsSize | None = None) -> tuple[Row, ...]:
    """The steps of a plan; ``found`` is what the index says of the download."""
    return tuple(_row(step, plan, found) for step in plan.steps) if plan is not None else ()


def folder_row(text: str) -> Row:
    """The last step of a rollback, which undoes what was done in the folder of the run."""
    does = (line.strip() for line in clean_lines(text).splitlines()[1:])
    return Row(FOLDER_TITLE, FOLDER_REASON, tuple(does))


def _row(step: Step, plan: Plan, found: WheelsSize | None) -> Row:
    size = None
    if isinstance(step, FetchWheels):
        size = download_bytes(plan, found)
    elif isinstance(step, InstallWheels):
        size = plan.installed_bytes
    elif isinstance(step, AptChange):
        size = step.download_bytes or None
    note = (*(("root",) if step.needs_root else ()), *((bytes_text(size),) if size else ()))
    lines = tuple(map(clean, step.content_lines()))
    return Row(
        shown(step.title),
        shown(step.reason),
        (clean(str(step)),),
        shown(plan.undo_of(step)),
        lines,
        ", ".join(note),
        step.needs_root,
    )


def sentence(plan: Plan, machine: Machine | None, found: WheelsSize | None = None) -> str:
    """What the plan does and takes."""
    size, most = download_bytes(plan, found), most_bytes(plan, found)
    takes = (
        counted(len(plan.steps), "step"),
        *((f"{bytes_text(size)} download",) if size else ()),
        *((f"up to {bytes_text(most)} of disk",) if most else ()),
        rights(plan.steps),
    )
    return f"{_does(plan, machine)}: {', '.join(takes)}."


def rights(steps: Iterable[Step]) -> str:
    """How many of the steps need root."""
    root = sum(step.needs_root for step in steps)
    return f"{root} as root" if root else "no root"


def _does(plan: Plan, machine: Machine | None) -> str:
    if plan.kind is not Kind.INSTALL:
        return DOES[plan.kind]
    place = shown(plan.venv if machine is None else short_path(plan.venv, machine))
    if plan.changes_existing:
        return f"Replace PyTorch in {place} with {shown(plan.stack)}"
    return f"Install {shown(plan.stack)}{f' into {place}' if place else ''}"


def afterwards(plan: Plan) -> str:
    """What is left to the user; a restart is a new login too."""
    if plan.restart_needed:
        return RESTART
    return LOG_IN if plan.relogin_needed and not plan.first else ""


def refusal_remarks(refusal: Trouble | None) -> tuple[Remark, ...]:
    """Why a plan cannot begin: what happened, what it means, what to do."""
    if refusal is None:
        return ()
    return (
        ("✗", ERROR, shown(refusal.happened)),
        (" ", ERROR, shown(refusal.meaning)),
        (" ", ERROR, shown(refusal.next_step)),
    )


def plan_remarks(plan: Plan | None, refusal: Trouble | None = None) -> tuple[Remark, ...]:
    """What must be known before the plan begins, without what it is refused for."""
    if plan is None:
        return ()
    said = refusal.happened if refusal is not None else ""
    notes = (note for note in plan.notes if not (said and note.startswith(said)))
    first = (("!", WARNING, f"First: you need {shown(plan.first)}"),) if plan.first else ()
    return (*first, *(("!", WARNING, shown(note)) for note in notes))


def remark_lines(remarks: Iterable[Remark], cells: int) -> list[Content]:
    """Remarks below one another, none of them cut."""
    return [
        line for label, style, text in remarks for line in hanging(f"{label} ", text, cells, style)
    ]


def detail_lines(row: Row, cells: int, *, apart: bool = False) -> list[Content]:
    """All of a step below its title: why, the exact text of what is done, its files, the undo."""
    between = [Content("")] if apart else []
    lines = hanging("Why   ", row.reason, cells, LABEL)
    for does in row.does:
        lines += between + hanging("Does  ", does, cells, LABEL)
    for line in row.lines:
        lines += hanging("    | ", line, cells, LABEL, exact=True)
    return lines + (between + hanging("Undo  ", row.undo, cells, LABEL) if row.undo else [])
