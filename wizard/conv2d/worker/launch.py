"""One launch of one shape: phases as they come, then what became of it."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from wizard.conv2d.hangs import (
    Evidence,
    Finding,
    Look,
    Reading,
    Sources,
    between,
    classify,
    look_at,
    state_of,
)
from wizard.conv2d.sweep import (
    DeadlineMoved,
    Deadlines,
    DeviceFound,
    Event,
    Phase,
    SweepEvent,
    how_it_died,
    loaded_from,
)
from wizard.conv2d.verdicts import Loaded
from wizard.conv2d.worker.process import Worker
from wizard.core.fact import Fact, Unknown
from wizard.host.deadline import output
from wizard.knowledge.causes import KernelLine, known_lines

SOFT = 0.5
"""Share of the deadline after which it is looked at."""


@dataclass(slots=True)
class Patience:
    """When to look, when to look again, and when to give up; times are those of one clock."""

    began: float
    limit: float
    """Seconds without progress after which it has hung."""
    longest: float
    """Seconds after which it has hung even while it progresses."""
    every: float
    """Seconds between two looks, at most."""
    looks: list[Look] = field(default_factory=list)
    """The last two."""
    until: float = field(init=False)
    """The hard deadline as it stands."""
    _next: float = field(init=False)

    def __post_init__(self) -> None:
        """The first look comes at the soft deadline, the second by the hard one however short."""
        self.every = min(self.every, self.limit * (1 - SOFT))
        self.until = self.began + self.limit
        self._next = self.began + self.limit * SOFT

    def seconds_to_wait(self, now: float) -> float:
        """Until the next look; the last one comes at the deadline itself."""
        return max(0.0, min(self._next, self.until) - now)

    def note(self, look: Look, now: float) -> bool:
        """Take a look into account; true when it moved the deadline."""
        before = self.looks[-1] if self.looks else None
        self.looks = [*self.looks[-1:], look]
        self._next = now + self.every
        if before is None:
            # However late the first look came: without a second one nothing can be said.
            self.until = max(self.until, self._next)
        elif _progressed(before, look):
            return self._move(now)
        return False

    def is_over(self, now: float) -> bool:
        """True when it has hung: two looks without progress at the deadline, or far too long."""
        return len(self.looks) > 1 and now >= self.until

    def _move(self, now: float) -> bool:
        until = min(now + self.limit, self.began + self.longest)
        moved = until > self.until
        self.until = max(self.until, until)
        return moved


def _progressed(before: Look, after: Look) -> bool:
    return after.log_lines > before.log_lines or after.cache_bytes > before.cache_bytes


HUNG = ("hung", "unkillable")
"""Kinds of outcomes that no answer came with."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a launch ended, before anybody judges the numbers."""

    kind: str
    """``measured``, ``error``, ``out of memory``, ``hung``, ``unkillable``, ``crashed``,
    ``no device``, ``fork unsafe``, ``import failed`` or ``not launched``; of a health check also
    ``healthy`` or ``wrong``."""
    phase: str
    text: str = ""
    seconds: float = 0.0
    """The deadline that was missed, for what hung."""
    figures: Event = field(default_factory=dict)
    """``cold``, ``warm``, ``memory`` and ``parts`` of a measured shape."""
    finding: Finding | None = None
    """Which kind of hang it was, and what proves it."""
    reading: Reading | None = None
    """What MIOpen's log said last; of what came back, which algorithm it took."""
    printed: str = ""
    """The last that a process which died or hung had printed, on many lines."""


NOT_LAUNCHED = Outcome("not launched", "start")


WATCHED_S = 5.0
"""Between two words on a process that SIGKILL has not ended yet."""


