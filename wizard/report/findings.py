"""Findings as plain text, and how each is fixed."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Any

from wizard.core.lines import WIDTH, clean, wrapped
from wizard.diagnose.explain import Answer, Explanation
from wizard.diagnose.finding import NO_CAUSE, Finding, Status, conclude, to_form
from wizard.diagnose.fix_settings import has_plan
from wizard.diagnose.listed_cards import ListedCard
from wizard.diagnose.machine import Diagnosis
from wizard.knowledge.causes import load_causes
from wizard.machine.facts import Machine
from wizard.report.recommendation import text_for_cards

PROGRAM = "rdna1-setup diagnose --fix"
FOR_ALL = ("dpkg-interrupted",)
"""Causes that are looked for on every machine, and not beside a card for RDNA1 alone."""


class Outcome(str, Enum):
    """What the next look says of a finding that was fixed."""

    GONE = "gone"
    LOGIN = "pending-login"
    TERMINAL = "pending-terminal"
    THERE = "there"
    UNSEEN = "unseen"


WORDS = {
    Outcome.GONE: "Checked again: {cause} is fixed.",
    Outcome.LOGIN: (
        "Checked again: {cause} will be fixed at your next login. Log out completely and log in "
        "again (or restart), then run rdna1-setup diagnose again."
    ),
    Outcome.TERMINAL: (
        "Checked again: {cause} is fixed in the settings files, but this terminal still has the "
        "old settings. Open a new one (or log out and log in again), then run rdna1-setup "
        "diagnose again."
    ),
    Outcome.THERE: (
        "Checked again: {cause} is not fixed yet. `rdna1-setup diagnose` shows what is left to do."
    ),
    Outcome.UNSEEN: (
        "Checked again, but not every check ran, so it is not known whether {cause} is fixed. "
        "Run rdna1-setup diagnose again."
    ),
}


def fix_command(finding: Finding, among: Sequence[Finding]) -> str:
    """The command that fixes it, with its folder where several have the cause; ``""`` for none."""
    if not has_plan(finding):
        return ""
    folder = folder_of(finding)
    alike = {folder_of(one) for one in among if one.cause == finding.cause and has_plan(one)}
    where = f" --venv {shlex.quote(folder)}" if folder and len(alike) > 1 else ""
    return f"{PROGRAM} {finding.cause}{where}"


def folder_of(finding: Finding) -> str:
    """The environment that it is about; ``""`` where it is about no single one."""
    return finding.about.environment if finding.about else ""


def finding_form(finding: Finding, among: Sequence[Finding]) -> dict[str, Any]:
    """The JSON form of a finding, with what fixes it."""
    command = fix_command(finding, among)
    return {**to_form(finding), "plan": bool(command), "command": command}


def outcome_of(fixed: Finding, now: Sequence[Finding], *, card: bool = True) -> Outcome:
    """What became of a finding by all those of the next look; ``card``: whether that saw one."""
    left = [one for one in now if _same(one, fixed)]
    if not left:
        seen = (card or fixed.cause in FOR_ALL) and not any(_hides(one, fixed) for one in now)
        return Outcome.GONE if seen else Outcome.UNSEEN
    if fixed.cause == "kfd-permission" and not any(map(has_plan, left)):
        return Outcome.LOGIN
    if all(_in_session_alone(one) for one in left):
        return Outcome.TERMINAL
    return Outcome.THERE


def _same(one: Finding, fixed: Finding) -> bool:
    return one.counts and one.cause == fixed.cause and folder_of(one) == folder_of(fixed)


def _hides(one: Finding, fixed: Finding) -> bool:
    """True where a look for it did not come to an end."""
    return one.status is Status.NOT_TESTED and one.cause in (fixed.cause, NO_CAUSE)


def _in_session_alone(finding: Finding) -> bool:
    """True where only what this session was started with is left."""
    settings = finding.about.settings if finding.about else ()
    return bool(settings) and not any(one.file for one in settings)


EVIDENCE_SHOWN = 3
EVIDENCE_MOST = 20
"""Of a finding that is told whole: a text may have hundreds of errors."""
NO_CARD = (
    "No RDNA1 card (RX 5300 to 5700, W5500, W5700, V520) was found here, so only general checks "
    "were run."
)
NOT_RDNA1 = (
    "This text lists no RDNA1 card (RX 5300 to 5700, W5500, W5700, V520), and this program "
    "recognizes only these cards."
)
UNRECOGNISED = "This text shows an error that this program does not recognize."
NOTHING = "No known problem was found in this text."
CANNOT_TELL = (
    "This program does not recognize any line in this text. Try the kernel log (journalctl -k "
    "-b), or the whole output of the failing command."
)


def answer_text(explained: Explanation) -> str:
    """What a text comes to, in a sentence."""
    match explained.answer:
        case Answer.CANNOT_TELL:
            return CANNOT_TELL
        case Answer.NOTHING:
            return f"{NOTHING} ({', '.join(explained.kinds)})"
        case Answer.UNRECOGNISED:
            return UNRECOGNISED
        case Answer.FOUND:
            return conclude(explained.findings).text


def explanation_lines(explained: Explanation, applications: tuple[str, ...] = ()) -> Iterator[str]:
    """What a text proves, the root cause first, then the cards that it lists and their stack."""
    yield from wrapped(answer_text(explained))
    yield from finding_lines(explained.told)
    if explained.cards:
        yield ""
        yield from card_lines(explained.cards)
        targets = (card.gfx for card in explained.cards if card.rdna1)
        yield from wrapped(text_for_cards(targets, applications))
    if explained.other_card:
        yield ""
        yield from wrapped(NOT_RDNA1)


def diagnosis_texts(machine: Machine, diagnosis: Diagnosis) -> Iterator[str]:
    """What there is to say before the findings."""
    if machine.recorded:
        yield f"RECORDED MACHINE {machine.recorded}: not this computer"
    if not diagnosis.rdna1:
        yield NO_CARD
    yield conclude(diagnosis.findings).text


def diagnosis_lines(machine: Machine, diagnosis: Diagnosis) -> Iterator[str]:
    """What was found on a machine: what counts in full, the rest in a line each."""
    for text in diagnosis_texts(machine, diagnosis):
        yield from wrapped(text)
    counting = [finding for finding in diagnosis.findings if finding.counts]
    yield from finding_lines(counting)
    rest = [finding for finding in diagnosis.findings if not finding.counts]
    if rest:
        yield ""
    for finding in rest:
        yield from rest_lines(finding)


def rest_lines(finding: Finding, width: int = WIDTH) -> list[str]:
    """What is not wrong, or was not tested and why, in a line or two."""
    why = f": {finding.meaning}" if finding.status is Status.NOT_TESTED else ""
    return wrapped(f"{finding.status.word}: {finding.title}{why}", width, indent="  ")


def finding_lines(findings: Sequence[Finding]) -> Iterator[str]:
    """Each finding with meaning, fix and evidence."""
    for finding in findings:
        yield ""
        command = fix_command(finding, findings)
        yield from whole_lines(finding, most=EVIDENCE_SHOWN, command=command)


def whole_lines(
    finding: Finding, width: int = WIDTH, most: int = EVIDENCE_MOST, command: str = ""
) -> Iterator[str]:
    """One finding: what it means, how to fix it, the lines that prove it (so many at most)."""
    yield from wrapped(_heading(finding), width)
    yield from wrapped(finding.meaning, width, "  ")
    for number, step in enumerate(finding.fix, 1):
        yield from wrapped(f"{number}. {step}", width, "  ", "     ")
    if command:
        yield f"  Fix it: {clean(command)}"  # never wrapped: it is to be copied
    for evidence in finding.evidence[:most]:
        yield from wrapped(f"{evidence.where}: {evidence.text}", width, "  | ", "  |   ")
    if len(finding.evidence) > most:
        yield f"  | and {len(finding.evidence) - most} more"
    for cause in finding.explains:
        title = load_causes()[cause].title
        yield from wrapped(f"This also explains: {title} [{cause}]", width, "  ", "    ")
    if finding.grade:
        yield f"  Based on: {finding.grade}"
    yield from (f"  {clean(link)}" for link in finding.links)


def _heading(finding: Finding) -> str:
    sure = f" ({finding.confidence.value})" if finding.counts else ""
    cause = "" if finding.cause == NO_CAUSE else f" [{finding.cause}]"
    return f"{finding.status.word}{sure}: {clean(finding.title)}{cause}"


def card_lines(cards: Sequence[ListedCard], width: int = WIDTH) -> Iterator[str]:
    """The graphics cards that a text lists."""
    yield "Graphics cards in the text"
    for card in cards:
        ids = " ".join(part for part in (card.pci_id, card.gfx) if part) or "no number"
        kind = "RDNA1" if card.rdna1 else "not RDNA1"
        yield from wrapped(f"{card.name} [{ids}]: {kind} ({card.source})", width, "  ", "    ")
        if card.reported not in ("", card.gfx):
            told = (
                f"ROCm treats the card as {card.reported}, because HSA_OVERRIDE_GFX_VERSION is set."
            )
            yield from wrapped(told, width, "    ")
