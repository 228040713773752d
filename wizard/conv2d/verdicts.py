"""What a measurement says: verdicts, results and how many wrong digits are still right."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum
from typing import Any

from wizard.conv2d.candidates import Candidates, candidates_form
from wizard.conv2d.presets import Published, Setting
from wizard.conv2d.shapes import Shape, label_of
from wizard.core.json_form import to_json

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
        numbers = "1 number" if nonfinite == 1 else f"{nonfinite} numbers"
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
