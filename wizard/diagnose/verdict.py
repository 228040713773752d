"""What a machine comes to for PyTorch, in one or two sentences."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from wizard.diagnose.card_words import card_text, main_card
from wizard.diagnose.finding import Finding, Status, worst
from wizard.machine.facts import Machine
from wizard.run.lines import shown
from wizard.sizes import counted

NO_CARD = "PyTorch would run on the processor: choose the stack cpu."
OTHER_CARD = "Only the stack cpu suits this machine. You can still look at the others."
FIRST = "1 thing to set up first: permission to use the GPU. The plan can do it."


class Verdict(NamedTuple):
    """What a machine comes to, in one or two sentences with their marks."""

    text: str
    status: Status
    second: str = ""
    second_status: Status | None = None


def verdict(machine: Machine, findings: Iterable[Finding], more: str = "d") -> Verdict:
    """What stands in the way of PyTorch on this machine, by what was diagnosed.

    ``more``: the key or the command that explains the warnings.
    """
    gpu = main_card(machine)
    if gpu is None:
        return Verdict("No graphics card was found.", Status.WARNING, NO_CARD)
    if not gpu.rdna1:
        text = f"Your {shown(gpu.name)} is not an RDNA1 card."
        return Verdict(text, Status.WARNING, OTHER_CARD)
    every = tuple(findings)
    faults = [each for each in every if each.status is Status.FAULT]
    warnings = sum(each.status is Status.WARNING for each in every)
    obstacles = [each for each in faults if not plan_joins(each)]
    second: tuple[str, Status | None] = "", None
    if len(obstacles) < len(faults):
        second = FIRST, Status.WARNING
    elif warnings:
        them = "it" if warnings == 1 else "them"
        second = f"{counted(warnings, 'warning')}: {more} explains {them}.", Status.WARNING
    elif machine.unread:
        sources = counted(len(machine.unread), "source")
        second = f"{sources} could not be read.", Status.NOT_TESTED
    card = f"your {card_text(machine)}"
    if not obstacles:
        # No tick beside bad news: the first line bears the worst mark of the two.
        status = worst(filter(None, (Status.OK, second[1])))
        return Verdict(f"No obstacle to PyTorch found on {card}.", status, *second)
    problem = shown(obstacles[0].title).rstrip(".")
    if len(obstacles) == 1:
        return Verdict(f"1 problem found with {card}: {problem}.", Status.FAULT, *second)
    text = f"{len(obstacles)} problems found with {card}. The first: {problem}."
    return Verdict(text, Status.FAULT, *second)


def plan_joins(finding: Finding) -> bool:
    """True for a missing right that a step of the plan gives."""
    groups = finding.about.groups if finding.about else ()
    return finding.cause == "kfd-permission" and bool(groups) and not finding.minor
