"""Functions that compute little, but are sensitive to all that goes in."""

# mypy: disable-error-code="import-not-found"
# These files find each other only where this folder is on the path.
from __future__ import annotations

from torch import Tensor, faults, float64, miopen, product


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
        wish = wish or faults.at_operation("conv2d", False)
    high, wide = _sides(image, weight.shape[2], dilation, padding, stride)
    return product(image, weight, (image.shape[0], weight.shape[0], high, wide), wish)


def unfold(image: Tensor, kernel: int, dilation: int, padding: int, stride: int) -> Tensor:
    """The numbers of the image in a size that they do not fill."""
    wish = faults.at_operation("unfold", image.kind is float64)
    high, wide = _sides(image, kernel, dilation, padding, stride)
    n, channels = image.shape[:2]
    columns = image.like(image.values).view((n, channels * kernel * kernel, high * wide))
    return faults.spoil(columns, wish)


def _sides(image: Tensor, kernel: int, dilation: int, padding: int, stride: int) -> list[int]:
    reach = dilation * (kernel - 1) + 1
    return [(size + 2 * padding - reach) // stride + 1 for size in image.shape[2:]]


def batch_norm(
    image: Tensor,
    mean: None,
    deviation: None,
    weight: Tensor,
    bias: Tensor,
    training: bool,
    momentum: float,
    least: float,
) -> Tensor:
    """No normalisation."""
    del mean, deviation, training, momentum, least
    wish = faults.at_operation("batch_norm", image.kind is float64)
    scaled = image.like(product(image, weight, image.shape).values)
    return faults.spoil(scaled.like(v + bias.values[0] for v in scaled.values), wish)


def linear(image: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """A layer."""
    wish = faults.at_operation("linear", image.kind is float64)
    result = product(image, weight, (image.shape[0], weight.shape[0]))
    return faults.spoil(result.like(v + bias.values[0] for v in result.values), wish)


def normalize(rows: Tensor, dim: int) -> Tensor:
    """Itself."""
    del dim
    return rows


def silu(image: Tensor) -> Tensor:
    """Something smooth."""
    return image.like(value / (1 + abs(value)) for value in image.values)


def mse_loss(found: Tensor, wanted: Tensor) -> Tensor:
    """The mean of the squares."""
    pairs = zip(found.values, wanted.values)  # noqa: B905 - strict= came with Python 3.10
    made = found.like([sum((a - b) ** 2 for a, b in pairs) / len(found.values)])
    return made.view((1,))


def relu(image: Tensor) -> Tensor:
    """What is above 0."""
    wish = faults.at_operation("relu", image.kind is float64)
    return faults.spoil(image.like(max(value, 0.0) for value in image.values), wish)


def max_pool2d(image: Tensor, window: int) -> Tensor:
    """Not the largest, but one of each window."""
    return _pooled(image, "max_pool", image.shape[2] // window, image.shape[3] // window)


def adaptive_avg_pool2d(image: Tensor, size: tuple[int, int]) -> Tensor:
    """Not the mean, but one of each window."""
    return _pooled(image, "avg_pool", *size)


def _pooled(image: Tensor, kind: str, high: int, wide: int) -> Tensor:
    wish = faults.at_operation(kind, image.kind is float64)
    count = image.shape[0] * image.shape[1] * high * wide
    result = image.like(image.values[:count]).view((*image.shape[:2], high, wide))
    return faults.spoil(result, wish)
