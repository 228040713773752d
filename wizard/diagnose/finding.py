"""What was found: a cause, how sure that is, its proof and its fix; and what all of it comes to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from wizard.core.amounts import counted
from wizard.machine.facts import Setting

NO_CAUSE = "none"
"""Where no known cause was proved, as of an unknown error or of a check that did not end."""
HARMLESS = "noop-setting"
"""A warning that explains nothing."""
PASSING = "dpkg-lock"
"""A state that ends by itself: as a warning it is certain, but no program fails of it but apt."""
HANG = "compute-queue-preemption-hang"
LONGEST_TITLE = 100
"""Characters: a title may quote what stands in a file."""


class Status(str, Enum):
    """How a check ended; what is worst first."""

    FAULT = "fault"
    WARNING = "warning"
    NOT_TESTED = "not-tested"
    OK = "ok"

    @property
    def word(self) -> str:
        """As lines of text tell it."""
        return self.value.replace("-", " ").upper()

    @property
    def mark(self) -> str:
        """As a list shows it, in one cell."""
        return {"fault": "✗", "warning": "!", "not-tested": "?", "ok": "✓"}[self.value]


COUNTED = {
    Status.FAULT: ("fault", "faults"),
    Status.WARNING: ("warning", "warnings"),
    Status.NOT_TESTED: ("not tested", "not tested"),
    Status.OK: ("OK", "OK"),
}


def worst(statuses: Iterable[Status]) -> Status:
    """The worst of them; OK where there is none."""
    return min(statuses, key=list(Status).index, default=Status.OK)


def counts_text(statuses: Iterable[Status]) -> str:
    """How many ended how, the worst first: "1 fault, 2 warnings, 1 not tested, 8 OK"."""
    told = tuple(statuses)
    counts = [(told.count(status), words) for status, words in COUNTED.items()]
    return ", ".join(f"{count} {words[count != 1]}" for count, words in counts if count)


class Confidence(str, Enum):
    """How sure a finding is; the surest first."""

    CERTAIN = "certain"
    LIKELY = "likely"
    POSSIBLE = "possible"

    @property
    def firm(self) -> bool:
        """True when it may explain other findings away."""
        return self is not Confidence.POSSIBLE


@dataclass(frozen=True, slots=True)
class Evidence:
    """A line that proves something, as it stands in its source."""

    text: str
    where: str
    """For example ``line 12`` or ``/etc/profile.d/rocm.sh:3``."""


@dataclass(frozen=True, slots=True)
class About:
    """What of this machine a finding is about: all that a plan to fix it must know."""

    environment: str = ""
    """A venv or conda environment; ``""`` where it is none."""
    settings: tuple[Setting, ...] = ()
    groups: tuple[str, ...] = ()
    """Those that the user is to join."""
    packages: tuple[str, ...] = ()
    """Packages of the system."""
    other_card: str = ""
    """The address of a card beside the one that all else is about; ``""`` for that one."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One cause, present or ruled out."""

    cause: str
    """Of ``assets/causes.toml``."""
    status: Status
    confidence: Confidence
    title: str
    evidence: tuple[Evidence, ...]
    meaning: str
    fix: tuple[str, ...]
    """What a person does, in order; empty where nothing needs to be done."""
    grade: str = ""
    """On what the cause and its fix rest, in the words of ``assets/claims.toml``."""
    links: tuple[str, ...] = ()
    about: About | None = None
    """None where no plan of ours could fix it."""
    explains: tuple[str, ...] = ()
    """Causes that were found too, and are not told beside it."""

    @property
    def counts(self) -> bool:
        """True for what somebody should do something about."""
        return self.status in (Status.FAULT, Status.WARNING)

    @property
    def minor(self) -> bool:
        """True for what explains nothing that a program on the main card suffers from."""
        return self.cause == HARMLESS or bool(self.about and self.about.other_card)


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The worst and surest first, what does no harm last; else in the order in which they came.

    What passes comes after what stays: people look for what their programs suffer from. In a text
    that shows how apt failed of it, it is a fault, and stands with the others.
    """
    status, confidence = list(Status), list(Confidence)

    def rank(finding: Finding) -> tuple[int, bool, bool, int]:
        passes = finding.cause == PASSING and finding.status is Status.WARNING
        bad, sure = status.index(finding.status), confidence.index(finding.confidence)
        return bad, finding.minor, passes, sure

    return tuple(sorted(findings, key=rank))


@dataclass(frozen=True, slots=True)
class Conclusion:
    """How a machine, or a text, stands."""

    status: Status
    """The worst of its findings; nothing that was looked at counts as not tested."""
    text: str
    """The same in a sentence, which names the most likely cause."""


def conclude(findings: Iterable[Finding]) -> Conclusion:
    """What these findings come to."""
    told = in_order(findings)
    if not told:
        return Conclusion(Status.NOT_TESTED, "Nothing could be checked.")
    status = worst(finding.status for finding in told)
    title = told[0].title
    if len(title) > LONGEST_TITLE:
        title = f"{title[:LONGEST_TITLE]}…"
    count = sum(finding.status is status for finding in told)
    if told[0].counts and told[0].minor:
        text = f"No problem was found, but there is a warning: {title}."
    elif told[0].counts:
        text = f"Most likely: {title}."
    elif status is Status.NOT_TESTED:
        checks = counted(count, "check")
        text = f"No problem was found, but {checks} could not be done."
    else:
        checks = "the one check is" if count == 1 else f"all {count} checks are"
        text = f"No problem was found: {checks} fine."
    return Conclusion(status, text)


def exit_code(findings: Iterable[Finding]) -> int:
    """1 when there is something to do something about, else 0."""
    return int(any(finding.counts for finding in findings))


def to_form(finding: Finding) -> dict[str, Any]:
    """The JSON form of a finding; it only grows."""
    return {
        "cause": finding.cause,
        "status": finding.status.value,
        "confidence": finding.confidence.value,
        "title": finding.title,
        "evidence": [each.text for each in finding.evidence],
        "where": [each.where for each in finding.evidence],
        "meaning": finding.meaning,
        "fix": list(finding.fix),
        "grade": finding.grade,
        "links": list(finding.links),
        "explains": list(finding.explains),
    }
