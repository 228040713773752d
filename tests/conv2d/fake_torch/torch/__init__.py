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

from torch import backends, cuda, faults, version

__version__ = os.environ.get("FAKE_TORCH_VERSION", "0.0+fake")
__all__ = ["backends", "cuda", "version"]


class dtype:
    """A number format: its code in ``array``."""

    def __init__(self, code: str) -> None:
        self.code = code


float32 = dtype("f")
float64 = dtype("d")


class Tensor:
    """Numbers in a flat array or in foreign memory, and a shape."""

    def __init__(self, values: Any, shape: tuple[int, ...], kind: dtype) -> None:
        self.values = values
        self.shape = shape
        self.kind = kind

    def to(self, target: Any) -> Tensor:
        """Itself on a device, or rounded to another format."""
        if isinstance(target, str):
            return self
        return Tensor(array(target.code, self.values), self.shape, target)

    def double(self) -> Tensor:
        """The same numbers as float64."""
        return self.to(float64)

    def view(self, shape: tuple[int, ...]) -> Tensor:
        """The same numbers in another shape."""
        return Tensor(self.values, tuple(shape), self.kind)

    def copy_(self, other: Tensor) -> Tensor:
        """Takes over the numbers of another."""
        for place, value in enumerate(other.values):
            self.values[place] = value
        return self

    def normal_(self, mean: float, deviation: float, generator: Generator) -> Tensor:
        """Fills itself with normally distributed numbers."""
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


def frombuffer(buffer: Any, dtype: dtype, count: int) -> Tensor:
    """Foreign memory as numbers."""
    memory = memoryview(buffer)[: count * array(dtype.code).itemsize].cast(dtype.code)  # type: ignore[call-overload]
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
