"""Other ways to come to the result of a convolution that does not pass, each as a row.

Notes 002 (hkevin01/rocm-patch, INVESTIGATION_FINAL_SUMMARY.md) name resized images, odd channel
counts and smaller pieces, without a figure; other notes of the same author add unfold and matmul,
and users of these cards compute in float32. None of that was checked against a CPU. Here each
becomes a row: what passes is said, and its cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from wizard.conv2d.presets import Row
from wizard.conv2d.search.tiling import Tiling, tiling_of
from wizard.conv2d.shapes import Shape
from wizard.conv2d.verdicts import RIGHT, Result

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
    tiling: Tiling | None = None


def alternatives(row: Row, side: int = SIDE) -> tuple[Alternative, ...]:
    """Every alternative for a row, those that change nothing in the result first.

    ``side`` is a height and width that passes with the same channels.
    """
    bare = replace(row, published=None)
    return (
        *_past_miopen(bare),
        *_wider_format(bare),
        *_more_channels(bare),
        *_tiles(bare, side),
        *_resized(bare, side),
    )


def side_that_passes(results: Sequence[Result], shape: Shape) -> int:
    """The largest square that passed with these channels and this kernel, smaller than the shape.

    Where none did, the size that the notes call safe.
    """
    alike = (shape.c_in, shape.c_out, shape.kernel, shape.groups, shape.dtype)
    sides = [
        min(r.shape.h, r.shape.w)
        for r in results
        if r.verdict in RIGHT
        and (r.shape.c_in, r.shape.c_out, r.shape.kernel, r.shape.groups, r.shape.dtype) == alike
    ]
    return max([side for side in sides if side < max(shape.h, shape.w)], default=SIDE)


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


def _tiles(row: Row, side: int) -> Iterator[Alternative]:
    tiling = tiling_of(row.shape, side)
    if tiling is None:
        return
    yield Alternative(
        f"{len(tiling.places)} tiles of {tiling.tile.h}x{tiling.tile.w}",
        replace(row, shape=tiling.tile),
        calls=len(tiling.places),
        beside="cutting the image and joining the results",
        tiling=tiling,
    )


def _resized(row: Row, side: int) -> Iterator[Alternative]:
    """Another size of image: the next multiple, and the size that passes."""
    shape = row.shape
    up = tuple(-(-length // MULTIPLE) * MULTIPLE for length in (shape.h, shape.w))
    for h, w in dict.fromkeys([up, (min(side, shape.h), min(side, shape.w))]):
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
