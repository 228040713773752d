"""Which cause a failed measurement has, read as any other text about it would be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wizard.conv2d.verdicts import Result, Verdict
from wizard.conv2d.worker.hang_classes import HangClass
from wizard.diagnose.explain import explain
from wizard.diagnose.finding import NO_CAUSE, Confidence, Finding
from wizard.diagnose.reach import OVERRIDE, is_foreign
from wizard.diagnose.versions import OVERRIDE_HANGS_SINCE, rocm_of

HANG = "compute-queue-preemption-hang"
MISMATCH = "override-isa-mismatch"
OUT_OF_VRAM = "out-of-vram"
PROGRESSING = (HangClass.COMPILING.value, HangClass.SEARCHING.value)
"""What only takes its time: no fault of the card or of its driver."""
OWN_WORDS = re.compile(r"\s*Known cause: .*", re.DOTALL)
"""What this program says itself behind a text that it knows."""


def blamed(results: Sequence[Result], card: str) -> tuple[str, Confidence]:
    """The cause of results that failed in the same way, and how sure that is.

    ``card``: what was measured, for example ``Radeon RX 5600 XT (gfx1010)``.
    """
    first = results[0]
    if first.verdict is Verdict.OUT_OF_MEMORY:
        return OUT_OF_VRAM, Confidence.CERTAIN
    if first.hang_class in PROGRESSING:
        return NO_CAUSE, Confidence.CERTAIN
    if proved := _proved(results, card):
        return proved.cause, proved.confidence
    if first.verdict in (Verdict.HUNG, Verdict.FLAKY):
        return HANG, Confidence.CERTAIN if first.verdict is Verdict.HUNG else Confidence.LIKELY
    if first.verdict is Verdict.WRONG and foreign_override(first):
        rocm = rocm_of(first.loaded.torch or "")
        late = rocm is not None and rocm >= OVERRIDE_HANGS_SINCE
        return MISMATCH, Confidence.LIKELY if late else Confidence.POSSIBLE
    return NO_CAUSE, Confidence.CERTAIN


def foreign_override(result: Result) -> str:
    """The setting that made the card pass for another one, as it was in force; ``""`` for none."""
    in_force = (*result.loaded.setting, *result.asked)
    told = [(n, v) for n, v in in_force if n.startswith(OVERRIDE) and is_foreign(v)]
    return "=".join(told[-1]) if told else ""


def _proved(results: Sequence[Result], card: str) -> Finding | None:
    """What the reader of pasted texts finds in all that was said about these results."""
    text = "\n".join(_told(results, card))
    found = explain(text.encode()).findings
    return next((one for one in found if one.counts and one.confidence.firm), None)


def _told(results: Sequence[Result], card: str) -> Iterator[str]:
    """The measurement as a text: what it ran on, then what each said."""
    first = results[0]
    yield f"{card}"
    yield f"torch=={first.loaded.torch}" if first.loaded.torch else ""
    yield from (f"{name}={value}" for name, value in (*first.loaded.setting, *first.asked))
    for result in results:
        yield OWN_WORDS.sub("", result.detail)
        yield result.because or ""
        yield result.log_line or ""
    if first.verdict in (Verdict.HUNG, Verdict.FLAKY):
        yield "The convolution hangs."
