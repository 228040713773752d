"""Layers that compute little, but are sensitive to all that goes in."""

# mypy: disable-error-code="import-not-found"
# These files find each other only where this folder is on the path.
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torch import Tensor, empty, faults, float64, product


class Layer:
    """One with a matrix and a row of numbers."""

    kind = ""

    def __init__(self, *sizes: int, **options: Any) -> None:
        self.name = "causal" if self.kind == "encoder" and options["norm_first"] else self.kind
        self.matrix = empty(sizes[0], sizes[1])
        self.row = empty(sizes[0])

    def named_parameters(self) -> Iterator[tuple[str, Tensor]]:
        """What it has learned."""
        yield from (("matrix", self.matrix), ("row", self.row))

    def to(self, target: Any) -> Layer:
        """Itself, its numbers elsewhere or in another format."""
        self.matrix, self.row = self.matrix.to(target), self.row.to(target)
        return self

    def double(self) -> Layer:
        """Itself in float64."""
        return self.to(float64)

    def __call__(self, words: Tensor, *_: Tensor, **__: Any) -> Any:
        """A result of the input's size."""
        wish = faults.at_operation(self.name, words.kind is float64)
        made = product(words, self.matrix, words.shape)
        return faults.spoil(made.like(v + self.row.values[0] for v in made.values), wish)


class RNN(Layer):
    """A recurrent layer: its result, and its state."""

    kind = "rnn"

    def __call__(self, words: Tensor, *_: Tensor, **__: Any) -> Any:
        """A result, and a state."""
        return super().__call__(words), None


class LSTM(RNN):
    """Another."""

    kind = "lstm"


class GRU(RNN):
    """Another."""

    kind = "gru"


class TransformerEncoderLayer(Layer):
    """A layer of a transformer."""

    kind = "encoder"


class TransformerDecoderLayer(Layer):
    """A layer that looks at a memory too."""

    kind = "decoder"
