"""Findings as plain text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from wizard.diagnose.explain import Answer, Explanation
from wizard.diagnose.finding import Finding, Status
from wizard.diagnose.listed_cards import ListedCard
from wizard.diagnose.machine import Diagnosis
from wizard.machine.facts import Machine
from wizard.report.mending import fix_command
from wizard.run.lines import clean

WIDTH = 79
MARKS = {
    Status.FAULT: "FAULT",
    Status.WARNING: "WARNING",
    Status.NOT_TESTED: "NOT TESTED",
    Status.OK: "OK",
}
EVIDENCE_SHOWN = 3
NO_CAUSE = "none"
"""Where no cause that this program knows was proved."""
NO_CARD = (
    "No RDNA1 card (RX 5300 to 5700, W5500, W5700, V520) was found here. Only what holds for every "
    "machine was checked: other advice of this program would be wrong for other cards."
)
NOT_RDNA1 = (
    "No RDNA1 card (RX 5300 to 5700, W5500, W5700, V520) is listed in this text: "
    "this program is made for those."
)
NOTHING = "Nothing wrong was found in it: it was read for the causes that this program knows."
CANNOT_TELL = (
    "This cannot be told from this text: it holds no line that this program knows. "
    "Give it the kernel log (journalctl -k -b), or all that the failing command printed."
)


def explanation_lines(explained: Explanation) -> Iterator[str]:
    """What a text proves, the root cause first, then the cards that it lists."""
    if explained.answer is Answer.CANNOT_TELL:
        yield from _wrapped(CANNOT_TELL)
    elif explained.answer is Answer.NOTHING:
        yield from _wrapped(f"{NOTHING} ({', '.join(explained.kinds)})")
    yield from finding_lines(explained.findings)
    yield from _card_lines(explained.cards)
    if explained.other_card:
        yield ""
        yield from _wrapped(NOT_RDNA1)


def diagnosis_lines(machine: Machine, diagnosis: Diagnosis) -> Iterator[str]:
    """What was found on a machine: what counts in full, the rest in a line each."""
    if machine.recorded:
        yield f"RECORDED MACHINE {machine.recorded}: not this computer"
    if not diagnosis.rdna1:
        yield from _wrapped(NO_CARD)
    counting = [finding for finding in diagnosis.findings if finding.counts]
    if not counting:
        yield "Nothing wrong was found. If everything works, there is nothing to do."
    yield from finding_lines(counting)
    rest = [finding for finding in diagnosis.findings if not finding.counts]
    if rest:
        yield ""
    for finding in rest:
        why = f": {finding.meaning}" if finding.status is Status.NOT_TESTED else ""
        yield from _wrapped(f"{MARKS[finding.status]}: {clean(finding.title + why)}", "", "  ")


def finding_lines(findings: Sequence[Finding]) -> Iterator[str]:
    """Each finding with evidence, meaning and fix."""
    for finding in findings:
        yield ""
        yield from _wrapped(_heading(finding))
        for evidence in finding.evidence[:EVIDENCE_SHOWN]:
            yield from _wrapped(f"{evidence.where}: {clean(evidence.text)}", "  | ", "  |   ")
        if len(finding.evidence) > EVIDENCE_SHOWN:
            yield f"  | and {len(finding.evidence) - EVIDENCE_SHOWN} more"
        yield from _wrapped(finding.meaning, "  ")
        for number, step in enumerate(finding.fix, 1):
            yield from _wrapped(f"{number}. {step}", "  ", "     ")
        if command := fix_command(finding, findings):
            yield f"  Mend it: {clean(command)}"  # never wrapped: it is to be copied
        yield from (f"  {link}" for link in finding.links)


def _heading(finding: Finding) -> str:
    sure = f" ({finding.confidence.value})" if finding.counts else ""
    cause = "" if finding.cause == NO_CAUSE else f" [{finding.cause}]"
    return f"{MARKS[finding.status]}{sure}: {clean(finding.title)}{cause}"


def _card_lines(cards: Sequence[ListedCard]) -> Iterator[str]:
    if not cards:
        return
    yield ""
    yield "Graphics cards that the text lists"
    for card in cards:
        ids = " ".join(part for part in (card.pci_id, card.gfx) if part) or "no number"
        kind = "RDNA1" if card.rdna1 else "not RDNA1"
        yield from _wrapped(f"{clean(card.name)} [{ids}]: {kind} ({card.source})", "  ", "    ")


def _wrapped(text: str, first: str = "", later: str = "") -> list[str]:
    later = later or " " * len(first)
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=later, break_on_hyphens=False
    )
