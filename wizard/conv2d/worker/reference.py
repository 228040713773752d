"""The process that knows the right numbers: the same on the CPU, in float64."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass
from typing import Any

from wizard.conv2d.worker.channel import Worker


@dataclass(frozen=True, slots=True)
class Part:
    """How far one of the tensors that a measurement gives is from the reference."""

    name: str
    max_abs_error: float | None
    """None when not all numbers are finite."""
    nonfinite: int
    usual: float | None = None
    """The mean size of the right numbers, where nobody else knows it."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How far each part of a result is from the reference; none, and why nobody knows."""

    parts: tuple[Part, ...] = ()
    failure: str = ""


@dataclass(slots=True)
class Reference:
    """The reference worker; it is broken once it has missed a deadline or ended."""

    worker: Worker
    seconds: float
    broken: bool = False

    async def compare(self, command: dict[str, Any], parts: list[Any]) -> Comparison:
        """Compare the shared memory with the reference of that command.

        Nothing is worked out before: it would take processors from what drives the card, and the
        times would not be the card's alone.
        """
        self.worker.send({**command, "do": "compare", "parts": parts})
        until = asyncio.get_running_loop().time() + self.seconds
        while True:
            left = until - asyncio.get_running_loop().time()
            try:
                event = await self.worker.receive(left)
            except asyncio.TimeoutError:
                return self._failed(f"the reference took more than {self.seconds:g} s")
            if event is None:
                return self._failed("the process of the reference died; " + self.worker.tail.text())
            if event.get("ticket") == command["ticket"]:
                return _comparison(event)

    def _failed(self, why: str) -> Comparison:
        self.broken = True
        return Comparison(failure=why)


def _comparison(event: dict[str, Any]) -> Comparison:
    if event["event"] == "failed":
        return Comparison(failure=str(event["text"]))
    parts = tuple(Part(**part) for part in event["parts"])
    errors = [part.max_abs_error for part in parts if part.max_abs_error is not None]
    if not all(map(math.isfinite, errors)):
        return Comparison(failure="the reference itself is infinite or not a number")
    return Comparison(parts)
