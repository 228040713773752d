"""What can be done about a shape that does not pass, each way measured and judged as any row.

The row comes first; where it passes, nothing else is measured. Each alternative costs what any row
costs, and hangs are counted against what may be spent.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product, repeat
from typing import Any

from wizard.conv2d.client import carried_out
from wizard.conv2d.search.experiment import Experiment, hangs_spent
from wizard.conv2d.shapes import Row, Shape
from wizard.conv2d.sweep import Search, SweepEvent
from wizard.conv2d.verdicts import RIGHT, Result, Verdict


@dataclass(frozen=True, slots=True)
class Tiling:
    """One convolution as several smaller ones of one shape."""

    whole: Shape
    tile: Shape
    """What is convolved for each tile: a part of the padded image, without padding."""
    places: tuple[tuple[int, int], ...]
    """Top and left of each tile in the result; in the padded image, ``stride`` times that."""


def tiling_of(whole: Shape, largest: int) -> Tiling | None:
    """The convolution in tiles of at most that height and width; None where tiles are no help."""
    reach = whole.dilation * (whole.kernel - 1) + 1
    if reach > largest:
        return None
    most = (largest - reach) // whole.stride + 1
    high, wide = min(most, whole.out_h), min(most, whole.out_w)
    if (high, wide) == (whole.out_h, whole.out_w):
        return None
    tile = replace(
        whole,
        h=(high - 1) * whole.stride + reach,
        w=(wide - 1) * whole.stride + reach,
        padding=0,
    )
    places = product(_starts(whole.out_h, high), _starts(whole.out_w, wide))
    return Tiling(whole, tile, tuple(places))


def _starts(length: int, step: int) -> tuple[int, ...]:
    """Where tiles begin so that they cover the length; the last one is moved back to fit."""
    return tuple(min(start, length - step) for start in range(0, length, step))


SIDE = 32
"""Height and width that every one of the notes calls safe."""
MULTIPLE = 32
PAST_MIOPEN = (("unfold", "unfold and matmul"), ("native", "torch's own code, without MIOpen"))
"""Engines that do not use MIOpen, each with its title."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another way to come to the result of a convolution, or near it."""

    title: str
    row: Row
    calls: int = 1
    """How often the row runs in place of one call."""
    changes_result: str = ""
    """How the result differs from what the model had learned on; ``""`` where it is the same."""
    beside: str = ""
    """What is to be done as well and is not in the measured time."""


def alternatives(row: Row) -> tuple[Alternative, ...]:
    """Every alternative for a row, those that change nothing in the result first."""
    bare = replace(row, published=None)
    return (
        *_past_miopen(bare),
        *_wider_format(bare),
        *_more_channels(bare),
        *_tiles(bare),
        *_resized(bare),
    )


def _past_miopen(row: Row) -> Iterator[Alternative]:
    for engine, title in PAST_MIOPEN:
        if row.engine != engine:
            yield Alternative(title, replace(row, engine=engine))


def _wider_format(row: Row) -> Iterator[Alternative]:
    if row.shape.dtype in ("float16", "bfloat16"):
        yield Alternative(
            "computed in float32",
            replace(row, shape=replace(row.shape, dtype="float32")),
            beside="converting image, weights and result",
        )


def _more_channels(row: Row) -> Iterator[Alternative]:
    """Channels of zeros: what they add is nothing, and the result of theirs is cut off."""
    shape = row.shape
    if shape.groups != 1:
        return
    for more_in, more_out in ((0, 1), (1, 0), (1, 1)):
        c_in, c_out = shape.c_in + more_in, shape.c_out + more_out
        yield Alternative(
            f"padded with zeros to {c_in}->{c_out} channels",
            replace(row, shape=replace(shape, c_in=c_in, c_out=c_out)),
            beside="adding the channels and cutting them off",
        )


def _tiles(row: Row) -> Iterator[Alternative]:
    tiling = tiling_of(row.shape, SIDE)
    if tiling is None:
        return
    yield Alternative(
        f"{len(tiling.places)} tiles of {tiling.tile.h}x{tiling.tile.w}",
        replace(row, shape=tiling.tile),
        calls=len(tiling.places),
        beside="cutting the image and joining the results",
    )


def _resized(row: Row) -> Iterator[Alternative]:
    """Another size of image: the next multiple, and the safe size."""
    shape = row.shape
    up = tuple(-(-length // MULTIPLE) * MULTIPLE for length in (shape.h, shape.w))
    for h, w in dict.fromkeys([up, (min(SIDE, shape.h), min(SIDE, shape.w))]):
        if (h, w) == (shape.h, shape.w):
            continue
        try:
            resized = replace(shape, h=h, w=w)
        except ValueError:  # the kernel does not fit any more
            continue
        yield Alternative(
            f"image resized to {h}x{w}",
            replace(row, shape=resized),
            changes_result=f"the result has another size, {resized.out_h}x{resized.out_w}",
            beside="resizing the image",
        )


@dataclass(frozen=True, slots=True)
class AlternativeTried:
    """An alternative with what came of it; None for one that was not measured."""

    alternative: Alternative
    result: Result | None

    @property
    def passes(self) -> bool:
        """True when it came back in time with right numbers."""
        return self.result is not None and self.result.verdict in RIGHT

    @property
    def seconds(self) -> float | None:
        """What it takes in place of one later call."""
        if self.result is None or self.result.warm_s is None:
            return None
        return self.alternative.calls * self.result.warm_s


@dataclass(frozen=True, slots=True)
class WorkaroundRequest(Search):
    """For which row alternatives are measured, and what may be spent on it."""

    hangs: int
    """How many hangs may be spent, that of the row itself included."""

    @property
    def rows(self) -> tuple[Row, ...]:
        """The row itself, then its alternatives in the order in which they are measured."""
        return (self.row, *(each.row for each in alternatives(self.row)))


def find_workarounds(request: WorkaroundRequest, **where: Any) -> AsyncGenerator[SweepEvent, None]:
    """The events of the measurement, as those of a sweep.

    ``where`` is what ``carried_out`` takes too. The row comes first; where it passes nothing else
    is measured.
    """
    rows = request.rows

    async def measure(experiment: Experiment) -> None:
        await experiment.assemble(request.row)
        spent = 0
        for number, row in enumerate(rows):
            result = await experiment.measure(row)
            if result is None or (number == 0 and result.verdict is Verdict.PASS):
                return
            spent += hangs_spent(result)
            if spent >= request.hangs:
                return

    return carried_out(request.sweep, measure, (), rows, **where)


def tried(request: WorkaroundRequest, results: Sequence[Result]) -> tuple[AlternativeTried, ...]:
    """Each alternative with its result, from the results of the measurement in their order."""
    found = chain(results[1:], repeat(None))
    return tuple(map(AlternativeTried, alternatives(request.row), found))
