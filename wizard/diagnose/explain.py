"""A text that somebody pasted -> what it proves, root causes first."""

from __future__ import annotations

import io
import re
from bisect import bisect
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from typing import BinaryIO, TypeVar

from wizard.diagnose.conclusions import CONCLUSIONS
from wizard.diagnose.finding import Confidence, Evidence, Finding, Status, in_order
from wizard.diagnose.lines import blocks
from wizard.diagnose.listed_cards import ListedCard
from wizard.diagnose.outcomes import found
from wizard.diagnose.reading import Concluded, Reading, as_finding, explained_errors, read_text
from wizard.knowledge.cards import is_integrated, is_rdna1
from wizard.knowledge.causes import Sign, load_causes, load_signs

BY_TIME = ("gpu-memory-fault", "compute-queue-preemption-hang", "graphics-ring-timeout")
"""Any of these brings the others after it: the first in the log counts. And what a process, the
kernel log and a measurement may all tell of is one event."""
DESKTOP = re.compile(r"page fault .*\bvmid:[1-7]\b")
"""The driver keeps these numbers for graphics: compute queues have 8 to 15."""


def without_consequences(findings: Iterable[Finding], reading: Reading) -> tuple[Finding, ...]:
    """The findings of a text without those that another one explains."""
    found = tuple(findings)
    later = _later(found, reading)  # before: what a cause explains has brought others after it
    return tuple(finding for finding in unexplained(found) if finding.cause not in later)