@dataclass(slots=True)
class Measurer:
    """The measuring worker, and its child of the moment: sent to, ended, watched until it goes."""

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
        number: int,
        command: Event,
        after_hang: Event | None = None,
        sync: Callable[[], None] | None = None,
    ) -> AsyncGenerator[SweepEvent | Outcome, None]:
        """Carry out one command; the events are those of the shape of that number, and the outcome
        comes last. ``sync`` returns when the device may see what it is about.

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
                    found, longest = classify(self._evidence(patience)), self.deadlines.longest
                    yield DeadlineMoved(number, found.hang_class.value, found.because, longest)
                if patience.is_over(self.now()):
                    yield Phase(number, "killed")
                    async for last in self._hung(number, patience, phase, began_s, after_hang):
                        yield last
                    return
                continue
            if event is not None and event["event"] == ("imported" if self.spawn else "child"):
                phase, patience = "start", self._patience(command)
            answer = self._understand(number, event, command, phase, idle)
            if isinstance(answer, Outcome):
                outcome = answer
            elif answer is not None:
                phase = answer.name if isinstance(answer, Phase) else phase
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
        self, number: int, event: Event | None, command: Event, phase: str, idle: int | None
    ) -> Phase | DeviceFound | Outcome | None:
        """What an event says; None when it says nothing about this launch."""
        if event is None:
            self.broken = True
            return Outcome("crashed", phase, "the worker itself ended; " + self.worker.tail.text())
        match event["event"]:
            case "gone":
                return self._gone(event, command, phase, idle)
            case "imported" | "ready":
                self.loaded = loaded_from(self.loaded, event)
                return DeviceFound(self.loaded) if event["event"] == "ready" else None
            case "no-device":
                return Outcome("no device", phase)
            case "import-failed":
                return Outcome("import failed", phase, event["text"])
            case _:
                pass
        if event.get("ticket") != command["ticket"]:
            return None  # the last words of a process that was given up
        return self._about_this_launch(number, event, phase)

    def _about_this_launch(self, number: int, event: Event, phase: str) -> Phase | Outcome | None:
        match event["event"]:
            case "child":
                self.child = event["pid"]
            case "phase":
                return Phase(number, str(event["phase"]))
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
        pid, log_lines = self.child or self.worker.process.pid, self.worker.tail.log_lines
        look = await asyncio.to_thread(look_at, pid, self.sources, log_lines)
        return patience.note(look, self.now())

    def _evidence(self, patience: Patience) -> Evidence:
        first, second = patience.looks
        return between(first, second, self.worker.tail.reading)

    async def _hung(
        self,
        number: int,
        patience: Patience,
        phase: str,
        began_s: float,
        after_hang: Event | None,
    ) -> AsyncGenerator[Phase | Outcome, None]:
        evidence, printed = self._evidence(patience), self.worker.tail.lines()
        async for answer in self.end(phase):
            if not isinstance(answer, Outcome):
                yield Phase(number, "killed", answer)
                continue
            gone = answer.kind != "unkillable"
            if gone and after_hang is not None and not self.broken:
                self.send(after_hang)
                self.sent = after_hang
            # After the end: the driver often notices no sooner than when it must take the work
            # away.
            kernel = await asyncio.to_thread(self.sources.kernel_lines, began_s)
            state = evidence.state if gone else answer.text
            finding = classify(replace(evidence, gone=gone, state=state, kernel=kernel))
            reading, seconds = evidence.reading, patience.limit
            answer = replace(answer, seconds=seconds, reading=reading, printed=printed)
            yield replace(answer, finding=finding)

    def send(self, command: Event) -> None:
        """Give the worker a command; what was printed before belongs to another one."""
        self.worker.tail.forget()
        if not self.worker.send(command):
            self.broken = True

    async def end(self, phase: str) -> AsyncGenerator[float | Outcome, None]:
        """Kill a child that has hung and watch it end; seconds that are left of watching it."""
        if self.child is None:
            self.broken = True  # the worker itself is stuck: there is no child to blame
            yield Outcome("hung", phase)
            return
        child, until = self.child, self.now() + self.deadlines.killed
        self.kill(child)
        while not await self._wait_until_gone(min(WATCHED_S, until - self.now())):
            if self.now() >= until:
                yield self._left_behind(child, phase)
                return
            yield until - self.now()
        yield Outcome("hung", phase)

    def _left_behind(self, child: int, phase: str) -> Outcome:
        self.broken = True
        state = state_of(child)
        if state in ("", "zombie"):
            return Outcome("hung", phase)
        return Outcome("unkillable", phase, f"process {child} is in state {state}")

    async def leave(self) -> None:
        """Let a child that is done end by itself; kill one that does not."""
        if not await self._wait_until_gone(self.deadlines.later):
            async for _ in self.end("exit"):
                pass

    async def _wait_until_gone(self, seconds: float) -> bool:
        until = self.now() + seconds
        while self.child is not None:
            try:
                event = await self.worker.receive(until - self.now())
            except asyncio.TimeoutError:
                return False
            if event is None:
                self.broken = True
                return True
            if event["event"] == "gone" and event["pid"] == self.child:
                self.child, self.proven = None, False
        return True

    @staticmethod
    def now() -> float:
        """The time of the running loop."""
        return asyncio.get_running_loop().time()


DRIVER = Path("/sys/bus/pci/drivers/amdgpu")
DRIVER_ANSWER_S = 1.0


def busy_percent(driver: Path = DRIVER) -> int | None:
    """Of the one card of amdgpu; None with several of them, for which of them works is not known.

    ``gpu_busy_percent`` is there for every card that RDNA1 drivers know (Linux: amdgpu_pm.c).
    """
    files = sorted(driver.glob("*/gpu_busy_percent"))
    if len(files) != 1:
        return None
    # By another program: reading it asks the card, and a card that is stuck may never answer.
    said = output(("cat", str(files[0])), DRIVER_ANSWER_S)
    if isinstance(said, Unknown) or not re.fullmatch(r"\s*[0-9]{1,9}\s*", said):
        return None
    return int(said)


READERS = (
    ("journalctl", "--dmesg", "--boot", "--no-pager", "--output=short-monotonic", "--lines=1000"),
    ("dmesg", "--color=never"),
)
"""Both stamp each line with the seconds since the machine started; who may not read the one may
often read the other (``kernel.dmesg_restrict``, groups ``adm`` and ``systemd-journal``)."""
KERNEL_LOG_ANSWER_S = 3.0
STAMP = re.compile(r"^\[ *(\d+\.\d+)\]")
EARLIER_S = 0.1
"""The kernel's clock and ours differ by less."""


def driver_lines_since(
    began_s: float, read: Callable[[tuple[str, ...], float], Fact[str]] = output
) -> tuple[KernelLine, ...]:
    """Lines of the driver from that time on (``CLOCK_MONOTONIC``); none where none may be read."""
    for argv in READERS:
        text = read(argv, KERNEL_LOG_ANSWER_S)
        stamped = [] if isinstance(text, Unknown) else list(map(STAMP.match, text.splitlines()))
        lines = [found for found in stamped if found is not None]
        if lines:
            later = [found for found in lines if float(found[1]) + EARLIER_S >= began_s]
            return known_lines(found.string for found in later)
    return ()
