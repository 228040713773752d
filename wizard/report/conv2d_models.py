"""Whole-model verdicts, as lines."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from wizard.conv2d.models import Layers, ModelVerdict, model_so_far
from wizard.conv2d.presets import Preset
from wizard.conv2d.verdicts import Result
from wizard.conv2d.words.meaning import WORDS
from wizard.report.units import WIDTH

TOLD = 6
"""Shapes that are named before the rest is only counted."""
NOTE = (
    "A layer passes if its shape passed with the same batch size and number format. The model's "
    "other operations were not measured."
)


def model_lines(verdicts: Sequence[ModelVerdict]) -> Iterator[str]:
    """Each model with what does not pass in it; nothing when no model was measured."""
    for verdict in verdicts:
        yield from textwrap.wrap(f"{verdict.headline} pass ({verdict.manner.label})", WIDTH)
        yield from _named("do not pass", verdict.failing)
        yield from _named("were not measured", verdict.unmeasured)
    if verdicts:
        yield from textwrap.wrap(NOTE, WIDTH)


def so_far_line(preset: Preset, results: Sequence[Result]) -> str:
    """What is known of a model while it is measured, in one line; ``""`` for what is no model."""
    if preset.model is None:
        return ""
    verdicts = model_so_far(preset, results)
    if not verdicts:
        return f"{preset.model.name}: none of {sum(preset.model.times)} layers measured yet"
    told = [
        f"{verdict.passed} of {verdict.total} layers right{_way(verdict, verdicts)}{_not(verdict)}"
        for verdict in verdicts
    ]
    return f"{preset.model.name}: {'; '.join(told)}"


def _way(verdict: ModelVerdict, verdicts: Sequence[ModelVerdict]) -> str:
    return f" ({verdict.manner.label})" if len(verdicts) > 1 else ""


def _not(verdict: ModelVerdict) -> str:
    """What is not right, counted in layers."""
    counts: dict[str, int] = {}
    for each in verdict.failing:
        word = WORDS[each.verdict] if each.verdict else ""
        counts[word] = counts.get(word, 0) + each.times
    if unmeasured := sum(each.times for each in verdict.unmeasured):
        counts["not measured yet"] = unmeasured
    return "".join(f", {count} {word}" for word, count in counts.items())


def _named(what: str, layers: Sequence[Layers]) -> Iterator[str]:
    if not layers:
        return
    yield f"  {sum(each.times for each in layers)} {what}:"
    for each in layers[:TOLD]:
        verdict = f", {each.verdict.value}" if each.verdict else ""
        yield f"    {each.times} x {each.shape.label}{verdict}"
    if rest := layers[TOLD:]:
        yield f"    and {sum(each.times for each in rest)} more of {len(rest)} other shapes"
