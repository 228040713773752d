"""The buffer that the GEMM algorithm asks for: every window of the image, copied out as a column.

By MIOpen's source (src/solver/gemm.cpp, GemmFwdRest): one image at a time, so a batch needs no
more; a 1x1 kernel with stride 1 and without padding needs none.
"""

from __future__ import annotations

from wizard.conv2d.shapes import DTYPE_BYTES, Shape


def buffer_bytes(shape: Shape) -> int:
    """Bytes of the buffer for one layer, forward: C * K * K * Ho * Wo numbers."""
    if copies_nothing(shape):
        return 0
    numbers = shape.c_in * shape.kernel * shape.kernel * shape.out_h * shape.out_w
    return numbers * DTYPE_BYTES[shape.dtype]


def copies_nothing(shape: Shape) -> bool:
    """True where the image is its own matrix."""
    return shape.kernel == 1 and shape.stride == 1 and shape.padding == 0
