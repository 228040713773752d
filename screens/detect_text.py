"""What Detect says of the machine: a verdict, and a row for each question."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from textual.content import Content

from screens.faults import fault, in_one_run
from screens.hanging import wrapped
from screens.services import DetectedPart
from screens.words import STATUS_STYLES, card_text, column, main_card, shown
from wizard.diagnose.finding import Finding, Status
from wizard.machine.facts import Machine
from wizard.run.lines import clean
from wizard.sizes import counted

TITLE_CELLS = 20
PERMISSION = "kfd-permission"
FIRST = "1 thing to set up first: permission to use the GPU. The plan can do it."


class Verdict(NamedTuple):
    """What a machine comes to, in one or two sentences with their marks."""

    text: str
    status: Status
    second: str = ""
    second_status: Status | None = None


def verdict(machine: Machine, findings: Iterable[Finding]) -> Verdict:
    """What stands in the way of PyTorch on this machine, by what was diagnosed."""
    gpu = main_card(machine)
    if gpu is None:
        return Verdict(
            "No graphics card was found.",
            Status.WARNING,
            "PyTorch would run on the processor: choose the stack cpu.",
        )
    if not gpu.rdna1:
        return Verdict(
            f"Your {shown(gpu.name)} is not an RDNA1 card.",
            Status.WARNING,
            "Only the stack cpu suits this machine. You can still look at the others.",
        )
    counting = [each for each in findings if each.counts]
    faults = [each for each in counting if each.status is Status.FAULT]
    warnings = len(counting) - len(faults)
    joinable = any(_the_plan_joins(each) for each in faults)
    obstacles = [each for each in faults if not _the_plan_joins(each)]
    second = _unread(machine)
    if warnings:
        them = "it" if warnings == 1 else "them"
        second = f"{counted(warnings, 'warning')}: d explains {them}.", Status.WARNING
    if joinable:
        second = FIRST, Status.WARNING
    card = f"your {card_text(machine)}"
    if not obstacles:
        return Verdict(f"No obstacle to PyTorch found on {card}.", Status.OK, *second)
    problem = _problem(machine, obstacles[0])
    if len(obstacles) == 1:
        return Verdict(f"1 problem found with {card}: {problem}.", Status.FAULT, *second)
    text = f"{len(obstacles)} problems found with {card}. The first: {problem}."
    return Verdict(text, Status.FAULT, *second)


def _problem(machine: Machine, finding: Finding) -> str:
    """What is wrong, in a few words; a container has no driver of its own to look for."""
    container = machine.surroundings.container
    if finding.cause == "kfd-missing" and container:
        return f"{container} was started without the GPU's device /dev/kfd"
    return shown(finding.title).rstrip(".")


def _the_plan_joins(finding: Finding) -> bool:
    """True for a missing right that a step of the plan gives."""
    return finding.cause == PERMISSION and finding.about is not None and bool(finding.about.groups)


def _unread(machine: Machine) -> tuple[str, Status | None]:
    if not machine.unread:
        return "", None
    return f"{counted(len(machine.unread), 'source')} could not be read.", Status.NOT_TESTED


def row_text(part: DetectedPart, cells: int, status: Status | None) -> Content:
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
        fault("This machine could not be read completely", error, f"{found}. r reads again.")
    )


def details_text(part: DetectedPart, status: Status | None) -> str:
    """Everything about one answer."""
    head = f"{status.word}: " if status not in (None, Status.OK) else ""
    found = "\n".join(clean(line) for line in part.details) or "Nothing more was found."
    return f"{head}{clean(part.summary)}\n\nSource: {clean(part.source)}\n\n{found}"
