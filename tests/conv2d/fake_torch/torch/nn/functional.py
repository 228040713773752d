"""One function, which is no convolution but as sensitive to its input."""

# mypy: disable-error-code="import-not-found"
# These files find each other only where this folder is on the path.
from __future__ import annotations

import math
from array import array

from torch import Tensor, faults, float64, miopen


def conv2d(
    image: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: int,
    padding: int,
    dilation: int,
    groups: int,
) -> Tensor:
    """A result of the right size: each number is a product of one of the image and one weight."""
    del bias, groups
    wish = ""
    if image.kind is float64:
        faults.at_reference()
    else:
        faults.at_size(weight.shape[1], max(image.shape[2:]))
        wish = faults.at_convolution(weight.shape[0]) or miopen.convolve()
    reach = dilation * (weight.shape[2] - 1) + 1
    high, wide = ((size + 2 * padding - reach) // stride + 1 for size in image.shape[2:])
    shape = (image.shape[0], weight.shape[0], high, wide)
    places = range(math.prod(shape))
    pixels, weights = image.values, weight.values
    values = array(
        image.kind.code,
        (pixels[n % len(pixels)] * weights[n % len(weights)] for n in places),
    )
    if wish == "wrong":
        values[0] += 0.1
    elif wish == "zeros":
        values = array(image.kind.code, bytes(len(values) * values.itemsize))
    elif wish == "nan":
        values[0] = math.nan
    return Tensor(values, shape, image.kind)
