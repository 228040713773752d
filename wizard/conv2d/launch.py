"""One launch of one shape: phases as they come, then what became of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field, replace

from wizard.conv2d.channel import Worker, state_of
from wizard.conv2d.events import Event, how_it_died, loaded_from
from wizard.conv2d.evidence import Sources, Witness, between
from wizard.conv2d.hang_classes import Evidence, Finding, classify
from wizard.conv2d.patience import Patience
from wizard.conv2d.sweep import Deadlines
from wizard.conv2d.verdicts import Loaded


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a launch ended, before anybody judges the numbers."""

    kind: str
    """``measured``, ``error``, ``out of memory``, ``hung``, ``unkillable``, ``crashed``,
    ``no device``, ``fork unsafe`` or ``import failed``."""
    phase: str
    text: str = ""
    seconds: float = 0.0
    """The deadline that was missed, for what hung."""
    figures: Event = field(default_factory=dict)
    """``cold``, ``warm``, ``memory`` and ``size`` of a measured shape."""
    evidence: Evidence | None = None
    """What was seen of a shape that hung."""


@dataclass(slots=True)
class Measurer:
    """The measuring worker, and its child of the moment."""

    worker: Worker
    deadlines: Deadlines
    spawn: bool
    kill: Callable[[int], None]
    sources: Sources
    loaded: Loaded = field(default_factory=Loaded)
    child: int | None = None
    """Its process id while it lives."""
    proven: bool = False
    """True when the living child has measured a shape."""
    broken: bool = False
    """True when the worker cannot be used any more."""

    async def launch(
        self, command: Event
    ) -> AsyncGenerator[str | Loaded | Finding | Outcome, None]:
        """Measure one shape: phases, what was loaded, why it may take longer, and the outcome."""
        phase, idle, began_s = ("import" if self.spawn else "start"), self.child, time.monotonic()
        patience = self._patience(self.limit)
        self.worker.tail.forget()
        if not self.worker.send(command):
            self.broken = True
        outcome: Outcome | None = None
        while outcome is None:
            try:
                event = await self.worker.receive(patience.seconds_to_wait(self._now()))
            except asyncio.TimeoutError:
                moved = await self._look(patience)
                if moved:
                    yield classify(self._evidence(patience, phase))
                if patience.is_over(self._now()):
                    yield "killed"
                    yield await self._hung(patience, phase, began_s)
                    return
                continue
            if event is not None and event["event"] == ("imported" if self.spawn else "child"):
                phase, patience = "start", self._patience(self.deadlines.first)
            answer = self._understand(event, command, phase, idle)
            if isinstance(answer, Outcome):
                outcome = answer
            elif answer is not None:
                phase = answer if isinstance(answer, str) else phase
                yield answer
        if (self.spawn or outcome.kind != "measured") and not self.broken:
            await self._leave()
        yield outcome

    @property
    def limit(self) -> float:
        """How long the next launch may take before it says anything."""
        if self.spawn:
            return self.deadlines.imports
        return self.deadlines.later if self.proven else self.deadlines.first

    def _understand(
        self, event: Event | None, command: Event, phase: str, idle: int | None
    ) -> str | Loaded | Outcome | None:
        """What an event says; None when it says nothing about this launch."""
        if event is None:
            self.broken = True
            return Outcome("crashed", phase, "the worker itself ended; " + self.worker.tail.text())
        match event["event"]:
            case "gone":
                return self._gone(event, command, phase, idle)
            case "imported" | "ready":
                self.loaded = loaded_from(self.loaded, event)
                return self.loaded if event["event"] == "ready" else None
            case "no-device":
                return Outcome("no device", phase)
            case "import-failed":
                return Outcome("import failed", phase, event["text"])
            case _:
                pass
        if event.get("ticket") != command["ticket"]:
            return None  # the last words of a process that was given up
        return self._about_this_launch(event, phase)

    def _about_this_launch(self, event: Event, phase: str) -> str | Outcome | None:
        match event["event"]:
            case "child":
                self.child = event["pid"]
            case "phase":
                return str(event["phase"])
            case "measured":
                self.proven = True
                return Outcome("measured", phase, figures=event)
            case "failed":
                return Outcome(event["kind"], phase, event["text"])
            case "fork-unsafe":
                return Outcome("fork unsafe", phase, ", ".join(event["paths"]))
            case _:
                pass
        return None

    def _gone(self, event: Event, command: Event, phase: str, idle: int | None) -> Outcome | None:
        if event["pid"] != self.child:
            return None
        self.child, self.proven = None, False
        if event["pid"] == idle and phase == "start" and event["taken"] != command["ticket"]:
            # It ended while idle: the parent starts another for this shape. The command may have
            # gone with it, out of the pipe and not yet read; twice, it is taken once.
            self.worker.send(command)
            return None
        return Outcome("crashed", phase, how_it_died(event["code"], self.worker.tail.text()))

    def _patience(self, limit: float) -> Patience:
        deadlines = self.deadlines
        return Patience(self._now(), limit, deadlines.longest, deadlines.look)

    async def _look(self, patience: Patience) -> bool:
        """Look at the process that does not answer; true when it turns out to progress."""
        pid = self.child or self.worker.process.pid
        witness = Witness(pid, self.sources, self.worker.tail.log_lines)
        look = await asyncio.to_thread(witness.look)
        return patience.note(look, self._now())

    def _evidence(self, patience: Patience, phase: str) -> Evidence:
        return between(*patience.looks, phase=phase, reading=self.worker.tail.reading)

    async def _hung(self, patience: Patience, phase: str, began_s: float) -> Outcome:
        evidence = self._evidence(patience, phase)
        outcome = await self._end(phase)
        gone = outcome.kind != "unkillable"
        # After the end: the driver often notices no sooner than when it must take the work away.
        kernel = await asyncio.to_thread(self.sources.kernel_lines, began_s)
        state = evidence.state if gone else outcome.text
        evidence = replace(evidence, gone=gone, state=state, kernel=kernel)
        return replace(outcome, seconds=patience.limit, evidence=evidence)

    async def _end(self, phase: str) -> Outcome:
        """Kill a child that has hung and watch it end."""
        if self.child is None:
            self.broken = True  # the worker itself is stuck: there is no child to blame
            return Outcome("hung", phase)
        child = self.child
        self.kill(child)
        if await self._wait_until_gone(self.deadlines.killed):
            return Outcome("hung", phase)
        self.broken = True
        state = state_of(child)
        if state in ("", "zombie"):
            return Outcome("hung", phase)
        return Outcome("unkillable", phase, f"process {child} is in state {state}")

    async def _leave(self) -> None:
        """Let a child that is done end by itself; kill one that does not."""
        if not await self._wait_until_gone(self.deadlines.later):
            await self._end("exit")

    async def _wait_until_gone(self, seconds: float) -> bool:
        until = self._now() + seconds
        while self.child is not None:
            try:
                event = await self.worker.receive(until - self._now())
            except asyncio.TimeoutError:
                return False
            if event is None:
                self.broken = True
                return True
            if event["event"] == "gone" and event["pid"] == self.child:
                self.child, self.proven = None, False
        return True

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()
