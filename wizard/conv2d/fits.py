"""What must at least fit into the memory of a card: weights, images and results of layers.

Counted are tensors alone, exactly: numbers times their size. What comes on top cannot be known
beforehand: MIOpen's workspace, what the allocator rounds up and keeps, the runtime's own share
(hundreds of megabytes), the desktop. So a layer that is too large by this count does not fit, and
one that is not may fit. The peak of a measured row holds the tensors and the workspace of that
layer: what it has above the count was workspace.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from wizard.conv2d.asked import Request, sweep_in
from wizard.conv2d.presets import Preset, Row
from wizard.conv2d.search.find_limit import LimitRequest
from wizard.conv2d.search.setting_request import SettingRequest
from wizard.conv2d.search.workarounds import WorkaroundRequest
from wizard.conv2d.shapes import DTYPE_BYTES, Shape
from wizard.conv2d.verdicts import Result

CARDS = tuple(size << 30 for size in (4, 6, 8))
"""Memory of cards, in bytes, as they are sold."""
BATCHES = (1, 2, 4, 8, 16, 32)
_OF_ONE_ROW = (LimitRequest, SettingRequest, WorkaroundRequest)


@dataclass(frozen=True, slots=True)
class Need:
    """Bytes of the layers of a table at one batch size."""

    batch: int
    weights: int
    """Of all layers, biases included."""
    forward: int
    """All weights, with image and result of the largest layer: no other is kept meanwhile."""
    kept: int
    """All weights, and everything that a training step keeps until it goes back; where that is not
    known of a model, the image of every layer and one result."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """What measured rows took above their tensors."""

    rows: int
    """How many rows it was measured for."""
    largest: int
    """Bytes above the count, in the row where that was most."""
    shape: Shape
    """That row."""
    peak: int
    """Its measured peak."""


def table_of(request: Request) -> Preset | None:
    """The convolutions of a request as a table, each shape once; None where there is none."""
    rows = (request.row,) if isinstance(request, _OF_ONE_ROW) else sweep_in(request).rows
    shapes = dict.fromkeys(row.shape for row in rows if row.operation is None)
    return (
        Preset("run", "The shapes of this run", "", "", tuple(map(Row, shapes))) if shapes else None
    )


def weight_bytes(shape: Shape) -> int:
    """Weights and bias of a layer."""
    return shape.c_out * (shape.reduction + shape.bias) * DTYPE_BYTES[shape.dtype]


def image_bytes(shape: Shape) -> int:
    """What comes into a layer."""
    return shape.n * shape.c_in * shape.h * shape.w * DTYPE_BYTES[shape.dtype]


def tensor_bytes(shape: Shape) -> int:
    """Everything that one call of a layer needs, workspace apart."""
    return weight_bytes(shape) + image_bytes(shape) + shape.out_bytes


def need(table: Preset, batch: int, dtype: str | None = None) -> Need:
    """What the layers of a table need at this batch size and in this number format."""
    sized = [(_as(shape, batch, dtype), times) for shape, times in layers_of(table)]
    weights = sum(weight_bytes(shape) * times for shape, times in sized)
    weights += other_numbers(table) * DTYPE_BYTES[sized[0][0].dtype]
    passing = max(image_bytes(shape) + shape.out_bytes for shape, _ in sized)
    return Need(batch, weights, weights + passing, weights + _kept(table, sized, batch))


def _kept(table: Preset, sized: Sequence[tuple[Shape, int]], batch: int) -> int:
    """What training keeps beside the weights."""
    if table.model is not None and table.model.kept is not None:
        return table.model.kept * batch * DTYPE_BYTES[sized[0][0].dtype]
    images = sum(image_bytes(shape) * times for shape, times in sized)
    return images + max(shape.out_bytes for shape, _ in sized)


def layers_of(table: Preset) -> tuple[tuple[Shape, int], ...]:
    """The shapes of a table with how often each occurs: once where it is no model's."""
    times = table.model.times if table.model else (1,) * len(table.rows)
    return tuple((row.shape, count) for row, count in zip(table.rows, times, strict=True))


def other_numbers(table: Preset) -> int:
    """How many numbers a model has learned in layers that are no Conv2d."""
    if table.model is None:
        return 0
    known = sum((s.c_out * (s.reduction + s.bias)) * times for s, times in layers_of(table))
    return max(table.model.parameters - known, 0)


def largest_batch(table: Preset, memory: int, *, kept: bool, dtype: str | None = None) -> int:
    """The largest batch whose tensors are not too large for that memory; 0 when none is."""

    def fits(batch: int) -> bool:
        asked = need(table, batch, dtype)
        return (asked.kept if kept else asked.forward) <= memory

    smallest, largest = 0, 1
    while fits(largest):
        smallest, largest = largest, largest * 2
    while largest - smallest > 1:
        middle = (smallest + largest) // 2
        smallest, largest = (middle, largest) if fits(middle) else (smallest, middle)
    return smallest


def fits_form(table: Preset) -> dict[str, Any]:
    """The JSON form."""
    return {
        "table": table.id,
        "cards": list(CARDS),
        "needs": [asdict(need(table, batch)) for batch in BATCHES],
        "largest_batch": {
            name: [largest_batch(table, card, kept=kept) for card in CARDS]
            for name, kept in (("forward", False), ("training", True))
        },
    }


def workspace_seen(results: Sequence[Result]) -> Workspace | None:
    """The most that a measured row took above its tensors; None when no peak was measured."""
    measured = [
        (result.memory_bytes - _held(result.shape), result.shape, result.memory_bytes)
        for result in results
        if result.memory_bytes is not None and _as_configured(result)
    ]
    if not measured:
        return None
    above, shape, peak = max(measured, key=lambda each: each[0])
    return Workspace(len(measured), max(above, 0), shape, peak)


def _as_configured(result: Result) -> bool:
    """True for a forward convolution by torch as it comes: other engines need other room."""
    return result.work == "forward" and result.engine not in ("native", "unfold")


def _held(shape: Shape) -> int:
    """What a measurement itself holds: the first result while the later ones are computed."""
    return tensor_bytes(shape) + shape.out_bytes


def _as(shape: Shape, batch: int, dtype: str | None) -> Shape:
    return replace(shape, n=batch, dtype=dtype or shape.dtype)
