"""Tiles cover the result exactly, each within the padded image, all of one size."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wizard.conv2d.search.workarounds import tiling_of
from wizard.conv2d.shapes import Shape, square

WHOLES = st.builds(
    Shape,
    st.just(2),
    st.just(3),
    h=st.integers(20, 80),
    w=st.integers(20, 80),
    kernel=st.integers(1, 5),
    padding=st.integers(0, 3),
    stride=st.integers(1, 3),
    dilation=st.integers(1, 3),
)


@given(WHOLES, st.integers(1, 40))
def test_every_result_lies_in_a_tile_and_every_tile_in_the_image(whole: Shape, most: int) -> None:
    tiling = tiling_of(whole, most)
    reach = whole.dilation * (whole.kernel - 1) + 1
    if tiling is None:
        assert reach > most or max(whole.h, whole.w) + 2 * whole.padding - whole.stride < most
        return
    tile = tiling.tile
    assert max(tile.h, tile.w) <= most
    assert tile.padding == 0
    seen = set()
    for top, left in tiling.places:
        assert top * whole.stride + tile.h <= whole.h + 2 * whole.padding
        assert left * whole.stride + tile.w <= whole.w + 2 * whole.padding
        seen |= {(top + y, left + x) for y in range(tile.out_h) for x in range(tile.out_w)}
    assert seen == {(y, x) for y in range(whole.out_h) for x in range(whole.out_w)}


@given(WHOLES, st.integers(1, 40))
def test_no_fewer_tiles_would_do(whole: Shape, most: int) -> None:
    tiling = tiling_of(whole, most)
    if tiling is not None:
        down = math.ceil(whole.out_h / tiling.tile.out_h)
        across = math.ceil(whole.out_w / tiling.tile.out_w)
        assert len(tiling.places) == down * across


@pytest.mark.parametrize(
    ("whole", "most", "tile", "count"),
    [
        (square(16, 32, 64), 32, 32, 9),
        (square(16, 32, 44), 32, 32, 4),
        (square(64, 64, 56, kernel=1), 32, 32, 4),
        (Shape(64, 64, 56, 56, stride=2), 33, 33, 4),
    ],
)
def test_tiles_of_the_sizes_that_are_said_to_pass(
    whole: Shape, most: int, tile: int, count: int
) -> None:
    tiling = tiling_of(whole, most)
    assert tiling is not None
    assert (tiling.tile.h, tiling.tile.w, len(tiling.places)) == (tile, tile, count)


def test_what_is_small_enough_or_cannot_be_cut_has_no_tiles() -> None:
    assert tiling_of(square(16, 32, 30), 32) is None
    assert tiling_of(square(16, 32, 64, kernel=7), 5) is None
