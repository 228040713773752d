"""The workers of one sweep: who measures, who knows the right numbers, and their replacements."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from wizard.conv2d.channel import LEAVE_SECONDS
from wizard.conv2d.evidence import Sources
from wizard.conv2d.launch import Measurer
from wizard.conv2d.reference import Comparison, Reference
from wizard.conv2d.start import NotStarted, start
from wizard.conv2d.sweep import StopReason, Sweep, SweepEvent, WorkerStarted
from wizard.conv2d.verdicts import Loaded, Verdict


@dataclass(slots=True)
class Team:
    """Workers that are started when needed, replaced when broken, and all ended by ``close``."""

    sweep: Sweep
    environ: Mapping[str, str]
    memory: int
    """Descriptor of the memory in which a result is handed over."""
    kill: Callable[[int], None]
    sources: Sources
    loaded: Loaded = field(default_factory=Loaded)
    trouble: StopReason | None = None
    """Why nothing more can be measured."""
    trouble_verdict: Verdict | None = None
    """What that says of the shape that was to be measured next; None when it says nothing."""
    reference_s: float = 0.0
    finished: bool = False
    """True when the workers have nothing left to do and may leave by themselves."""
    measurers: dict[bool, Measurer] = field(default_factory=dict)
    """By whether each shape gets a new interpreter."""
    reference: Reference | None = None

    async def assemble(self, spawn: bool) -> AsyncGenerator[SweepEvent, None]:
        """Start whoever is missing. Both import at once, and nothing is measured meanwhile."""
        known = self.measurers.get(spawn)
        if known is None or known.broken:
            await asyncio.gather(self._start_measurer(spawn), self._start_reference())
            started = self.measurers.get(spawn)
            if self.trouble is None and started is not None:
                process = "spawn" if spawn else "fork"
                yield WorkerStarted(started.worker.process.pid, self.loaded, process)
        else:
            await self._start_reference()

    async def compare(self, command: dict[str, Any], parts: list[Any]) -> Comparison:
        """The measured result against the reference, and the time it took set apart."""
        began = time.monotonic()
        if self.reference is None:
            return Comparison(failure="there is no reference process")
        comparison = await self.reference.compare(command, parts)
        self.reference_s += time.monotonic() - began
        return comparison

    async def close(self) -> None:
        """End everything that was started."""
        patience = LEAVE_SECONDS if self.finished and self.trouble is None else 0.0
        children = [m.child for m in self.measurers.values() if m.child is not None]
        if not patience:
            for child in children:
                self.kill(child)
        workers = [measurer.worker for measurer in self.measurers.values()]
        if self.reference is not None:
            workers.append(self.reference.worker)
        await asyncio.gather(*(worker.close(patience) for worker in workers))

    async def _start_measurer(self, spawn: bool) -> None:
        old = self.measurers.pop(spawn, None)
        if old is not None:
            await old.worker.close(patience=0)
        answer = await start(self.sweep, "measure", spawn, self.environ, self.memory)
        if isinstance(answer, NotStarted):
            self._give_up(answer)
            return
        deadlines = self.sweep.deadlines
        self.loaded = self.loaded if spawn else answer.loaded
        means = (self.kill, self.sources, self.loaded)
        measurer = Measurer(answer.worker, deadlines, spawn, *means, answer.child)
        self.measurers[spawn] = measurer

    async def _start_reference(self) -> None:
        if self.reference is not None and not self.reference.broken:
            return
        if self.reference is not None:
            await self.reference.worker.close(patience=0)
            self.reference = None
        answer = await start(self.sweep, "reference", False, self.environ, self.memory)
        if isinstance(answer, NotStarted):
            self._give_up(answer)
        else:
            self.reference = Reference(answer.worker, self.sweep.deadlines.reference)
            self.loaded = self.loaded if self.loaded.torch else answer.loaded

    def _give_up(self, answer: NotStarted) -> None:
        if self.trouble is None:
            self.trouble, self.trouble_verdict = answer.trouble, answer.verdict
