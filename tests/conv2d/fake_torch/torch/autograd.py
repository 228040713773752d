"""Gradients that are none, but as sensitive to all that goes in."""

# mypy: disable-error-code="import-not-found"
# These files find each other only where this folder is on the path.
from __future__ import annotations

from typing import Any

from torch import faults


def grad(result: Any, inputs: list[Any], upstream: Any) -> tuple[Any, ...]:
    """For each input its own numbers, times those from above, plus those of the result."""
    wish = faults.strike(result.later)
    above, values = upstream.values, result.values
    gradients = tuple(
        each.like(
            value * above[n % len(above)] + values[n % len(values)]
            for n, value in enumerate(each.values)
        )
        for each in inputs
    )
    faults.spoil(gradients[0], wish)
    return gradients
