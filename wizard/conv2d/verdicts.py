"""What a measurement says: verdicts, results and how many wrong digits are still right."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from enum import Enum
from typing import Any, NamedTuple

from wizard.conv2d.candidates import Candidates, candidates_form
from wizard.conv2d.shapes import Published, Setting, Shape, label_of
from wizard.core.amounts import counted
from wizard.core.json_form import to_json
from wizard.knowledge.cards import gfx_of_name
from wizard.knowledge.variables import OVERRIDE

UNIT_ROUNDOFF = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24, "float64": 2.0**-53}
LARGEST_OUTPUT = 8
"""Outputs are normally distributed with variance 1 (2 with bias): none of billions reaches this."""


class Verdict(str, Enum):
    """How one shape ended."""

    PASS = "pass"  # noqa: S105 - a verdict
    WRONG = "wrong"
    ERROR = "error"
    SLOW = "slow"
    HUNG = "hung"
    CRASHED = "crashed"
    OUT_OF_MEMORY = "out of memory"
    FLAKY = "flaky"
    """Right in some launches and not in others."""
    UNUSABLE = "unusable"
    """Not measured, because nothing measured now could be trusted."""


RIGHT = (Verdict.PASS, Verdict.SLOW)
"""Verdicts of right numbers."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was really loaded, as the worker itself saw it; empty before it could say."""

    torch: str | None = None
    hip: str | None = None
    """``torch.version.hip``: the ROCm that torch was built with."""
    device: str | None = None
    """The card's name, or ``cpu``."""
    gfx: str | None = None
    """As the runtime names the card: an override changes it. None on the CPU."""
    libraries: tuple[str, ...] = ()
    """GPU libraries in the measuring process, by path."""
    setting: tuple[tuple[str, str], ...] = ()
    """Variables of ROCm that were in force."""


@dataclass(frozen=True, slots=True)
class Control:
    """A shape that had passed before a suspect, measured again after it."""

    label: str
    verdict: Verdict
    detail: str


@dataclass(frozen=True, slots=True)
class Result:
    """One shape, measured, with what it was measured on."""

    shape: Shape
    engine: str
    """``miopen``, ``cudnn`` or ``cpu``: torch as configured; ``native``, ``unfold``: past MIOpen;
    ``torch``: an operation, as configured."""
    verdict: Verdict
    detail: str
    """What happened and what it means, in words; ``""`` for a plain pass."""
    runs: int
    """Launches that this verdict rests on."""
    loaded: Loaded
    cold_s: float | None = None
    """The first call, with everything that is compiled or searched in it."""
    warm_s: float | None = None
    """Median of the later calls."""
    max_abs_error: float | None = None
    """Largest difference from the float64 reference; None when unknown or not finite."""
    nonfinite: int | None = None
    """How many numbers were infinite or not a number; None when none was compared."""
    tolerance: float | None = None
    memory_bytes: int | None = None
    hang_class: str | None = None
    """What kind of hang it was, as ``hang_classes`` names them."""
    because: str | None = None
    """The line or figure that proves it; ``""`` for an unclassified hang."""
    phase: str | None = None
    """Where it was when it hung, died or failed, for example ``cold``."""
    process: str | None = None
    """``fork`` or ``spawn``: how its process came to be."""
    published: Published | None = None
    failed: int = 0
    """How many of these launches hung, died or gave wrong numbers."""
    rate: str | None = None
    """What several launches say of how often it fails."""
    cause: str | None = None
    """What is known to cause the text of an error or a crash, as ``error_texts.toml`` names it."""
    control: Control | None = None
    """What shows whether the environment still worked, for a shape that failed."""
    asked: Setting = ()
    """Variables that were set on top of the environment for it."""
    log: bool = False
    """True when MIOpen's log was on: the times are longer for it."""
    log_line: str | None = None
    """What MIOpen's log said last before it hung, died or failed; of what came back, the line that
    names the algorithm."""
    work: str = "forward"
    """What was measured: ``forward``, ``backward``, ``train``, or the id of an operation."""
    operation: str | None = None
    """What was measured in place of a convolution, in words; the shape means nothing then."""
    part: str | None = None
    """Which of several results is the furthest from right: that of error and tolerance."""
    candidates: Candidates | None = None
    """What MIOpen said it would choose from for it, where it was asked."""

    @property
    def label(self) -> str:
        """What was measured, for people."""
        return label_of(self.shape, self.work, self.operation)

    @property
    def on_processor(self) -> bool:
        """True when no card had a part in it."""
        return self.engine == "cpu" or self.loaded.device == "cpu"


