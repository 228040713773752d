"""How the outcome of a check, the card it is about and a whole machine are worded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import NamedTuple

from wizard.advice.leftovers import short_path
from wizard.core.amounts import counted
from wizard.core.lines import shown
from wizard.diagnose.finding import About, Confidence, Evidence, Finding, Status
from wizard.knowledge.causes import load_causes
from wizard.machine.facts import Machine, Setting
from wizard.machine.summary import card_line, main_card

SESSION = "this session"


def found(
    cause: str,
    evidence: Iterable[Evidence],
    sure: Confidence = Confidence.CERTAIN,
    *,
    status: Status = Status.FAULT,
    fix: tuple[str, ...] = (),
    title: str = "",
    meaning: str = "",
    about: About | None = None,
) -> Finding:
    """The cause is there; its usual words unless this machine has better ones.

    ``NO_CAUSE`` has no usual words.
    """
    known = load_causes().get(cause)
    return Finding(
        cause=cause,
        status=status,
        confidence=sure,
        title=title or (known.title if known else ""),
        evidence=tuple(dict.fromkeys(evidence)),
        meaning=meaning or (known.meaning if known else ""),
        fix=fix or (known.fix if known else ()),
        grade=known.grade if known else "",
        links=known.links if known else (),
        about=about,
    )


warned = partial(found, status=Status.WARNING)
"""The same of what harms less, or may be meant so."""


def fine(cause: str, title: str, *evidence: Evidence) -> Finding:
    """The cause was looked for and is not there."""
    return Finding(cause, Status.OK, Confidence.CERTAIN, title, evidence, "", ())


def not_tested(cause: str, title: str, why: str) -> Finding:
    """Whether the cause is there could not be seen."""
    return Finding(cause, Status.NOT_TESTED, Confidence.POSSIBLE, title, (), why, ())


def shown_setting(setting: Setting, machine: Machine) -> Evidence:
    """A setting as it stands, with its file and line."""
    where = f"{short_path(setting.file, machine)}:{setting.line}" if setting.file else SESSION
    alone = f" (only for {short_path(setting.within, machine)})" if setting.within else ""
    return Evidence(f"{setting.name}={setting.value}", f"{where}{alone}")


def shown_settings(settings: Iterable[Setting], machine: Machine) -> tuple[Evidence, ...]:
    """Settings, those of a file before those of the session that a file explains."""
    every = tuple(settings)
    explained = {(one.name, one.value) for one in every if one.file and not one.within}
    told = [one for one in every if one.file or (one.name, one.value) not in explained]
    return tuple(shown_setting(one, machine) for one in told)


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
    card = f"your {card_line(machine)}"
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
