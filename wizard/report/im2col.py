"""How large the buffer of the GEMM algorithm is for a layer, as lines."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from wizard.conv2d.fits import image_bytes, weight_bytes
from wizard.conv2d.im2col import buffer_bytes, copies_nothing
from wizard.conv2d.shapes import DTYPE_BYTES, Shape
from wizard.report.units import WIDTH
from wizard.sizes import size_text

NONE = "A 1x1 kernel with stride 1 and no padding needs no buffer: the image is its own matrix."
IMPLICIT = "Implicit GEMM, direct and Winograd kernels have no such buffer."
ONE_IMAGE = "One image is copied at a time: a larger batch needs no larger buffer."


def buffer_lines(shape: Shape, width: int = WIDTH) -> Iterator[str]:
    """The reckoning, and the layer's own tensors beside it."""
    yield f"GEMM algorithm (im2col + matrix product), {shape.label}, {shape.dtype}"
    yield ""
    if copies_nothing(shape):
        yield from textwrap.wrap(NONE, width)
    else:
        yield "  C * K * K * Ho * Wo * bytes of a number"
        factors = (shape.c_in, shape.kernel, shape.kernel, shape.out_h, shape.out_w)
        product = " * ".join(map(str, (*factors, DTYPE_BYTES[shape.dtype])))
        yield f"  {product} = {size_text(buffer_bytes(shape))}"
    yield ""
    yield f"  image    {size_text(image_bytes(shape)):>9}"
    yield f"  weights  {size_text(weight_bytes(shape)):>9}"
    yield f"  result   {size_text(shape.out_bytes):>9}"
    yield f"  buffer   {size_text(buffer_bytes(shape)):>9}{_times(shape)}"
    yield ""
    yield from textwrap.wrap(f"{ONE_IMAGE} {IMPLICIT}", width)


def _times(shape: Shape) -> str:
    image = image_bytes(shape) / shape.n
    return f"   {buffer_bytes(shape) / image:.1f} times one image" if buffer_bytes(shape) else ""
