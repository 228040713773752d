"""Operations beside convolutions: what is asked of the worker, who named it, how exact it must be.

Rounding. Numbers that go in are normally distributed, and weights are scaled by the square root of
the reduction length, so that what comes out of each stage is about 1 in size. A stage that sums K
products is off by about ``u sqrt(K) / 2`` then (``tolerances`` says why), and stages one after
another add their squares; gradients go through all stages twice and are sums over the batch. What
is allowed is ``64 u (sqrt(K) + 4)`` with the sum of all K, relative to the usual size of the right
numbers (their mean absolute value), which the reference knows; tried on processors, a thirtieth of
it at most is used. What only selects or doubles numbers has no stage: it must be exact.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from functools import cache
from typing import Any

from assets import FOLDER

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FLOAT32 = 2.0**-24
"""Unit roundoff: operations are measured in float32."""
LARGEST_BYTES = 32 << 20
"""Room for all that the largest operation hands over: the gradients of a layer of BERT."""
Sizes = tuple[tuple[str, tuple[int, ...]], ...]
"""By name; most have one number."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of torch, with its sizes, and what is claimed of it."""

    id: str
    title: str
    """For people, with the sizes that matter."""
    kind: str
    """The worker's word for it; ``train`` is a training step with a convolution."""
    sizes: Sizes
    claim: str
    """``works``, ``likely``, ``fails`` or ``hangs``."""
    said: str
    """The words of the claim."""
    setup: str
    """What it was said of."""
    source: str
    backward: bool = False
    """True to measure the gradients of all that goes into it."""
    assumed: str = ""
    """What the claim leaves open and was chosen here."""

    @property
    def request(self) -> dict[str, Any]:
        """What the worker is told."""
        return {"kind": self.kind, "sizes": plain(self.sizes), "backward": self.backward}

    @property
    def relative_tolerance(self) -> float:
        """The largest error that rounding may cause, by the usual size of the numbers."""
        lengths = reductions(self)
        return 64 * FLOAT32 * (math.sqrt(sum(lengths)) + 4) if lengths else 0.0


@cache
def load_operations() -> tuple[Operation, ...]:
    """All operations, in the order of the file."""
    with (FOLDER / "operations.toml").open("rb") as file:
        return tuple(_operation(entry) for entry in tomllib.load(file)["operation"])


def plain(sizes: Sizes) -> dict[str, Any]:
    """Sizes as the worker takes them: a number, or several."""
    return {name: n[0] if len(n) == 1 else list(n) for name, n in sizes}


def reductions(operation: Operation) -> tuple[int, ...]:
    """How many products each stage sums into one number, one stage after another."""
    forward, batch = _stages(operation.kind, plain(operation.sizes))
    return (*forward, *forward, batch) if operation.backward else forward


def _stages(kind: str, sizes: dict[str, Any]) -> tuple[tuple[int, ...], int]:
    """Stages of the forward pass, and over how many places gradients of weights are summed."""
    match kind:
        case "matmul" | "linear":
            return (sizes["inner"],), sizes["rows"]
        case "conv2d":
            n, channels, high, wide = sizes["size"]
            return (channels * sizes["kernel"] ** 2,), n * high * wide
        case "batch_norm":
            n, _, high, wide = sizes["size"]
            return (n * high * wide,), n * high * wide
        case "avg_pool":
            (*_, high, wide), (to_high, to_wide) = sizes["size"], sizes["result"]
            return ((high // to_high) * (wide // to_wide),), 1
        case "rnn" | "lstm" | "gru":
            steps = sizes["steps"]
            return (sizes["inputs"] + sizes["hidden"],) * steps, sizes["batch"] * steps
        case "encoder" | "causal" | "decoder":
            width, tokens = sizes["width"], sizes["tokens"]
            attention = (width, width // sizes["heads"], tokens, width)
            times = 2 if kind == "decoder" else 1
            return (*attention * times, width, sizes["inner"]), sizes["batch"] * tokens
        case _:
            return (), 1


def _operation(entry: dict[str, Any]) -> Operation:
    sizes = entry.pop("sizes").items()
    numbers = tuple((name, tuple(n) if isinstance(n, list) else (n,)) for name, n in sizes)
    return Operation(sizes=numbers, **entry)