def tolerance(shape: Shape) -> float:
    """The largest error that rounding may cause; a larger one means wrong numbers.

    Image and weights are normally distributed, the weights scaled by the square root of the
    reduction length K, so that outputs have variance 1. With unit roundoff u, rounding of a sum of
    K such products wanders to about u * sqrt(K), and the largest of millions of outputs to five
    times that; the worst order of summation cannot exceed u * K * sqrt(K). Winograd transforms
    multiply the error of small kernels by up to ten. ``8 u (K + 16)`` lies above the statistical
    error by a factor of ten or more for every K from 1, and below 0.002 for K up to 4096, while a
    product that is missing or computed twice changes an output by about 1 / sqrt(K), 0.015 or more.

    Sums are expected in float32 at least. Shorter formats add the rounding of the output itself,
    which is at most ``LARGEST_OUTPUT`` in size, and of a transformed image (hence twice).
    """
    unit = UNIT_ROUNDOFF[shape.dtype]
    sums = 8 * min(unit, UNIT_ROUNDOFF["float32"]) * (shape.reduction + 16)
    return sums + 2 * LARGEST_OUTPUT * unit


def judge(
    max_abs_error: float | None, nonfinite: int, allowed: float, part: str = "result"
) -> tuple[Verdict, str]:
    """Right or wrong numbers, and the words for it."""
    if nonfinite:
        numbers = counted(nonfinite, "number")
        are = "is" if nonfinite == 1 else "are"
        return Verdict.WRONG, f"{numbers} in the {part} {are} infinite or not a number"
    if max_abs_error is None or max_abs_error > allowed:
        return (
            Verdict.WRONG,
            f"the {part} differs from the float64 reference by {max_abs_error or 0:.3g}; "
            f"rounding explains at most {allowed:.3g}",
        )
    return Verdict.PASS, ""


def result_json(result: Result) -> dict[str, Any]:
    """The public JSON form: flat, with the shape's label and the setting as an object."""
    form: dict[str, Any] = {
        field.name: to_json(getattr(result, field.name)) for field in fields(result)
    }
    form["asked"] = dict(result.asked)
    if result.candidates is not None:
        form["candidates"] = candidates_form(result.candidates)
    form["label"] = result.label
    if result.operation is None:
        form["shape"]["label"] = result.shape.label
    else:
        form["shape"] = None
    loaded = form.pop("loaded")
    loaded["setting"] = dict(result.loaded.setting)
    form.update(loaded)
    return form


CONFIGURED = "configured"
"""The engine of torch as it comes, whatever library that calls: ``miopen``, ``cudnn``, ``cpu``."""


class Manner(NamedTuple):
    """Results that were measured in the same way can stand side by side."""

    engine: str
    """As a result names it: ``miopen``, ``cudnn``, ``cpu``, ``native``."""
    setting: tuple[tuple[str, str], ...]
    """Variables that the row itself asked for, on top of the environment."""
    work: str
    """``forward``, for example."""
    operation: str | None = None
    """What was measured in place of a convolution; the shape means nothing then."""

    @property
    def label(self) -> str:
        """For people; the usual is left out."""
        is_usual = self.work == "forward" or self.operation is not None
        work = [] if is_usual else [self.work]
        return " ".join([self.engine, *work, *(f"{name}={value}" for name, value in self.setting)])

    def named(self, shape: Shape) -> str:
        """What was measured, with all that is not usual about how."""
        what = shape.label if self.operation is None else self.operation
        is_usual = self.label == CONFIGURED
        return what if is_usual else f"{what} ({self.label})"


def is_configured(engine: str) -> bool:
    """True for torch as it comes: on the processor, through MIOpen or through cuDNN."""
    return engine in ("miopen", "cudnn", "cpu", "torch")


def manner_of(result: Result) -> Manner:
    """The way in which a result was measured."""
    return Manner(result.engine, tuple(result.asked), result.work, result.operation)


def tolerances(shape: Shape, work: str) -> dict[str, float]:
    """The largest error that rounding may cause, for each part of what that work gives."""
    match work:
        case "backward":
            return _of_gradients(shape)
        case "train":
            return _of_training(shape)
        case _:
            return {"result": tolerance(shape)}


def _of_gradients(shape: Shape) -> dict[str, float]:
    """Of a backward pass whose gradient from above is normally distributed with variance 1.

    A gradient of the weights sums one product for each place of the result in the whole batch, one
    of the bias the numbers themselves, each about 1 in size; a gradient of the input sums one for
    each output channel of its group and each place of the kernel that falls on a result, which a
    stride leaves ``kernel / stride`` of along each side. Those products are a weight in size.
    """
    places = shape.n * shape.out_h * shape.out_w
    step = shape.stride // math.gcd(shape.stride, shape.dilation)
    taps = math.ceil(shape.kernel / step) ** 2
    spread = math.sqrt(places)
    terms = shape.c_out // shape.groups * taps
    return {
        "input gradient": _of_sum(shape, terms, taps) * math.sqrt(terms / shape.reduction),
        "weight gradient": _of_sum(shape, places, shape.n) * spread,
        "bias gradient": _of_sum(shape, places, shape.n) * spread,
    }


