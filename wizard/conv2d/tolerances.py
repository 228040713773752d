"""How far off rounding may leave what is measured, beside the forward pass (``verdicts``)."""

from __future__ import annotations

import math

from wizard.conv2d.shapes import Shape
from wizard.conv2d.verdicts import LARGEST_OUTPUT, UNIT_ROUNDOFF, tolerance


def tolerances(shape: Shape, work: str) -> dict[str, float]:
    """The largest error that rounding may cause, for each part of what that work gives."""
    match work:
        case "backward":
            return _of_gradients(shape)
        case "train":
            return _of_training(shape)
        case _:
            return {"result": tolerance(shape)}


def _of_gradients(shape: Shape) -> dict[str, float]:
    """Of a backward pass whose gradient from above is normally distributed with variance 1.

    A gradient of the weights sums one product for each place of the result in the whole batch, one
    of the bias the numbers themselves, each about 1 in size; a gradient of the input sums one for
    each output channel of its group and each place of the kernel that falls on a result, which a
    stride leaves ``kernel / stride`` of along each side. Those products are a weight in size.
    """
    places = shape.n * shape.out_h * shape.out_w
    step = shape.stride // math.gcd(shape.stride, shape.dilation)
    taps = math.ceil(shape.kernel / step) ** 2
    spread = math.sqrt(places)
    terms = shape.c_out // shape.groups * taps
    return {
        "input gradient": _of_sum(shape, terms, taps) * math.sqrt(terms / shape.reduction),
        "weight gradient": _of_sum(shape, places, shape.n) * spread,
        "bias gradient": _of_sum(shape, places, shape.n) * spread,
    }


def _of_sum(shape: Shape, terms: int, roundings: int) -> float:
    """The error of a sum of random products, as a share of the sum's standard deviation.

    These sums are longer than those of a forward pass (50,176 places at 224x224), so that the bound
    of ``tolerance``, which grows with their length, would hide a wrong product. Rounding to nearest
    wanders instead: to about ``u sqrt(K) / 2`` standard deviations, the largest of millions to five
    times that, and ten times more with a Winograd transform. ``64 u (sqrt(K) + 4)`` lies above all
    of it. One product left out shows up to 50,000 of them, and an element that is a hundredth of a
    standard deviation off at any length.

    Shorter formats round the sum itself, and with im2col also the running sums: over the images of
    a batch for weights, over the places of the kernel for the input.
    """
    unit = UNIT_ROUNDOFF[shape.dtype]
    sums = 64 * min(unit, UNIT_ROUNDOFF["float32"]) * (math.sqrt(terms) + 4)
    return sums + LARGEST_OUTPUT * unit * (1 + math.sqrt(roundings))


def _of_training(shape: Shape) -> dict[str, float]:
    """Of a training step (``training_job`` in the worker), whose gradients are about 1 in size.

    The error of a gradient is that of its sum and, random from place to place, that of each number
    in it: of a convolution, a batch norm, an activation and their gradients. Shorter formats round
    after each of them. The step is the inverse square root of the reduction, and so are weights.
    The sums for scale and shift do not cancel: they grow with the number of places, and their error
    with it. Of the loss, a mean, little is left but the error of its sum.
    """
    places = shape.n * shape.out_h * shape.out_w
    unit, short = UNIT_ROUNDOFF[shape.dtype], UNIT_ROUNDOFF["float32"]
    lengths = math.sqrt(places) + math.sqrt(shape.reduction) + 16
    sums = 64 * min(unit, short) * lengths
    step = 1 / math.sqrt(shape.reduction)
    rounded = LARGEST_OUTPUT * unit * (3 + math.sqrt(shape.n))
    norm = (sums + rounded) * (1 + step * math.sqrt(places))
    return {
        "loss": sums + 2 * LARGEST_OUTPUT * unit,
        "new weight": (sums + rounded) * step,
        "new bias": (sums + rounded) * step + LARGEST_OUTPUT * unit,
        "new scale": norm,
        "new shift": norm,
    }
