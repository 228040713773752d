"""Launches the rows of a sweep, each on a card that was seen to work since the last failure."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import asdict, dataclass, field
from itertools import count
from typing import Any

from wizard.conv2d import run_words
from wizard.conv2d.journal import Journal
from wizard.conv2d.sweep import (
    DeadlineMoved,
    DeviceFound,
    Note,
    Phase,
    ShapeStarted,
    Sweep,
    SweepEvent,
)
from wizard.conv2d.verdicts import Loaded, Verdict
from wizard.conv2d.worker import health, wording
from wizard.conv2d.worker.hang_classes import Finding
from wizard.conv2d.worker.launch import Measurer
from wizard.conv2d.worker.outcome import HUNG, NOT_LAUNCHED, Outcome, Watched
from wizard.conv2d.worker.reference import Comparison
from wizard.conv2d.worker.team import Team

SHAKEN = ("hung", "crashed")
"""Outcomes after which nobody knows whether the card still works."""

LONG_CHECK_S = 2.0
"""A check that takes longer was held up."""


@dataclass(slots=True)
class Launches:
    """What a sweep launches with, and what its last launch has come to."""

    sweep: Sweep
    book: Journal
    team: Team
    spawn: bool
    """True when each shape gets a new interpreter."""
    fork_known: bool = False
    """True once it is known whether forked processes work."""
    fork_proven: bool = False
    """True once a forked process has measured a shape."""
    tickets: count[int] = field(default_factory=lambda: count(1))
    outcome: Outcome = NOT_LAUNCHED
    command: dict[str, Any] = field(default_factory=dict)
    hangs: int = 0
    """How many launches have hung in this go."""
    doubted_since: float | None = None
    """When the launch began after which nobody has looked at the card yet."""

    async def attempt(self, index: int, spawn: bool) -> AsyncGenerator[SweepEvent, None]:
        """Launch a row once; its end is in ``outcome``."""
        async for event in self.ready(index, spawn):
            yield event
        if not self.is_ready:
            return
        measurer = self.team.measurer(spawn, self.sweep.rows[index])
        self.command = self._command(index)
        self.book.launch(index, "spawn" if spawn else "fork")
        row, limit = self.sweep.rows[index], measurer.limit
        yield ShapeStarted(index + 1, len(self.sweep.rows), row, limit)
        async for event in self._follow(index, measurer):
            yield event

    async def again(self, index: int, suspect: int, spawn: bool) -> AsyncGenerator[Phase, None]:
        """Launch a row once more, as the control of another one; its end is in ``outcome``."""
        yield Phase(suspect + 1, "control")
        self.command = {**self._command(index), "warm_runs": 0}
        self.book.control(index, suspect)
        async for _ in self._follow(index, self.team.measurer(spawn, self.sweep.rows[suspect])):
            pass

    @property
    def is_spent(self) -> bool:
        """True when as many launches have hung as may."""
        return self.sweep.hangs is not None and self.hangs >= self.sweep.hangs

    @property
    def is_ready(self) -> bool:
        """True when nothing speaks against a launch."""
        return self.team.trouble is None and self.doubted_since is None

    async def ready(self, index: int, spawn: bool) -> AsyncGenerator[SweepEvent, None]:
        """Have the workers that a launch needs, and a card that can be trusted."""
        self.outcome = NOT_LAUNCHED
        async for event in self.team.assemble(spawn, self.sweep.rows[index]):
            yield event
        if self.team.trouble is None:
            async for event in self._checked(
                index, self.team.measurer(spawn, self.sweep.rows[index])
            ):
                yield event

    async def comparison(self) -> Comparison:
        """The last outcome against the reference; nothing when there is none to compare."""
        if self.outcome.kind != "measured":
            return Comparison()
        return await self.team.compare(self.command, self.outcome.figures["parts"])

    async def _checked(self, index: int, measurer: Measurer) -> AsyncGenerator[SweepEvent, None]:
        """After a launch that hung or died: see whether the card still works."""
        if self.doubted_since is None and measurer.sent is None:
            return
        yield Phase(index + 1, "health")
        began_s = time.monotonic()
        since = began_s if self.doubted_since is None else self.doubted_since
        lines_since = self.team.sources.kernel_lines
        reading = asyncio.to_thread(lines_since, since)
        check, lines = await asyncio.gather(self._check(measurer), reading)
        if time.monotonic() - began_s > LONG_CHECK_S:
            # The driver may have been at work on the card meanwhile: what does its log say now?
            lines = await asyncio.to_thread(lines_since, since)
        trouble = health.trouble_of(check, lines)
        if trouble is None:
            self.doubted_since = None
            yield Note(health.well(lines))
        elif not measurer.spawn and not self.fork_proven and check.kind != "unkillable":
            self.spawn = True
            yield Note(wording.FORK_FAILED_CHECK)
        else:
            self.team.trouble, self.team.trouble_verdict = trouble, Verdict.UNUSABLE

    async def _check(self, measurer: Measurer) -> Outcome:
        check = NOT_LAUNCHED
        async with aclosing(measurer.launch(measurer.sent or self._health())) as answers:
            async for answer in answers:
                if isinstance(answer, Outcome):
                    check = answer
                elif isinstance(answer, Loaded):
                    self.team.loaded = answer
        return check

    async def _follow(self, index: int, measurer: Measurer) -> AsyncGenerator[SweepEvent, None]:
        began_s = time.monotonic()
        early = self.sweep.device == "cuda" and (self.spawn or self.fork_known)
        after_hang = self._health() if early else None
        launch = measurer.launch(self.command, after_hang, self.book.sync)
        async with aclosing(launch) as answers:
            async for answer in answers:
                if isinstance(answer, Outcome):
                    self.outcome = answer
                elif isinstance(answer, Loaded):
                    self.team.loaded = answer
                    yield DeviceFound(answer)
                elif isinstance(answer, Finding):
                    why, because = answer.hang_class.value, answer.because
                    yield DeadlineMoved(index + 1, why, because, self.sweep.deadlines.longest)
                elif isinstance(answer, Watched):
                    yield Phase(index + 1, "killed", answer.seconds_left)
                else:
                    yield Phase(index + 1, answer)
        self.fork_proven |= self.outcome.kind == "measured" and not measurer.spawn
        self._note_trouble(began_s)

    def _command(self, index: int) -> dict[str, Any]:
        row = self.sweep.rows[index]
        return {
            "do": "measure",
            "ticket": next(self.tickets),
            "shape": asdict(row.shape),
            "seed": self.sweep.seed + index,
            "engine": row.engine,
            "work": row.work,
            "operation": row.operation and row.operation.request,
            "warm_runs": self.sweep.warm_runs,
        }

    def _health(self) -> dict[str, Any]:
        return {"do": "health", "ticket": next(self.tickets)}

    def _note_trouble(self, began_s: float) -> None:
        """What this outcome means for all later shapes."""
        self.hangs += self.outcome.kind in HUNG
        if self.outcome.kind == "no device":
            self.team.trouble = run_words.no_device(self.team.loaded.hip, self.team.loaded.torch)
        elif self.outcome.kind == "unkillable":
            seconds = self.sweep.deadlines.killed
            self.team.trouble = run_words.unkillable(self.outcome, seconds)
            self.team.trouble_verdict = Verdict.UNUSABLE
        elif self.outcome.kind in SHAKEN and self.sweep.device == "cuda":
            self.doubted_since = began_s
