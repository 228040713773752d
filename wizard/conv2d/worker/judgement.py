"""From what became of a launch to the result of its shape; whether the card is still sound."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from wizard.conv2d.shapes import Row
from wizard.conv2d.stop_reasons import RESTART
from wizard.conv2d.sweep import StopReason, Sweep
from wizard.conv2d.verdicts import RIGHT, Control, Loaded, Result, Verdict, judge, tolerances
from wizard.conv2d.worker.launch import HUNG, Outcome
from wizard.conv2d.worker.start import Comparison, Part
from wizard.knowledge.causes import KernelLine, KnownText, known_text


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


LOST = "hung or killed before its result was written"
FORK_SUSPECTED = (
    "The first shape in a forked process did not finish. Trying it again in a separate process, "
    "to see whether forking or the shape is at fault."
)
FORK_UNSAFE = (
    "Importing torch opened a connection to the card, which a forked process must not share. So "
    "each shape gets its own process, which is slower but changes nothing else."
)
FORK_BAD = (
    "Forked processes do not work with this torch: the same shape finished in a separate "
    "process. So each remaining shape gets its own process, which is slower but changes nothing "
    "else."
)
FORK_FAILED_CHECK = (
    "A forked process did not pass the card check, and none has worked so far. The card "
    "is checked again from a separate process. From now on, each shape gets its own process, "
    "which is slower but changes nothing else."
)
FORK_CLEARED = "The shape also failed in a separate process, so the shape is at fault, not forking."

WHERE = {
    "import": "while torch was imported",
    "start": "before its first operation",
    "tensors": "while its tensors were made and copied to the device",
    "cold": "in its first call",
    "backward": "in its first backward pass, after the forward pass worked",
    "step": "in its first optimizer step, after the gradients were computed",
    "warm": "in a later call, after the first one worked",
    "copy back": "while the result was copied back",
}


def hung(outcome: Outcome) -> str:
    """What a hang was, as far as anybody can tell from outside."""
    where = WHERE.get(outcome.phase, outcome.phase)
    text = f"no answer within {outcome.seconds:g} s {where}; the process was killed"
    if outcome.finding is not None and outcome.finding.because:
        return f"{text}. {outcome.finding.hang_class.value}: {outcome.finding.because}"
    return text


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
    finding, known = outcome.finding, _known_cause(outcome)
    worst = checked(row, launched.comparison)
    verdict, detail = _verdict(launched, worst, warm_s, sweep.slow_s)
    bare = unmeasured(
        sweep, index, verdict, detail if known is None else _explained(detail, known), loaded
    )
    return replace(
        bare,
        runs=launched.runs,
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
        failed=0 if verdict in RIGHT else launched.runs,
        cause=None if known is None else known.text.id,
        log_line=None if outcome.reading is None else outcome.reading.line[:LONGEST_KEPT],
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
        operation=row.operation_title,
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
        return Verdict.HUNG, hung(outcome)
    if outcome.kind != "measured":
        return VERDICTS[outcome.kind], outcome.text
    if worst.nonfinite is None:
        return Verdict.ERROR, f"measured but not checked: {launched.comparison.failure}"
    verdict, detail = judge(worst.max_abs_error, worst.nonfinite, worst.tolerance, worst.part)
    if verdict is Verdict.PASS and warm_s is not None and warm_s > slow_s:
        return Verdict.SLOW, f"right numbers, but each later call takes {warm_s:.3g} s"
    return verdict, detail


SUSPECT = (Verdict.HUNG, Verdict.CRASHED, Verdict.WRONG, Verdict.ERROR, Verdict.FLAKY)


def control_for(index: int, rows: Sequence[Row], results: Mapping[int, Result]) -> int | None:
    """The index of the row that is the control of this one; None where there is none."""
    suspect = rows[index]
    if results[index].verdict not in SUSPECT:
        return None
    right = [
        place
        for place, result in results.items()
        if result.verdict in RIGHT
        and rows[place].shape != suspect.shape
        and _way(rows[place]) == _way(suspect)
    ]
    return min(right, key=lambda place: (_products(rows[place]), place), default=None)


def control_words(result: Result) -> str:
    """What the control of a failure says; ``""`` without one."""
    control = result.control
    if control is None:
        return ""
    if control.verdict in RIGHT:
        return f"Control: {control.label} was right both before and after it"
    verdict = control.verdict.value
    return f"Control: {control.label} was right before it; afterwards, its verdict was {verdict}"


def environment_broken(suspect: Row, control: Control) -> StopReason:
    """A shape that was right before is so no more."""
    return StopReason(
        f"{control.label} gave the right result earlier in this run. After {suspect.label}, it "
        f"did not: {control.verdict.value}, {control.detail or 'without a message'}.",
        "Something changed that affects every shape, so no measurement can be trusted now.",
        RESTART,
    )


def _way(row: Row) -> tuple[object, ...]:
    return (row.setting, row.log, row.engine, row.work)


def _products(row: Row) -> int:
    return row.shape.out_bytes * row.shape.reduction


RESET_DONE = "reset-done"
UNSOUND = ("reset-failed", "reset", "preemption-failed", "eviction-failed")
"""Messages after which only a finished reset makes the card whole."""
WELL = (
    "The card still works: a test addition and a small matrix product were correct. The "
    "measurement continues."
)
WELL_AFTER_RESET = (
    "The driver has reset the card, and it works again: a test addition and a small matrix "
    "product were correct. Other programs that used it, including the desktop, may have lost "
    "their data on the card."
)
NO_CONVOLUTION = (
    "This operation is not a convolution, and any working card can run it, so no measurement on "
    "this card can be trusted now."
)


def trouble_of(check: Outcome, lines: Sequence[KernelLine]) -> StopReason | None:
    """Why nothing more can be measured; None when the card is well."""
    if check.kind != "healthy":
        happened = f"After a failed launch, the card failed a check: {_failure(check)}."
        return StopReason(happened, NO_CONVOLUTION, RESTART)
    unsound = next((line for line in _since_reset(lines) if line.message.id in UNSOUND), None)
    if unsound is None:
        return None
    return StopReason(
        f"After a failed launch, the kernel log says: {unsound.line.strip()}",
        f"That message means that {unsound.message.means}. The card passed a small check, but no "
        "measurement on it can be trusted now.",
        RESTART,
    )


def well(lines: Sequence[KernelLine]) -> str:
    """The words for a card that passed."""
    was_reset = any(line.message.id == RESET_DONE for line in lines)
    return WELL_AFTER_RESET if was_reset else WELL


def _since_reset(lines: Sequence[KernelLine]) -> Sequence[KernelLine]:
    done = [place for place, line in enumerate(lines, 1) if line.message.id == RESET_DONE]
    return lines[done[-1] :] if done else lines


def _failure(check: Outcome) -> str:
    if check.kind in HUNG:
        proof = f" ({check.finding.because})" if check.finding and check.finding.because else ""
        return f"{WHAT.get(check.phase, 'its first operation')} {_late(check)}{proof}"
    if check.kind == "wrong":
        return f"its {check.text} gave wrong numbers"
    if check.kind == "no device":
        return "torch no longer finds a GPU"
    return f"{WHAT.get(check.phase, 'its first operation')} failed: {check.text}"


def _late(check: Outcome) -> str:
    late = f"did not finish within {check.seconds:g} s"
    return f"{late}, and {check.text} long after SIGKILL" if check.kind == "unkillable" else late


WHAT = {"sum": "a sum", "product": "a product of two small matrices"}
