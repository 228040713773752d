"""The workers of one sweep: who measures, who knows the right numbers, and their replacements."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from wizard.conv2d.presets import Row
from wizard.conv2d.run_words import no_databases
from wizard.conv2d.sweep import Note, StopReason, Sweep, SweepEvent, WorkerStarted
from wizard.conv2d.verdicts import Loaded, Verdict
from wizard.conv2d.worker.channel import LEAVE_SECONDS
from wizard.conv2d.worker.evidence import Sources
from wizard.conv2d.worker.isolation import Isolation, isolation
from wizard.conv2d.worker.launch import Measurer
from wizard.conv2d.worker.reference import Comparison, Reference
from wizard.conv2d.worker.start import NotStarted, start
from wizard.conv2d.worker.way import Way

MOST_PARENTS = 3
"""Each has torch imported, and its child may hold the card: as many as may live at once."""


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
    measurers: dict[Way, Measurer] = field(default_factory=dict)
    """The one that was asked last stands last."""
    reference: Reference | None = None
    databases: Isolation = field(init=False)

    def __post_init__(self) -> None:
        """Without any folder: most sweeps need none."""
        self.databases = isolation(self.environ, keep=self.sweep.surroundings.keep)

    async def assemble(
        self, spawn: bool, row: Row | None = None
    ) -> AsyncGenerator[SweepEvent, None]:
        """Start whoever is missing. Both import at once, and nothing is measured meanwhile."""
        way, kept = Way.of(row, spawn), self.databases.root
        known = self.measurers.get(way)
        if known is None or known.broken:
            await self._make_room(way)
            await asyncio.gather(self._start_measurer(way), self._start_reference())
            started = self.measurers.get(way)
            if self.trouble is None and started is not None:
                process = "spawn" if spawn else "fork"
                yield WorkerStarted(started.worker.process.pid, self.loaded, process)
            if self.databases.keep and self.databases.root != kept:
                yield Note(f"MIOpen's databases are kept in {self.databases.root}.")
        else:
            await self._start_reference()

    def measurer(self, spawn: bool, row: Row) -> Measurer:
        """Who measures that row; to be assembled first."""
        way = Way.of(row, spawn)
        found = self.measurers[way] = self.measurers.pop(way)
        self.loaded = found.loaded if found.loaded.torch else self.loaded
        return found

    async def retire(self) -> None:
        """End those who measure, and forget what they found: the next begins from nothing."""
        for way in tuple(self.measurers):
            old = self.measurers.pop(way)
            await old.worker.close(0.0 if old.broken else LEAVE_SECONDS)
            self.databases.forget(_databases_of(way))

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
        await asyncio.to_thread(self.databases.close)

    async def _make_room(self, way: Way) -> None:
        """End the parents that were not asked for longest."""
        for other in [each for each in self.measurers if each != way][: -(MOST_PARENTS - 1)]:
            await self.measurers.pop(other).worker.close(LEAVE_SECONDS)

    async def _start_measurer(self, way: Way) -> None:
        old, spawn = self.measurers.pop(way, None), way.spawn
        if old is not None:
            await old.worker.close(patience=0)
        try:
            environ, sources = self._on_top(way)
        except OSError as error:
            self._give_up(NotStarted(no_databases(str(self.databases.base), error)))
            return
        answer = await start(self.sweep, "measure", spawn, environ, self.memory)
        if isinstance(answer, NotStarted):
            self._give_up(answer)
            return
        deadlines = self.sweep.deadlines
        self.loaded = self.loaded if spawn else answer.loaded
        means = (self.kill, sources, self.loaded)
        measurer = Measurer(answer.worker, deadlines, spawn, *means, answer.child)
        self.measurers[way] = measurer

    def _on_top(self, way: Way) -> tuple[Mapping[str, str], Sources]:
        """The environment of a parent, and what can be seen of it from outside."""
        folder, sources = None, self.sources
        if way.setting or self.sweep.surroundings.isolated:
            folder = self.databases.folder(_databases_of(way))
            sources = replace(sources, caches=(*sources.caches, folder))
        return way.environment(self.environ, folder), sources

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


def _databases_of(way: Way) -> Way:
    """A process of its own finds what a forked one of the same setting has left."""
    return way._replace(spawn=False)
