"""A convolution cut into tiles that overlap, and how their results are put together again.

The padded image is cut, so that tiles need no padding of their own. All tiles have one size: where
the last one would stand out, it is moved back, and what it computes a second time is the same. So
each number of the whole comes out of the same products, in one tile.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

from wizard.conv2d.shapes import Shape


@dataclass(frozen=True, slots=True)
class Tiling:
    """One convolution as several smaller ones of one shape."""

    whole: Shape
    tile: Shape
    """What is convolved for each tile: a part of the padded image, without padding."""
    places: tuple[tuple[int, int], ...]
    """Top and left of each tile in the result; in the padded image, ``stride`` times that."""

    @property
    def again(self) -> float:
        """How many results are computed for each that is wanted: 1 for tiles without overlap."""
        each = self.tile.out_h * self.tile.out_w * len(self.places)
        return each / (self.whole.out_h * self.whole.out_w)


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
