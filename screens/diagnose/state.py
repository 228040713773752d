"""What Diagnose shows, and the rows that this makes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from wizard.diagnose.explain import Explanation
from wizard.diagnose.finding import Finding, Status, in_order
from wizard.diagnose.listed_cards import ListedCard
from wizard.diagnose.looking import Progress
from wizard.diagnose.machine import Diagnosis


@dataclass(frozen=True, slots=True)
class Found:
    """A finding."""

    finding: Finding


@dataclass(frozen=True, slots=True)
class Running:
    """What is being looked at."""

    name: str


@dataclass(frozen=True, slots=True)
class Fine:
    """What was looked at and is fine, in one row."""

    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Listed:
    """The graphics cards that a text lists."""

    cards: tuple[ListedCard, ...]


Row = Found | Running | Fine | Listed


@dataclass(frozen=True, slots=True)
class Shown:
    """Findings of this machine or of a text, as far as they have come."""

    text: str = ""
    """What the text is called; ``""`` for the machine."""
    result: Diagnosis | Explanation | None = None
    """None until all was looked at."""
    coming: tuple[Finding, ...] = ()
    """What was found so far."""
    running: str = ""
    """What is being looked at; ``""`` once all was."""
    fixable: tuple[Finding, ...] = ()
    """Findings that a plan mends."""
    unfolded: bool = False
    """True while what is fine has rows of its own."""
    mended: str = ""
    """What became of the finding that was mended last."""
    trouble: str = ""
    """Why nothing could be looked at."""
    at: int = 0
    """The row that was highlighted."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The worst first."""
        return in_order(self.coming) if self.result is None else self.result.findings

    @property
    def rows(self) -> tuple[Row, ...]:
        """The worst first; what is fine in one row, unless it is unfolded."""
        wrong = tuple(Found(f) for f in self.findings if f.status is not Status.OK)
        fine = tuple(f for f in self.findings if f.status is Status.OK)
        running = (Running(self.running),) if self.running else ()
        folded = (Fine(fine),) if fine else ()
        each = tuple(map(Found, fine)) if self.unfolded else ()
        return (*wrong, *running, *folded, *each, *self._listed)

    @property
    def _listed(self) -> tuple[Row, ...]:
        cards = self.result.cards if isinstance(self.result, Explanation) else ()
        return (Listed(cards),) if cards else ()


def is_same(row: Row, other: Row) -> bool:
    """True for rows of the same finding, or of the same kind where there is one alone."""
    return row == other if isinstance(row, Found) else type(row) is type(other)


def after_progress(shown: Shown, step: Progress) -> Shown:
    """What is shown once a look is waited for or has ended."""
    if step.findings is None:
        return replace(shown, running=f"{step.name} ({step.number} of {step.total})")
    return replace(shown, coming=(*shown.coming, *step.findings))
