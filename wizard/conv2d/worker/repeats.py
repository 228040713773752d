"""Several launches of one shape as one result, and how much they say."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from wizard.conv2d.verdicts import RIGHT, Result, Verdict

CHANCE = 0.05
"""What is left out at 95 %."""
GRAVEST = (
    Verdict.HUNG,
    Verdict.CRASHED,
    Verdict.WRONG,
    Verdict.ERROR,
    Verdict.OUT_OF_MEMORY,
)


def rate_words(failed: int, runs: int, how: str = "failed") -> str:
    """How often it failed, and where the true rate lies at 95 %, for none and for all.

    A launch that fails with the rate p is right n times in a row with the chance ``(1 - p) ** n``;
    below 5 % that is no coincidence. For none of three: p is below ``1 - 0.05 ** (1 / 3)``, 63 %.
    """
    said = f"{failed} of {runs} {how}"
    edge = CHANCE ** (1 / runs)
    if failed == 0:
        return f"{said}; up to {100 * (1 - edge):.0f} % of tries may still fail (95 % sure)"
    if failed == runs:
        return f"{said}, so at least {100 * edge:.0f} % of tries fail (95 % sure)"
    return said


def together(results: Sequence[Result]) -> Result:
    """One result of all launches of a shape; what failed in some of them only is flaky."""
    first, *more = results
    if not more:
        return first
    failures = [result for result in results if result.verdict not in RIGHT]
    counted = replace(
        _figures(results),
        runs=len(results),
        failed=len(failures),
        rate=rate_words(len(failures), len(results), _how(failures)),
    )
    if not failures:
        return counted
    worst = min(failures, key=lambda result: GRAVEST.index(result.verdict))
    always = len(failures) == len(results)
    return replace(
        counted,
        verdict=worst.verdict if always else Verdict.FLAKY,
        detail=worst.detail if always else f"{worst.verdict.value}: {worst.detail}",
        nonfinite=worst.nonfinite,
        hang_class=worst.hang_class,
        because=worst.because,
        phase=worst.phase,
        cause=worst.cause,
    )


def _figures(results: Sequence[Result]) -> Result:
    """The last launch with the median of all times and the largest of all errors and memories."""
    last = results[-1]
    return replace(
        next((r for r in reversed(results) if r.verdict in RIGHT), last),
        cold_s=_median([r.cold_s for r in results if r.cold_s is not None]),
        warm_s=_median([r.warm_s for r in results if r.warm_s is not None]),
        max_abs_error=max((r.max_abs_error for r in results if r.max_abs_error is not None),
                          default=None),
        memory_bytes=max((r.memory_bytes for r in results if r.memory_bytes is not None),
                         default=None),
        loaded=last.loaded,
    )  # fmt: skip


def _median(values: Sequence[float]) -> float | None:
    return statistics.median(values) if values else None


def _how(failures: Sequence[Result]) -> str:
    counts = Counter(result.verdict.value for result in failures)
    if set(counts) <= {Verdict.HUNG.value}:
        return "hung"
    if len(counts) == 1:
        return "failed"
    return f"failed ({', '.join(f'{n} {word}' for word, n in counts.items())})"
