"""What Diagnose shows, and the rows that this makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from wizard.diagnose.explain import Explanation
from wizard.diagnose.finding import Finding, Status, in_order
from wizard.diagnose.listed_cards import ListedCard
from wizard.diagnose.machine import Diagnosis, Progress
from wizard.plan.steps import Plan


@dataclass(frozen=True, slots=True)
class Running:
    """What is being checked."""

    name: str


@dataclass(frozen=True, slots=True)
class Fine:
    """The checks that found nothing, in one row."""

    findings: tuple[Finding, ...]
    more: bool
    """True below other rows."""


@dataclass(frozen=True, slots=True)
class Listed:
    """The graphics cards that a text lists."""

    cards: tuple[ListedCard, ...]


Row = Finding | Running | Fine | Listed


@dataclass(frozen=True, slots=True)
class Shown:
    """Findings of this machine or of a text, as far as they have come."""

    text: str = ""
    """What the text is called; ``""`` for the machine."""
    result: Diagnosis | Explanation | None = None
    """None until everything was checked."""
    coming: tuple[Finding, ...] = ()
    """What was found so far."""
    running: str = ""
    """What is being checked; ``""`` at the end."""
    fixable: Mapping[Finding, Plan | None] = field(default_factory=dict)
    """Findings that a plan fixes, each with it; None where it could not be made by now."""
    unfolded: bool = False
    """True while each check that is fine has a row of its own."""
    fixed: str = ""
    """What became of the finding that was fixed last."""
    fixed_status: Status | None = None
    recommended: str = ""
    """The stack that Choose recommends for this machine."""
    trouble: str = ""
    """Why nothing could be checked."""
    at: int = 0
    """The row that was highlighted."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The worst first."""
        if isinstance(self.result, Explanation):
            return self.result.told
        return in_order(self.coming) if self.result is None else self.result.findings

    @property
    def rows(self) -> tuple[Row, ...]:
        """The worst first; what is fine in one row, and below it unless that is folded."""
        wrong = tuple(f for f in self.findings if f.status is not Status.OK)
        fine = tuple(f for f in self.findings if f.status is Status.OK)
        running = (Running(self.running),) if self.running else ()
        folded = (Fine(fine, bool(wrong)),) if fine else ()
        cards = self.result.cards if isinstance(self.result, Explanation) else ()
        listed = (Listed(cards),) if cards else ()
        return (*wrong, *running, *folded, *(fine if self.unfolded else ()), *listed)


def is_same(row: Row, other: Row) -> bool:
    """True for rows of the same finding, or of the same kind where there is one alone."""
    return row == other if isinstance(row, Finding) else type(row) is type(other)


def after_progress(shown: Shown, step: Progress) -> Shown:
    """What is shown once a check begins or has ended."""
    if step.findings is None:
        return replace(shown, running=f"{step.name} ({step.number} of {step.total})")
    return replace(shown, coming=(*shown.coming, *step.findings))
