"""What rounding may explain of gradients and training steps, and what it may not."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from tests.conv2d.test_values import in_float32
from wizard.conv2d.shapes import Shape, square
from wizard.conv2d.verdicts import tolerance, tolerances

ONE = Shape(1, 1, 1, 1, kernel=1, padding=0)


@pytest.mark.parametrize(("side", "sums"), [(1, 40), (6, 40), (24, 40), (64, 20), (224, 3)])
def test_a_gradients_tolerance_lies_between_rounding_and_a_missing_product(
    side: int, sums: int
) -> None:
    places = side * side
    allowed = tolerances(replace(ONE, h=side, w=side), "backward")["weight gradient"]
    source = random.Random(side)  # noqa: S311 - numbers to compute with
    worst = 0.0
    for _ in range(sums):
        products = [source.gauss(0, 1) * source.gauss(0, 1) for _ in range(places)]
        rounded = 0.0
        for product in products:
            rounded = in_float32(rounded + in_float32(product))
        worst = max(worst, abs(rounded - math.fsum(products)))
    assert 5 * worst < allowed < 0.2  # the mean product is 0.64 in size


@pytest.mark.parametrize(
    ("shape", "terms"),
    [
        (Shape(16, 32, 9, 9), 32 * 9),
        (Shape(16, 32, 9, 9, groups=4), 8 * 9),
        (Shape(16, 32, 9, 9, stride=2), 32 * 4),
        (Shape(16, 32, 9, 9, stride=2, dilation=2), 32 * 9),
        (Shape(16, 32, 25, 25, kernel=5, padding=4, stride=4, dilation=2), 32 * 9),
    ],
)
def test_a_gradient_of_the_input_sums_what_the_stride_leaves(shape: Shape, terms: int) -> None:
    """Counted by hand: which places of the kernel fall on a result, for one number of the image."""
    reached: dict[int, int] = {}
    for out in range(shape.out_w):
        for tap in range(shape.kernel):
            place = out * shape.stride - shape.padding + tap * shape.dilation
            reached[place] = reached.get(place, 0) + 1
    along = max(reached.values())
    assert along * along * shape.c_out // shape.groups == terms
    spread = math.sqrt(terms / shape.reduction)
    sums = 64 * 2.0**-24 * (math.sqrt(terms) + 4) + 8 * 2.0**-24 * (1 + along)
    assert tolerances(shape, "backward")["input gradient"] == pytest.approx(sums * spread)


def test_a_forward_pass_is_allowed_what_it_always_was() -> None:
    shape = square(16, 32, 44)
    assert tolerances(shape, "forward") == {"result": tolerance(shape)}


@pytest.mark.parametrize("work", ["backward", "train"])
def test_shorter_formats_are_allowed_more(work: str) -> None:
    base = square(16, 32, 32)
    for part in tolerances(base, work):
        allowed = [
            tolerances(replace(base, dtype=name), work)[part]
            for name in ("float64", "float32", "float16", "bfloat16")
        ]
        assert allowed == sorted(allowed)
        assert allowed[0] < 1e-9


def test_a_weight_that_has_not_moved_is_no_right_step() -> None:
    """A step is about as large as a weight: the inverse square root of the reduction."""
    for shape in (square(16, 32, 32), square(64, 128, 224), square(256, 512, 64)):
        assert tolerances(shape, "train")["new weight"] < 0.01 / math.sqrt(shape.reduction)
