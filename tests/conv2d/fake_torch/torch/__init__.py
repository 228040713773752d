"""A stand-in for torch that computes little and fails on request (variable FAKE_TORCH).

It has what the worker uses, in plain Python, and runs under Python 3.8 to 3.13.
"""

# mypy: disable-error-code="import-not-found"
# These files find each other only where this folder is on the path.
from __future__ import annotations

import math
import os
import random
from array import array
from typing import Any

from torch import autograd, backends, cuda, faults, version

__version__ = os.environ.get("FAKE_TORCH_VERSION", "0.0+fake")
__all__ = ["autograd", "backends", "cuda", "version"]


class dtype:
    """A number format: its code in ``array``."""

    def __init__(self, code: str) -> None:
        self.code = code

    def __str__(self) -> str:
        return {"f": "torch.float32", "d": "torch.float64"}[self.code]


float32 = dtype("f")
float64 = dtype("d")


class Tensor:
    """Numbers in a flat array or in foreign memory, and a shape."""

    later = ""
    """The fault that strikes when somebody wants gradients of it."""

    def __init__(self, values: Any, shape: tuple[int, ...], kind: dtype) -> None:
        self.values = values
        self.shape = shape
        self.kind = kind

    @property
    def dtype(self) -> dtype:
        """Its number format."""
        return self.kind

    def like(self, values: Any) -> Tensor:
        """Other numbers in its size, with the fault that is to come."""
        made = Tensor(array(self.kind.code, values), self.shape, self.kind)
        made.later = self.later
        return made

    def clone(self) -> Tensor:
        """A copy."""
        copied = self.like(self.values)
        faults.spoil(copied, faults.at_operation("copy", self.kind is float64))
        return copied

    def detach(self) -> Tensor:
        """Itself: there is no graph."""
        return self

    def requires_grad_(self) -> Tensor:
        """Itself: gradients can be had of everything."""
        return self

    def contiguous(self) -> Tensor:
        """Itself: there is no other order."""
        return self

    def flatten(self, _: int) -> Tensor:
        """Itself: its numbers are flat."""
        return self

    def triu(self, _: int) -> Tensor:
        """Itself: nobody looks at masks here."""
        return self

    def add_(self, other: Tensor, alpha: float = 1.0) -> Tensor:
        """Adds the numbers of another, scaled."""
        for place, value in enumerate(other.values):
            self.values[place] += alpha * value
        return self

    def to(self, target: Any) -> Tensor:
        """Itself on a device, or rounded to another format."""
        if isinstance(target, str):
            return self
        made = Tensor(array(target.code, self.values), self.shape, target)
        made.later = self.later
        return made

    def double(self) -> Tensor:
        """The same numbers as float64."""
        return self.to(float64)

    def view(self, shape: tuple[int, ...]) -> Tensor:
        """The same numbers in another shape."""
        made = Tensor(self.values, tuple(shape), self.kind)
        made.later = self.later
        return made

    def copy_(self, other: Tensor) -> Tensor:
        """Takes over the numbers of another."""
        for place, value in enumerate(other.values):
            self.values[place] = value
        return self

    def normal_(self, mean: float, deviation: float, generator: Generator) -> Tensor:
        """Fills itself with normally distributed numbers."""
        faults.at_work()
        for place in range(len(self.values)):
            self.values[place] = generator.source.gauss(mean, deviation)
        return self

    def __add__(self, other: Tensor) -> Tensor:
        faults.at_health()
        pairs = zip(self.values, other.values)  # noqa: B905 - strict= came with Python 3.10
        return Tensor(array("f", (a + b for a, b in pairs)), self.shape, self.kind)

    def tolist(self) -> list[list[float]]:
        """Rows of numbers."""
        _, wide = self.shape
        return [list(self.values[n : n + wide]) for n in range(0, len(self.values), wide)]

    def __sub__(self, other: Tensor) -> Tensor:
        pairs = zip(self.values, other.values)  # noqa: B905 - strict= came with Python 3.10
        return Tensor(array("d", (a - b for a, b in pairs)), self.shape, float64)

    def abs(self) -> Tensor:
        """Sizes."""
        return Tensor(array("d", map(math.fabs, self.values)), self.shape, float64)

    def max(self) -> float:
        """The largest number."""
        return float(max(self.values))

    def __mul__(self, other: Tensor) -> Tensor:
        """Of ``(rows, n, 1)`` and ``(1, n, columns)``: every product of numbers of the same n."""
        (high, deep, _), (_, _, wide) = self.shape, other.shape
        left, right = self.values, other.values
        values = array(
            "f",
            (
                left[row * deep + place] * right[place * wide + column]
                for row in range(high)
                for place in range(deep)
                for column in range(wide)
            ),
        )
        return Tensor(values, (high, deep, wide), self.kind)

    def sum(self, middle: int | None = None) -> Any:
        """The sum of all numbers, or of those along the middle one of three dimensions."""
        if middle is None:
            return float(sum(self.values))
        high, deep, wide = self.shape
        values = array("f", bytes(4 * high * wide))
        for place, value in enumerate(self.values):
            values[place // (deep * wide) * wide + place % wide] += value
        if faults.WISHES.get("health") == "wrong":
            values[0] += 1
        return Tensor(values, (high, wide), self.kind)


class Generator:
    """A source of random numbers with a seed."""

    def __init__(self) -> None:
        self.source = random.Random(0)  # noqa: S311 - numbers to compute with

    def manual_seed(self, seed: int) -> None:
        """Starts anew from this seed."""
        self.source.seed(seed)


def empty(*shape: int) -> Tensor:
    """Room for numbers."""
    return Tensor(array("f", bytes(4 * math.prod(shape))), shape, float32)


def randn(*shape: int, generator: Generator) -> Tensor:
    """Normally distributed numbers."""
    return empty(*shape).normal_(0, 1, generator)


def tensor(rows: list[list[float]]) -> Tensor:
    """Rows of numbers as float32."""
    values = array("f", (value for row in rows for value in row))
    return Tensor(values, (len(rows), len(rows[0])), float32)


def full(shape: tuple[int, ...], value: float) -> Tensor:
    """The same number everywhere."""
    return Tensor(array("f", [value]) * math.prod(shape), shape, float32)


def product(left: Tensor, right: Tensor, shape: tuple[int, ...], wish: str = "") -> Tensor:
    """No product of matrices but as sensitive to both: each number is one of each, multiplied."""
    a, b = left.values, right.values
    places = range(math.prod(shape))
    values = array(left.kind.code, (a[n % len(a)] * b[n % len(b)] for n in places))
    made: Tensor = faults.spoil(Tensor(values, shape, left.kind), wish)
    return made


def matmul(left: Tensor, right: Tensor) -> Tensor:
    """A result of the right size."""
    wish = faults.at_operation("matmul", left.kind is float64)
    return product(left, right, (*right.shape[:-2], left.shape[-2], right.shape[-1]), wish)


def add(left: Tensor, right: Tensor) -> Tensor:
    """The sum; the right one is repeated along the left one's channels."""
    wish = faults.at_operation("add", left.kind is float64)
    a, b = left.values, right.values
    each = len(a) // (left.shape[0] * len(b)) if len(b) < len(a) else 1
    summed = left.like(v + b[n // each % len(b)] for n, v in enumerate(a))
    made: Tensor = faults.spoil(summed, wish)
    return made


def frombuffer(buffer: Any, dtype: dtype, count: int, offset: int) -> Tensor:
    """Foreign memory as numbers."""
    end = offset + count * array(dtype.code).itemsize
    memory = memoryview(buffer)[offset:end].cast(dtype.code)  # type: ignore[call-overload]
    return Tensor(memory, (count,), dtype)


def isfinite(tensor: Tensor) -> Tensor:
    """1 for each number that is one."""
    return Tensor([math.isfinite(v) for v in tensor.values], tensor.shape, tensor.kind)


class no_grad:
    """Nothing: this torch has no gradients."""

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


def get_num_threads() -> int:
    """One."""
    return 1


def set_num_threads(_: int) -> None:
    """Nothing to set."""


faults.at_import()
