"""A convolution as a value: what the worker is asked to measure."""

from __future__ import annotations

from dataclasses import dataclass

DTYPE_BYTES = {"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8}
"""The number formats that can be measured, and their size."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One forward convolution of a batch of images; a shape without any output is refused."""

    c_in: int
    c_out: int
    h: int
    w: int
    kernel: int = 3
    padding: int = 1
    n: int = 1
    stride: int = 1
    dilation: int = 1
    groups: int = 1
    dtype: str = "float32"
    bias: bool = False

    def __post_init__(self) -> None:
        """Refuse what no convolution can be."""
        sizes = (self.n, self.c_in, self.c_out, self.h, self.w, self.kernel)
        if min(*sizes, self.stride, self.dilation, self.groups) < 1 or self.padding < 0:
            raise ValueError("sizes of a convolution must be 1 or more")
        if self.c_in % self.groups or self.c_out % self.groups:
            channels = f"{self.c_in}->{self.c_out}"
            raise ValueError(f"{channels} cannot be divided into {self.groups} groups")
        if self.dtype not in DTYPE_BYTES:
            raise ValueError(f"{self.dtype} is not one of {', '.join(DTYPE_BYTES)}")
        if min(self.out_h, self.out_w) < 1:
            raise ValueError(f"a {self.kernel}x{self.kernel} kernel does not fit {self.h}x{self.w}")

    @property
    def label(self) -> str:
        """The shape for people, for example ``16->32 3x3 @64x64``."""
        text = f"{self.c_in}->{self.c_out} {self.kernel}x{self.kernel} @{self.h}x{self.w}"
        extras = (
            (self.n != 1, f"batch {self.n}"),
            (self.stride != 1, f"stride {self.stride}"),
            (self.padding != self.kernel // 2, f"padding {self.padding}"),
            (self.dilation != 1, f"dilation {self.dilation}"),
            (self.groups != 1, f"groups {self.groups}"),
            (self.dtype != "float32", self.dtype),
            (self.bias, "bias"),
        )
        return " ".join([text, *(extra for present, extra in extras if present)])

    @property
    def out_h(self) -> int:
        """Height of the result."""
        return self._out(self.h)

    @property
    def out_w(self) -> int:
        """Width of the result."""
        return self._out(self.w)

    @property
    def out_bytes(self) -> int:
        """Size of the result in memory."""
        return self.n * self.c_out * self.out_h * self.out_w * DTYPE_BYTES[self.dtype]

    @property
    def reduction(self) -> int:
        """How many products are summed into one number of the result."""
        return self.c_in // self.groups * self.kernel * self.kernel

    def _out(self, size: int) -> int:
        reach = self.dilation * (self.kernel - 1) + 1
        return (size + 2 * self.padding - reach) // self.stride + 1


def label_of(shape: Shape, work: str, operation: str | None) -> str:
    """What is measured, for people: the shape with its work, or the operation."""
    if operation is not None:
        return operation
    return shape.label if work == "forward" else f"{shape.label}, {work}"


def square(c_in: int, c_out: int, size: int, kernel: int = 3, batch: int = 1) -> Shape:
    """A square image and a padding that keeps its size: what most layers of a CNN are."""
    return Shape(c_in, c_out, size, size, kernel, padding=kernel // 2, n=batch)
