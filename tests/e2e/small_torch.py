"""A stand-in for torch 2.13.0 in pure Python: enough for ``assets/torch_check.py`` on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.run.wheels import make_wheel

VERSION = "2.13.0"
SIZE = 24_000_000
"""Enough for a download that can be seen on its way."""
SOURCE = f'''
"""Not torch: two small matrices can be multiplied, and that is all."""

__version__ = "{VERSION}"


class Tensor:
    def __init__(self, rows):
        self.rows = rows

    def reshape(self, *sizes):
        flat = self.rows
        return Tensor([flat[at : at + sizes[1]] for at in range(0, len(flat), sizes[1])])

    def __matmul__(self, other):
        columns = list(zip(*other.rows))
        return Tensor([[sum(a * b for a, b in zip(row, c)) for c in columns] for row in self.rows])

    def to(self, device):
        assert device == "cpu", device
        return self

    def double(self):
        return self

    cpu = double

    def tolist(self):
        return self.rows


def arange(end):
    return Tensor([float(number) for number in range(int(end))])
'''


def make_small_torch(
    folder: Path, size: int, make: Callable[..., Path] = make_wheel
) -> tuple[Path, ...]:
    """Its wheel, padded so that its download takes a while, and a numpy with a version alone."""
    torch = make(folder, "torch", VERSION, {"torch/__init__.py": SOURCE}, size=size)
    return torch, make(folder, "numpy", "2.4.6", {"numpy.py": "__version__ = '2.4.6'\n"})
