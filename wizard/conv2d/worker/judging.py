"""From what became of a launch to the result of its shape."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from wizard.conv2d.presets import Row
from wizard.conv2d.sweep import Sweep
from wizard.conv2d.verdicts import RIGHT, Loaded, Result, Verdict, judge
from wizard.conv2d.worker import wording
from wizard.conv2d.worker.checking import Checked, checked
from wizard.conv2d.worker.hang_classes import classify
from wizard.conv2d.worker.outcome import HUNG, Outcome
from wizard.conv2d.worker.reference import Comparison
from wizard.knowledge.causes import KnownText, known_text

VERDICTS = {
    "error": Verdict.ERROR,
    "import failed": Verdict.ERROR,
    "out of memory": Verdict.OUT_OF_MEMORY,
    "crashed": Verdict.CRASHED,
}
LONGEST_LINE = 200
"""Characters of a line of somebody else's that are shown."""
LONGEST_KEPT = 300
"""Characters of a line of MIOpen's that are kept: solver, kernel or file stand at its begin."""


@dataclass(frozen=True, slots=True)
class Launched:
    """All that is known of a shape once its launches are over."""

    outcome: Outcome
    comparison: Comparison
    runs: int
    process: str


def judged(sweep: Sweep, index: int, launched: Launched, loaded: Loaded) -> Result:
    """The result of a shape that was launched."""
    row, outcome = sweep.rows[index], launched.outcome
    warm = outcome.figures.get("warm")
    warm_s = statistics.median(warm) if warm else None
    finding = None if outcome.evidence is None else classify(outcome.evidence)
    known = _known_cause(outcome)
    worst = checked(row, launched.comparison)
    verdict, detail = _verdict(launched, worst, warm_s, sweep.slow_s)
    return Result(
        shape=row.shape,
        engine=engine_name(row, sweep.device, loaded),
        verdict=verdict,
        detail=detail if known is None else _explained(detail, known),
        runs=launched.runs,
        loaded=loaded,
        cold_s=outcome.figures.get("cold"),
        warm_s=warm_s,
        max_abs_error=worst.max_abs_error,
        nonfinite=worst.nonfinite,
        tolerance=worst.tolerance,
        memory_bytes=outcome.figures.get("memory"),
        hang_class=None if finding is None else finding.hang_class.value,
        because=None if finding is None else finding.because,
        phase=None if outcome.kind == "measured" else outcome.phase,
        process=launched.process,
        published=row.published,
        failed=0 if verdict in RIGHT else launched.runs,
        cause=None if known is None else known.text.id,
        asked=row.setting,
        log=row.log,
        log_line=None if outcome.reading is None else outcome.reading.line[:LONGEST_KEPT],
        work=row.work,
        operation=row.in_place_of_it,
        part=None if worst.nonfinite is None else worst.part,
    )


def unmeasured(
    sweep: Sweep,
    index: int,
    verdict: Verdict,
    text: str,
    loaded: Loaded,
    phase: str | None = None,
) -> Result:
    """The result of a shape that was not launched now."""
    row = sweep.rows[index]
    return Result(
        shape=row.shape,
        engine=engine_name(row, sweep.device, loaded),
        verdict=verdict,
        detail=text,
        runs=0,
        loaded=loaded,
        hang_class="unclassified" if verdict is Verdict.HUNG else None,
        phase=phase,
        published=row.published,
        asked=row.setting,
        log=row.log,
        work=row.work,
        operation=row.in_place_of_it,
    )


def engine_name(row: Row, device: str, loaded: Loaded) -> str:
    """Who does the convolution."""
    if row.engine == "unfold":
        return "unfold"
    if device == "cpu":
        return "cpu"
    if row.engine == "native":
        return "native"
    if row.operation is not None:
        return "torch"
    return "miopen" if loaded.hip else "cudnn"


def _known_cause(outcome: Outcome) -> KnownText | None:
    """Of an exception its text says most, of a process that died or hung what it had printed."""
    if outcome.kind == "measured":
        return None
    return known_text(outcome.text) or known_text(outcome.printed)


def _explained(detail: str, known: KnownText) -> str:
    said = "" if known.line in detail else f" It printed: {known.line[:LONGEST_LINE]}."
    return f"{detail.rstrip('.')}.{said} {known.text.explanation}"


def _verdict(
    launched: Launched, worst: Checked, warm_s: float | None, slow_s: float
) -> tuple[Verdict, str]:
    outcome = launched.outcome
    if outcome.kind in HUNG:
        return Verdict.HUNG, wording.hung(outcome)
    if outcome.kind != "measured":
        return VERDICTS[outcome.kind], outcome.text
    if worst.nonfinite is None:
        return Verdict.ERROR, f"measured but not checked: {launched.comparison.failure}"
    verdict, detail = judge(worst.max_abs_error, worst.nonfinite, worst.tolerance, worst.part)
    if verdict is Verdict.PASS and warm_s is not None and warm_s > slow_s:
        return Verdict.SLOW, f"right numbers, but each later call takes {warm_s:.3g} s"
    return verdict, detail
