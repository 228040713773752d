"""Whole models: how many of a model's layers pass, from the results of its shapes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from wizard.conv2d.shapes import Model, Preset, Row, Shape, load_presets
from wizard.conv2d.verdicts import RIGHT, Manner, Result, Verdict, manner_of


@dataclass(frozen=True, slots=True)
class Layers:
    """Layers of one shape that did not all pass."""

    shape: Shape
    times: int
    verdict: Verdict | None
    """The worst that was seen of the shape; None when it was not measured."""


@dataclass(frozen=True, slots=True)
class ModelVerdict:
    """What is known of the convolutions of a whole model, measured in one way."""

    model: str
    manner: Manner
    passed: int
    total: int
    failing: tuple[Layers, ...]
    unmeasured: tuple[Layers, ...]

    @property
    def headline(self) -> str:
        """For example ``ResNet-50: 49 of 53 layers``."""
        return f"{self.model}: {self.passed} of {self.total} layers"

    @property
    def passes(self) -> bool:
        """True when every layer passed."""
        return self.passed == self.total


def load_models() -> tuple[Preset, ...]:
    """The presets that are the layers of a whole model."""
    return tuple(preset for preset in load_presets() if preset.model is not None)


def model_verdicts(
    results: Sequence[Result], models: Iterable[Preset] | None = None
) -> tuple[ModelVerdict, ...]:
    """Each model whose layers were measured, once for each way in which they were.

    A model is told of where at least half of its shapes were measured that way: a few shapes that
    it shares with others say nothing of it.
    """
    presets = tuple(load_models() if models is None else models)
    manners = dict.fromkeys(map(manner_of, results))
    found = (
        (preset, _verdict(preset.model, preset.rows, manner, results))
        for manner in manners
        for preset in presets
        if preset.model is not None
    )
    return tuple(v for preset, v in found if 2 * len(v.unmeasured) <= len(preset.rows))


def model_so_far(preset: Preset, results: Sequence[Result]) -> tuple[ModelVerdict, ...]:
    """A model while its layers are measured, once for each way in which they are."""
    if preset.model is None:
        return ()
    manners = dict.fromkeys(map(manner_of, results))
    return tuple(_verdict(preset.model, preset.rows, manner, results) for manner in manners)


def model_of(rows: Sequence[Row], presets: Iterable[Preset]) -> Preset | None:
    """The model whose layers are all among these rows; None where there is none."""
    asked = {row.shape for row in rows if row.operation is None}
    models = (preset for preset in presets if preset.model is not None)
    return next((m for m in models if all(row.shape in asked for row in m.rows)), None)


def model_form(verdict: ModelVerdict) -> dict[str, Any]:
    """The JSON form."""
    return {
        "model": verdict.model,
        "manner": verdict.manner.label,
        "passed": verdict.passed,
        "total": verdict.total,
        "failing": [{"shape": e.shape.label, "times": e.times} for e in verdict.failing],
        "unmeasured": [{"shape": e.shape.label, "times": e.times} for e in verdict.unmeasured],
    }


def _verdict(
    model: Model, rows: Sequence[Row], manner: Manner, results: Sequence[Result]
) -> ModelVerdict:
    seen: dict[Shape, list[Verdict]] = {}
    for result in results:
        if manner_of(result) == manner and result.verdict is not Verdict.UNUSABLE:
            seen.setdefault(result.shape, []).append(result.verdict)
    layers = [
        Layers(row.shape, times, _worst(seen.get(row.shape, [])))
        for row, times in zip(rows, model.times, strict=True)
    ]
    unmeasured = tuple(each for each in layers if each.verdict is None)
    failing = tuple(each for each in layers if each.verdict not in (*RIGHT, None))
    missing = sum(each.times for each in (*failing, *unmeasured))
    total = sum(model.times)
    return ModelVerdict(model.name, manner, total - missing, total, failing, unmeasured)


def _worst(verdicts: Sequence[Verdict]) -> Verdict | None:
    """A shape that hangs one time in three does not pass."""
    failed = (verdict for verdict in verdicts if verdict not in RIGHT)
    return next(failed, verdicts[0] if verdicts else None)
