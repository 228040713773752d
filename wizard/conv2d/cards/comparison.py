"""What changed between two runs: verdicts that differ first, then times as ratios."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from wizard.conv2d.cards.result_card import ResultCard
from wizard.conv2d.shapes import Shape
from wizard.conv2d.verdicts import CONFIGURED, Manner, Result, Verdict, is_configured, manner_of


@dataclass(frozen=True, slots=True)
class Seen:
    """What one run says of a shape that it may have measured several times."""

    verdicts: tuple[tuple[Verdict, int], ...]
    """Each verdict with how often it came, most often first."""
    cold_s: float | None
    warm_s: float | None
    """Medians of those that were measured."""

    @property
    def words(self) -> str:
        """For example ``pass`` or ``pass 2 of 3``."""
        total = sum(count for _, count in self.verdicts)
        verdict, count = self.verdicts[0]
        return verdict.value if count == total else f"{verdict.value} {count} of {total}"


@dataclass(frozen=True, slots=True)
class Change:
    """One shape, measured in one way, in both runs."""

    shape: Shape
    manner: Manner
    before: Seen
    after: Seen

    @property
    def differs(self) -> bool:
        """True when the verdicts are not the same, whatever the times."""
        return {v for v, _ in self.before.verdicts} != {v for v, _ in self.after.verdicts}

    @property
    def warm_ratio(self) -> float | None:
        """How many times as long a later call takes after as before."""
        return _ratio(self.before.warm_s, self.after.warm_s)

    @property
    def cold_ratio(self) -> float | None:
        """How many times as long the first call takes after as before."""
        return _ratio(self.before.cold_s, self.after.cold_s)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs side by side."""

    before: ResultCard
    after: ResultCard
    changes: tuple[Change, ...]
    """Those whose verdicts differ first, then from the largest change of the warm time down."""
    only_before: tuple[tuple[Shape, Manner], ...]
    only_after: tuple[tuple[Shape, Manner], ...]

    @property
    def differing(self) -> tuple[Change, ...]:
        """Those whose verdicts differ."""
        return tuple(change for change in self.changes if change.differs)


def compare_runs(before: ResultCard, after: ResultCard) -> Comparison:
    """What changed from one run to another, row by row of the same shape and way."""
    old, new = _seen(before.results), _seen(after.results)
    return Comparison(
        before,
        after,
        compare_results(before.results, after.results),
        tuple(key for key in old if key not in new),
        tuple(key for key in new if key not in old),
    )


def compare_results(before: Sequence[Result], after: Sequence[Result]) -> tuple[Change, ...]:
    """Rows that both have: those whose verdicts differ, then by how much the times do."""
    old, new = _seen(before), _seen(after)
    changes = [Change(*key, old[key], new[key]) for key in old if key in new]
    changes.sort(key=lambda change: (not change.differs, -_distance(change.warm_ratio)))
    return tuple(changes)


def comparison_form(found: Comparison) -> dict[str, Any]:
    """The JSON form."""
    return {
        "same_chip": same_chip(found.before, found.after),
        "differing": len(found.differing),
        "changes": [_change_form(change) for change in found.changes],
        "only_before": [manner.named(shape) for shape, manner in found.only_before],
        "only_after": [manner.named(shape) for shape, manner in found.only_after],
    }


def _change_form(change: Change) -> dict[str, Any]:
    return {
        "what": change.manner.named(change.shape),
        "before": change.before.words,
        "after": change.after.words,
        "differs": change.differs,
        "cold_ratio": change.cold_ratio,
        "warm_ratio": change.warm_ratio,
    }


def same_chip(one: ResultCard, other: ResultCard) -> bool | None:
    """Whether two runs were measured on the same kind of chip; None when one does not tell."""
    mine, theirs = chip_of(one), chip_of(other)
    return None if mine is None or theirs is None else mine == theirs


def chip_of(card: ResultCard) -> str | None:
    """The chip that was measured: ``cpu``, its own target, or else its name."""
    return card.chip.gfx or card.chip.name


def _seen(results: Sequence[Result]) -> dict[tuple[Shape, Manner], Seen]:
    rows: dict[tuple[Shape, Manner], list[Result]] = {}
    for result in results:
        if result.verdict is not Verdict.UNUSABLE:
            rows.setdefault((result.shape, _comparable(manner_of(result))), []).append(result)
    return {key: _summed(measured) for key, measured in rows.items()}


def _comparable(manner: Manner) -> Manner:
    """On the processor, through MIOpen and through cuDNN, the engine is torch as configured."""
    return manner._replace(engine=CONFIGURED) if is_configured(manner.engine) else manner


def _summed(results: Sequence[Result]) -> Seen:
    counts = Counter(result.verdict for result in results)
    colds = [result.cold_s for result in results if result.cold_s is not None]
    warms = [result.warm_s for result in results if result.warm_s is not None]
    return Seen(
        tuple(counts.most_common()),
        statistics.median(colds) if colds else None,
        statistics.median(warms) if warms else None,
    )


def _ratio(before: float | None, after: float | None) -> float | None:
    return after / before if before and after is not None else None


def _distance(ratio: float | None) -> float:
    """How far from 1, the same for twice as long and for half as long."""
    return 0.0 if not ratio else max(ratio, 1 / ratio)
