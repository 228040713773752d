"""What of a table is looked into: its smallest failure, and where the limit of that may be."""

from __future__ import annotations

from collections.abc import Iterable

from wizard.conv2d.presets import Row
from wizard.conv2d.verdicts import RIGHT, Result, Verdict

FIXABLE = (Verdict.HUNG, Verdict.CRASHED, Verdict.WRONG, Verdict.FLAKY)
"""What another setting may make right."""


def smallest_failure(known: Iterable[tuple[Row, Result]]) -> Row | None:
    """The smallest shape that another setting may fix; None where there is none."""
    failed = [
        row
        for row, result in known
        if result.verdict in FIXABLE and not result.on_processor and not result.operation
    ]
    return min(failed, key=lambda row: row.shape.h * row.shape.w, default=None)


def span_of_limit(row: Row, results: Iterable[Result]) -> tuple[int, int]:
    """From the largest size of these channels that is right to the one that failed."""
    right = [
        result.shape.h
        for result in results
        if result.verdict in RIGHT
        and (result.shape.c_in, result.shape.c_out) == (row.shape.c_in, row.shape.c_out)
        and result.shape.h < row.shape.h
    ]
    return max(right, default=1), row.shape.h