def _of_sum(shape: Shape, terms: int, roundings: int) -> float:
    """The error of a sum of random products, as a share of the sum's standard deviation.

    These sums are longer than those of a forward pass (50,176 places at 224x224), so that the bound
    of ``tolerance``, which grows with their length, would hide a wrong product. Rounding to nearest
    wanders instead: to about ``u sqrt(K) / 2`` standard deviations, the largest of millions to five
    times that, and ten times more with a Winograd transform. ``64 u (sqrt(K) + 4)`` lies above all
    of it. One product left out shows up to 50,000 of them, and an element that is a hundredth of a
    standard deviation off at any length.

    Shorter formats round the sum itself, and with im2col also the running sums: over the images of
    a batch for weights, over the places of the kernel for the input.
    """
    unit = UNIT_ROUNDOFF[shape.dtype]
    sums = 64 * min(unit, UNIT_ROUNDOFF["float32"]) * (math.sqrt(terms) + 4)
    return sums + LARGEST_OUTPUT * unit * (1 + math.sqrt(roundings))


def _of_training(shape: Shape) -> dict[str, float]:
    """Of a training step (``training_job`` in the worker), whose gradients are about 1 in size.

    The error of a gradient is that of its sum and, random from place to place, that of each number
    in it: of a convolution, a batch norm, an activation and their gradients. Shorter formats round
    after each of them. The step is the inverse square root of the reduction, and so are weights.
    The sums for scale and shift do not cancel: they grow with the number of places, and their error
    with it. Of the loss, a mean, little is left but the error of its sum.
    """
    places = shape.n * shape.out_h * shape.out_w
    unit, short = UNIT_ROUNDOFF[shape.dtype], UNIT_ROUNDOFF["float32"]
    lengths = math.sqrt(places) + math.sqrt(shape.reduction) + 16
    sums = 64 * min(unit, short) * lengths
    step = 1 / math.sqrt(shape.reduction)
    rounded = LARGEST_OUTPUT * unit * (3 + math.sqrt(shape.n))
    norm = (sums + rounded) * (1 + step * math.sqrt(places))
    return {
        "loss": sums + 2 * LARGEST_OUTPUT * unit,
        "new weight": (sums + rounded) * step,
        "new bias": (sums + rounded) * step + LARGEST_OUTPUT * unit,
        "new scale": norm,
        "new shift": norm,
    }


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
    whole = replace(
        _figures(results),
        runs=len(results),
        failed=len(failures),
        rate=rate_words(len(failures), len(results), _how(failures)),
    )
    if not failures:
        return whole
    worst = min(failures, key=lambda result: GRAVEST.index(result.verdict))
    always = len(failures) == len(results)
    return replace(
        whole,
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


WORDS = {
    Verdict.PASS: "right",
    Verdict.SLOW: "right but slow",
    Verdict.WRONG: "wrong",
    Verdict.FLAKY: "flaky",
    Verdict.HUNG: "hung",
    Verdict.CRASHED: "crashed",
    Verdict.ERROR: "ended with an error",
    Verdict.OUT_OF_MEMORY: "out of memory",
    Verdict.UNUSABLE: "not measured",
}
ALWAYS = (Verdict.PASS, Verdict.WRONG, Verdict.HUNG)
"""What a reader looks for first: counted also where it is none."""


def results_text(results: Sequence[Result]) -> str:
    """How many ended how."""
    counts = {each: sum(r.verdict is each for r in results) for each in WORDS}
    told = [f"{n} {WORDS[each]}" for each, n in counts.items() if n or each in ALWAYS]
    return f"{counted(len(results), noun_of(results))}: {', '.join(told)}"


def noun_of(results: Sequence[Result]) -> str:
    """What was measured, in a word."""
    return "operation" if any(result.operation for result in results) else "shape"


def chip_measured(loaded: Loaded) -> str | None:
    """The card's own target, or its name where it has none; None where it is not known.

    An override changes what the runtime says: then only the card's name tells.
    """
    if loaded.device is None or loaded.device == "cpu":
        return None
    if loaded.hip is None:
        return loaded.device
    named = gfx_of_name(loaded.device)
    overridden = any(name.startswith(OVERRIDE) for name, _ in loaded.setting)
    if named or overridden or loaded.gfx is None:
        return named
    return loaded.gfx.partition(":")[0]


def rocm_measured(loaded: Loaded) -> str | None:
    """The release of ROCm that torch was built with, for example ``5.7``; None for none."""
    return None if loaded.hip is None else release_of(loaded.hip)


def release_of(version: str) -> str:
    """The release of a version, without what only names the build of it."""
    return ".".join(version.split(".")[:2])


def is_other_chip(claim: Published, loaded: Loaded) -> bool:
    """True when a claim was made on another chip than the one that was measured."""
    mine = chip_measured(loaded)
    return claim.chip is not None and mine is not None and claim.chip != mine


def is_of_other_chip(claim: Published, result: Result | None, here: str | None) -> bool:
    """True when a claim was made on another chip than was measured, or than is here.

    ``here`` counts where nothing was measured yet, and may not be known.
    """
    if result is not None and result.loaded.device is not None:
        return is_other_chip(claim, result.loaded)
    return claim.chip is not None and here is not None and claim.chip != here
