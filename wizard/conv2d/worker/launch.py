"""One launch of one shape: phases as they come, then what became of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field, replace

from wizard.conv2d.sweep import Deadlines
from wizard.conv2d.verdicts import Loaded
from wizard.conv2d.worker.channel import Worker
from wizard.conv2d.worker.ending import WatchedChild
from wizard.conv2d.worker.events import Event, how_it_died, loaded_from
from wizard.conv2d.worker.evidence import Sources, Witness, between
from wizard.conv2d.worker.hang_classes import Evidence, Finding, classify
from wizard.conv2d.worker.outcome import Outcome, Watched
from wizard.conv2d.worker.patience import Patience

Answer = str | Loaded | Finding | Watched | Outcome
"""A phase, what was loaded, why it may take longer, how long its end is watched, and the outcome,
which comes last."""


@dataclass(slots=True)
class Measurer(WatchedChild):
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
    sent: Event | None = None
    """A command that its next launch has only to follow."""

    async def launch(
        self,
        command: Event,
        after_hang: Event | None = None,
        sync: Callable[[], None] | None = None,
    ) -> AsyncGenerator[Answer, None]:
        """Carry out one command; ``sync`` returns when the device may see what it is about.

        If it hangs, ``after_hang`` is sent at once: the next process comes up while the kernel log
        is still being read.
        """
        idle, began_s = self.child, time.monotonic()
        phase = "import" if self._imports else "start"
        await self._begin(command, sync)
        patience = self._patience(command)
        outcome: Outcome | None = None
        while outcome is None:
            try:
                event = await self.worker.receive(patience.seconds_to_wait(self.now()))
            except asyncio.TimeoutError:
                moved = await self._look(patience)
                if moved:
                    yield classify(self._evidence(patience, phase))
                if patience.is_over(self.now()):
                    yield "killed"
                    async for last in self._hung(patience, phase, began_s, after_hang):
                        yield last
                    return
                continue
            if event is not None and event["event"] == ("imported" if self.spawn else "child"):
                phase, patience = "start", self._patience(command)
            answer = self._understand(event, command, phase, idle)
            if isinstance(answer, Outcome):
                outcome = answer
            elif answer is not None:
                phase = answer if isinstance(answer, str) else phase
                yield answer
        stays = ("healthy",) if self.spawn else ("healthy", "measured")
        if outcome.kind not in stays and not self.broken:
            await self.leave()
        yield self._with_last_words(outcome)

    def _with_last_words(self, outcome: Outcome) -> Outcome:
        tail = self.worker.tail
        return replace(outcome, reading=tail.chosen if outcome.kind == "measured" else tail.reading)

    async def _begin(self, command: Event, sync: Callable[[], None] | None) -> None:
        if command != self.sent:
            self.send(command)
        self.sent = None
        if sync is not None:
            await asyncio.to_thread(sync)
            self.worker.permit(command["ticket"])

    @property
    def limit(self) -> float:
        """How long the next launch may take before it says anything."""
        if self._imports:
            return self.deadlines.imports
        return self.deadlines.later if self.proven else self.deadlines.first

    @property
    def _imports(self) -> bool:
        """True when the next launch begins with importing torch."""
        return self.spawn and self.child is None

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
            case "health":
                wrong = " and ".join(event["wrong"])
                return Outcome("wrong" if wrong else "healthy", phase, wrong)
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
        tail = self.worker.tail
        how = how_it_died(event["code"], tail.text())
        return Outcome("crashed", phase, how, printed=tail.lines())

    def _patience(self, command: Event) -> Patience:
        deadlines, is_check = self.deadlines, command["do"] == "health"
        limit = deadlines.health if is_check and not self._imports else self.limit
        return Patience(self.now(), limit, deadlines.longest, deadlines.look)

    async def _look(self, patience: Patience) -> bool:
        """Look at the process that does not answer; true when it turns out to progress."""
        pid = self.child or self.worker.process.pid
        witness = Witness(pid, self.sources, self.worker.tail.log_lines)
        look = await asyncio.to_thread(witness.look)
        return patience.note(look, self.now())

    def _evidence(self, patience: Patience, phase: str) -> Evidence:
        return between(*patience.looks, phase=phase, reading=self.worker.tail.reading)

    async def _hung(
        self, patience: Patience, phase: str, began_s: float, after_hang: Event | None
    ) -> AsyncGenerator[Watched | Outcome, None]:
        evidence, printed = self._evidence(patience, phase), self.worker.tail.lines()
        async for answer in self.end(phase):
            if isinstance(answer, Watched):
                yield answer
                continue
            gone = answer.kind != "unkillable"
            if gone and after_hang is not None and not self.broken:
                self.send(after_hang)
                self.sent = after_hang
            # After the end: the driver often notices no sooner than when it must take the work
            # away.
            kernel = await asyncio.to_thread(self.sources.kernel_lines, began_s)
            state = evidence.state if gone else answer.text
            evidence = replace(evidence, gone=gone, state=state, kernel=kernel)
            reading, seconds = evidence.reading, patience.limit
            answer = replace(answer, seconds=seconds, reading=reading, printed=printed)
            yield replace(answer, evidence=evidence)
