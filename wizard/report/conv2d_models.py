"""Whole-model verdicts, as lines."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from wizard.conv2d.models import Layers, ModelVerdict
from wizard.report.units import WIDTH

TOLD = 6
"""Shapes that are named before the rest is only counted."""
NOTE = (
    "A layer passes when its shape did, batch and number format included. Other operations of the "
    "model were not measured here."
)


def model_lines(verdicts: Sequence[ModelVerdict]) -> Iterator[str]:
    """Each model with what does not pass in it; nothing when no model was measured."""
    for verdict in verdicts:
        yield from textwrap.wrap(f"{verdict.headline} pass ({verdict.manner.label})", WIDTH)
        yield from _named("do not pass", verdict.failing)
        yield from _named("were not measured", verdict.unmeasured)
    if verdicts:
        yield from textwrap.wrap(NOTE, WIDTH)


def _named(what: str, layers: Sequence[Layers]) -> Iterator[str]:
    if not layers:
        return
    yield f"  {sum(each.times for each in layers)} {what}:"
    for each in layers[:TOLD]:
        verdict = f", {each.verdict.value}" if each.verdict else ""
        yield f"    {each.times} x {each.shape.label}{verdict}"
    if rest := layers[TOLD:]:
        yield f"    and {sum(each.times for each in rest)} more of {len(rest)} other shapes"
