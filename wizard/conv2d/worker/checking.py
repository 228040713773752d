"""Which of the numbers that came back is the furthest from right, and how far it may be."""

from __future__ import annotations

from dataclasses import dataclass

from wizard.conv2d.presets import Row
from wizard.conv2d.tolerances import tolerances
from wizard.conv2d.worker.reference import Comparison, Part


@dataclass(frozen=True, slots=True)
class Checked:
    """The worst part of a result, or all None where nothing was compared."""

    max_abs_error: float | None
    nonfinite: int | None
    tolerance: float
    part: str = "result"


def checked(row: Row, comparison: Comparison) -> Checked:
    """The part with numbers that are none, or else with the most error for its tolerance."""
    if not comparison.parts:
        return Checked(None, None, _allowed(row, None))
    parts = [
        Checked(part.max_abs_error, part.nonfinite, _allowed(row, part), part.name)
        for part in comparison.parts
    ]
    return max(parts, key=_badness)


def _badness(part: Checked) -> float:
    if part.nonfinite or part.max_abs_error is None:
        return float("inf")
    if not part.tolerance:
        return float("inf") if part.max_abs_error else 0.0
    return part.max_abs_error / part.tolerance


def _allowed(row: Row, part: Part | None) -> float:
    if row.operation is not None:
        usual = 1.0 if part is None or part.usual is None else part.usual
        return row.operation.relative_tolerance * usual
    allowed = tolerances(row.shape, row.work)
    return min(allowed.values()) if part is None else allowed[part.name]