def unexplained(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Findings without those that a firm one among them explains, which names them."""
    explained = {cause for finding in findings for cause in _consequences(finding)}
    # What was looked at and is fine is no consequence of anything.
    told = tuple(
        f for f in findings if f.status is Status.OK or f.minor or f.cause not in explained
    )
    left_out = dict.fromkeys(f.cause for f in findings if f.counts and f not in told)
    return tuple(_naming(finding, left_out) for finding in told)


def _consequences(finding: Finding) -> tuple[str, ...]:
    cause = load_causes().get(finding.cause)
    firm = finding.confidence.firm and finding.status is Status.FAULT
    return cause.suppresses if cause is not None and firm else ()


def _naming(finding: Finding, left_out: Iterable[str]) -> Finding:
    found = tuple(cause for cause in left_out if cause in _consequences(finding))
    return replace(finding, explains=found) if found else finding


def _later(findings: tuple[Finding, ...], reading: Reading) -> set[str]:
    """Those of the causes that follow one another which came first in no start of the machine."""
    among = [finding for finding in findings if finding.cause in BY_TIME]
    starts = sorted(hit.number for hit in reading.hits.get("new-start", ()))
    lines = {f.cause: [line.number for line in reading.lines_of(f.cause)] for f in among}
    roots = set()
    for start in range(len(starts) + 1):
        own = {f.cause: [n for n in lines[f.cause] if bisect(starts, n) == start] for f in among}
        if within := [(f, own[f.cause]) for f in among if own[f.cause]]:
            roots.add(_root(within, reading))
    return {finding.cause for finding in among} - roots if roots else set()


def _root(within: list[tuple[Finding, list[int]]], reading: Reading) -> str:
    """The one of these that brought the others after it."""

    def rank(one: tuple[Finding, list[int]]) -> tuple[bool, int]:
        finding, own = one
        return not finding.confidence.firm, -max(own) if reading.newest_first else min(own)

    drawn = [f for f, _ in within if f.cause == "graphics-ring-timeout" and f.confidence.firm]
    if drawn and any(DESKTOP.search(hit.text) for hits in reading.hits.values() for hit in hits):
        return drawn[0].cause
    return min(within, key=rank)[0].cause


def joined(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings, each symptom told by its surest witness with the evidence of all."""
    every = tuple(findings)
    for cause in BY_TIME:
        every = _as_one(every, cause)
    return tuple(finding for finding in every if not _covered(finding, every))


def _as_one(findings: tuple[Finding, ...], cause: str) -> tuple[Finding, ...]:
    told = [finding for finding in findings if finding.cause == cause and finding.counts]
    if len(told) < 2:
        return findings
    first = in_order(told)[0]
    witnesses = (first, *(one for one in told if one is not first))
    evidence = dict.fromkeys(each for one in witnesses for each in one.evidence)
    whole = replace(first, evidence=tuple(evidence))
    return tuple(whole if f is first else f for f in findings if f is first or f not in told)


def _covered(finding: Finding, findings: tuple[Finding, ...]) -> bool:
    """True for a warning of what a fault of the same cause proves for the same thing."""
    if finding.status is not Status.WARNING or not finding.evidence:
        return False
    same = (other for other in findings if other.cause == finding.cause)
    return any(o.status is Status.FAULT and finding.evidence[0] in o.evidence for o in same)


OTHER_CARD = (
    "The cards in this text are not RDNA1. This program does not know the fix for them, and the "
    "fix for RDNA1 may be wrong for them."
)

Told = TypeVar("Told", Evidence, ListedCard)
MOST = 6
"""Lines that are shown for one cause."""
PRETENDED = frozenset({"gfx1030"})
"""What HSA_OVERRIDE_GFX_VERSION mostly makes of an RDNA1 card: an error names it as well."""


class Answer(str, Enum):
    """What a text as a whole tells."""

    FOUND = "findings"
    UNRECOGNISED = "unrecognised errors"
    NOTHING = "nothing wrong found"
    CANNOT_TELL = "cannot tell from this"


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a text proves."""

    answer: Answer
    findings: tuple[Finding, ...]
    cards: tuple[ListedCard, ...]
    kinds: tuple[str, ...]
    """What kinds of output it holds."""
    unrecognised: tuple[Evidence, ...] = ()
    """Lines that are errors by their form, and that no finding explains."""

    @property
    def told(self) -> tuple[Finding, ...]:
        """The findings, and below them one of all unrecognised errors."""
        unknown = (as_finding(self.unrecognised),) if self.unrecognised else ()
        return in_order((*self.findings, *unknown))

    @property
    def other_card(self) -> bool:
        """True when it lists cards, and none of them is RDNA1."""
        return bool(self.cards) and not any(card.rdna1 for card in self.cards)


def explain(text: bytes) -> Explanation:
    """What this text proves; raises ``NotText`` for what is none."""
    return explain_file(io.BytesIO(text))


def explain_file(file: BinaryIO) -> Explanation:
    """The same of an open file, without holding all of it."""
    reading = read_text(blocks(file))
    proved = tuple(_proved(reading))
    findings = without_consequences(proved, reading)
    errors = reading.errors.found(_known(proved, reading))
    if _of_another_card(reading):
        findings = tuple(map(_without_fix, findings))
    ordinary, unknown = explained_errors(errors)
    findings = in_order((*findings, *ordinary))
    findings = tuple(replace(f, evidence=_in_text(f.evidence, reading.gone)) for f in findings)
    if any(finding.counts for finding in findings):
        answer = Answer.FOUND
    elif unknown:
        answer = Answer.UNRECOGNISED
    else:
        answer = Answer.NOTHING if reading.kinds else Answer.CANNOT_TELL
    cards, unknown = _in_text(reading.cards, reading.gone), _in_text(unknown, reading.gone)
    return Explanation(answer, findings, cards, tuple(sorted(reading.kinds)), unknown)


def _in_text(told: tuple[Told, ...], gone: list[int]) -> tuple[Told, ...]:
    """The same with the numbers that their lines have in the text as it was given."""
    numbers = [int(each.where.removeprefix("line ")) for each in told]
    for part in gone:
        numbers = [number + (part <= number) for number in numbers]
    return tuple(replace(each, where=f"line {n}") for each, n in zip(told, numbers, strict=True))


def _known(proved: Iterable[Finding], reading: Reading) -> set[int]:
    """The lines that prove findings, also of those that another one explains."""
    signs = {line.number for finding in proved for line in reading.lines_of(finding.cause)}
    shown = {each.where for finding in proved for each in finding.evidence}
    return signs | {int(where.removeprefix("line ")) for where in shown}


def _proved(reading: Reading) -> Iterable[Finding]:
    for cause in load_causes().values():
        seen = _by_signs(cause.id, reading)
        conclude = CONCLUSIONS.get(cause.id)
        concluded = conclude(reading) if conclude else None
        proofs = [proof for proof in (concluded, seen) if proof]
        if proofs:
            sure = min((proof[0] for proof in proofs), key=list(Confidence).index)
            evidence = dict.fromkeys(e for proof in proofs for e in proof[1])
            yield found(cause.id, (*evidence,)[:MOST], sure, status=Status(cause.status))


def _of_another_card(reading: Reading) -> bool:
    """True when every card that this text tells of is another one; False where it tells of none."""
    if reading.cards:
        return not any(card.rdna1 for card in reading.cards)
    told = reading.told["missing_targets"] + reading.told["library_targets"]
    targets = {said.value for said in told}
    if reading.has("rdna1") or any(map(is_rdna1, targets)):
        return False
    if not reading.has("override") and not all(map(is_integrated, targets - PRETENDED)):
        return True
    return reading.has("other-amd") or reading.has("older-amd")


def _without_fix(finding: Finding) -> Finding:
    """The same for the owner of another card, for whom our fix may be wrong."""
    if not load_causes()[finding.cause].only_rdna1:
        return finding
    return replace(finding, meaning=OTHER_CARD, fix=())


def _by_signs(cause: str, reading: Reading) -> Concluded | None:
    held = [sign for sign in load_signs()[cause] if reading.has(sign.id) and _holds(sign, reading)]
    if not held:
        return None
    sure = min((Confidence(sign.confidence) for sign in held), key=list(Confidence).index)
    return sure, reading.evidence(*(sign.id for sign in held))


def _holds(sign: Sign, reading: Reading) -> bool:
    """True when what must be elsewhere in the text is, and what must not be is not."""
    if any(reading.last(mark) > reading.last(sign.id) for mark in sign.until):
        return False
    return all(map(reading.has, sign.beside)) and not any(map(reading.has, sign.without))
