"""How well findings fit the corpus: precision, recall, and what was named that must not be."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tests.diagnose.reading import Case
from wizard.knowledge.causes import load_error_texts

ORDINARY = frozenset(text.id for text in load_error_texts())
"""Errors of pip, apt, compilers and programs, which are no causes of the corpus."""


@dataclass(frozen=True, slots=True)
class Miss:
    """What a diagnosis got wrong in one text."""

    file: str
    missing: tuple[str, ...]
    surplus: tuple[str, ...]
    forbidden: tuple[str, ...]
    """Those of the surplus that the text forbids: each would have led to a wrong fix."""
    root_not_first: bool
    """Tells something only where one cause follows from another."""


@dataclass(frozen=True, slots=True)
class Score:
    """The sums over all texts, and the texts that were not read rightly."""

    right: int
    missing: int
    surplus: int
    forbidden: int
    misses: tuple[Miss, ...]

    @property
    def precision(self) -> float:
        """The share of the causes named that were there."""
        return _share(self.right, self.surplus)

    @property
    def recall(self) -> float:
        """The share of the causes there that were named."""
        return _share(self.right, self.missing)


def score(cases: Iterable[Case], diagnose: Callable[[str], tuple[str, ...]]) -> Score:
    """The score of a function that gives the causes it finds in a text, the root first."""
    read = [(case, diagnose(case.text)) for case in cases]
    misses = [judged(case, found) for case, found in read]
    return Score(
        right=sum(len(set(found) & set(case.expected)) for case, found in read),
        missing=sum(len(miss.missing) for miss in misses),
        surplus=sum(len(miss.surplus) for miss in misses),
        forbidden=sum(len(miss.forbidden) for miss in misses),
        misses=tuple(m for m in misses if m.missing or m.surplus),
    )


def judged(case: Case, found: tuple[str, ...]) -> Miss:
    """What of these findings is wrong for this text."""
    allowed = {*case.expected, *case.tolerated}
    surplus = tuple(cause for cause in found if cause not in allowed | ORDINARY)
    named = [cause for cause in found if cause in case.expected]
    return Miss(
        file=case.file,
        missing=tuple(cause for cause in case.expected if cause not in found),
        surplus=surplus,
        forbidden=tuple(cause for cause in surplus if cause in case.forbidden),
        root_not_first=bool(named) and named[0] != case.expected[0],
    )


def _share(right: int, wrong: int) -> float:
    return right / (right + wrong) if right + wrong else 1.0
