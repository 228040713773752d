"""What a machine comes to for PyTorch, in one or two sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from wizard.core.amounts import counted
from wizard.core.lines import shown
from wizard.diagnose.card_words import card_text, main_card
from wizard.diagnose.finding import Finding, Status
from wizard.machine.facts import Machine

NO_CARD = "PyTorch would run on the processor: choose the stack cpu."
OTHER_CARD = "Only the stack cpu suits this machine. You can still look at the others."
PLAN_DOES = "The plan can do it."
FIRST = f"1 thing to set up first: permission to use the GPU. {PLAN_DOES}"
NO_OTHER = "No other obstacle to PyTorch was found."


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
    warnings = [each for each in every if each.status is Status.WARNING]
    obstacles = [each for each in faults if not plan_joins(each)]
    card = f"your {card_text(machine)}"
    joins = len(obstacles) < len(faults)
    told = f"{counted(len(warnings), 'warning')}: {more} explains them."
    told = told.replace("them", "it") if len(warnings) == 1 else told
    if obstacles:
        text = _first_of(obstacles, "problem", f"found with {card}")
        second = FIRST if joins else told if warnings else ""
        return Verdict(text, Status.FAULT, second, Status.WARNING if second else None)
    if joins:
        text = f"Set up 1 thing first on {card}: permission to use the GPU."
        return Verdict(text, Status.WARNING, f"{PLAN_DOES} {told if warnings else NO_OTHER}")
    if warnings:
        them = "warning" if len(warnings) == 1 else "warnings"
        second = f"You can still set up PyTorch. {more} explains the {them}."
        return Verdict(_first_of(warnings, "warning", f"for {card}"), Status.WARNING, second)
    text = f"No obstacle to PyTorch found on {card}."
    if machine.unread:
        sources = counted(len(machine.unread), "source")
        second = f"{sources} could not be read."
        return Verdict(text, Status.NOT_TESTED, second, Status.NOT_TESTED)
    return Verdict(text, Status.OK)


def _first_of(findings: Sequence[Finding], noun: str, where: str) -> str:
    """How many there are, and the first by its title."""
    title = shown(findings[0].title).rstrip(".")
    first = f"{counted(len(findings), noun)} {where}"
    return f"{first}: {title}." if len(findings) == 1 else f"{first}. The first: {title}."


def plan_joins(finding: Finding) -> bool:
    """True for a missing right that a step of the plan gives."""
    groups = finding.about.groups if finding.about else ()
    return finding.cause == "kfd-permission" and bool(groups) and not finding.minor
