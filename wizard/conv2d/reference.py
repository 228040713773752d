"""The process that knows the right numbers: the same convolution on the CPU, in float64."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass
from typing import Any

from wizard.conv2d.channel import Worker


@dataclass(frozen=True, slots=True)
class Comparison:
    """How far a result is from the reference, or why nobody knows."""

    max_abs_error: float | None
    nonfinite: int | None
    failure: str = ""


@dataclass(slots=True)
class Reference:
    """The reference worker; it is broken once it has missed a deadline or ended."""

    worker: Worker
    seconds: float
    broken: bool = False

    def prepare(self, command: dict[str, Any]) -> None:
        """Let it work ahead while the card measures the same shape."""
        self.worker.send({**command, "do": "prepare"})

    async def compare(self, command: dict[str, Any], size: list[int]) -> Comparison:
        """Compare the shared memory with the reference of that command."""
        self.worker.send({**command, "do": "compare", "size": size})
        until = asyncio.get_running_loop().time() + self.seconds
        while True:
            left = until - asyncio.get_running_loop().time()
            try:
                event = await self.worker.receive(left)
            except asyncio.TimeoutError:
                return self._failed(f"it took more than {self.seconds:g} s")
            if event is None:
                return self._failed("its process died; " + self.worker.tail.text())
            if event.get("ticket") == command["ticket"]:
                return _comparison(event)

    def _failed(self, why: str) -> Comparison:
        self.broken = True
        return Comparison(None, None, why)


def _comparison(event: dict[str, Any]) -> Comparison:
    if event["event"] == "failed":
        return Comparison(None, None, str(event["text"]))
    error = event["max_abs_error"]
    if error is not None and not math.isfinite(error):
        return Comparison(None, None, "the reference itself is not finite")
    return Comparison(error, event["nonfinite"])
