"""Launches the rows of a sweep, each on a card that was seen to work since the last failure."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import asdict, dataclass, field, replace
from itertools import count
from typing import Any

from wizard.conv2d import stop_reasons
from wizard.conv2d.candidates import Candidates
from wizard.conv2d.hangs import Sources
from wizard.conv2d.journal import Journal
from wizard.conv2d.shapes import Row
from wizard.conv2d.stop_reasons import no_databases
from wizard.conv2d.sweep import (
    SEED,
    DeviceFound,
    Note,
    Phase,
    ShapeDone,
    ShapeStarted,
    StopReason,
    Sweep,
    SweepEvent,
    WorkerStarted,
)
from wizard.conv2d.verdicts import RIGHT, Control, Loaded, Result, Verdict, together
from wizard.conv2d.worker import judgement
from wizard.conv2d.worker.judgement import (
    Launched,
    control_for,
    environment_broken,
    judged,
    unmeasured,
)
from wizard.conv2d.worker.launch import HUNG, NOT_LAUNCHED, Measurer, Outcome
from wizard.conv2d.worker.process import LEAVE_SECONDS
from wizard.conv2d.worker.start import (
    Comparison,
    Isolation,
    NotStarted,
    Reference,
    Way,
    isolation,
    start,
)

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
        self.databases = isolation(self.environ, keep=self.sweep.environment.keep)

    async def assemble(self, spawn: bool, row: Row) -> AsyncGenerator[SweepEvent, None]:
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
        if way.setting or self.sweep.environment.isolated:
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


SHAKEN = ("hung", "crashed")
"""Outcomes after which nobody knows whether the card still works."""

LONG_CHECK_S = 2.0
"""A check that takes longer was held up."""


@dataclass(slots=True)
class Trial:
    """How the shapes of a sweep are launched, and what each outcome means for the next."""

    sweep: Sweep
    book: Journal
    team: Team
    spawn: bool
    """True when each shape gets a new interpreter."""
    thorough: bool = True
    """True when a control is worth an interpreter of its own."""
    unmeasured: dict[int, Result] = field(default_factory=dict)
    """Shapes that could not be had any more; not in the journal, so that a rerun tries them."""
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

    async def run(
        self, index: int, candidates: Candidates | None
    ) -> AsyncGenerator[SweepEvent, None]:
        """Measure one row, as often as asked for, and write its verdict down.

        ``candidates``: what MIOpen said it would choose from for it.
        """
        results: list[Result] = []
        while len(results) < self.sweep.repeats and (not results or self.team.trouble is None):
            launched: Launched | None = None
            async for event in self._launched(index):
                if isinstance(event, Launched):
                    launched = event
                else:
                    yield event
            if launched is None:
                break
            one = judged(self.sweep, index, launched, self.team.loaded)
            results.append(replace(one, candidates=candidates))
        if results:
            self.book.outcome(index, together(results))
            async for event in self._controlled(index):
                yield event
        result = self.book.results[index] if results else self.give_up(index)
        if result is not None:
            yield ShapeDone(index + 1, len(self.sweep.rows), result)

    def results(self) -> tuple[Result, ...]:
        """Every verdict so far, in the order of the request."""
        known = self.unmeasured | self.book.results
        return tuple(known[index] for index in sorted(known))

    def give_up(self, index: int) -> Result | None:
        """The verdict of a shape that cannot be measured any more; None when it says nothing."""
        verdict = self.team.trouble_verdict
        if verdict is None or self.team.trouble is None:
            return None
        text = self.team.trouble.happened
        if verdict is Verdict.UNUSABLE:
            text = f"not measured. {text}"
        self.team.trouble_verdict = Verdict.UNUSABLE
        phase = None if verdict is Verdict.UNUSABLE else "import"
        result = unmeasured(self.sweep, index, verdict, text, self.team.loaded, phase)
        self.unmeasured[index] = result
        return result

    async def _launched(self, index: int) -> AsyncGenerator[SweepEvent | Launched, None]:
        """Launch a row, twice when forking is suspected, and compare; no ``Launched`` when it
        cannot be had."""
        runs, spawn = 1, self.spawn
        async for event in self.attempt(index, spawn):
            yield event
        if self.spawn and not spawn and self.team.trouble is None:
            spawn = True  # the check found forking at fault before the row was launched
            async for event in self.attempt(index, spawn):
                yield event
        if self._suspect():
            first, runs, spawn = self.outcome, (1 if self.spawn else 2), True
            yield Note(judgement.FORK_UNSAFE if self.spawn else judgement.FORK_SUSPECTED)
            async for event in self.attempt(index, spawn):
                yield event
            if self.outcome is NOT_LAUNCHED and not self.spawn:
                self.outcome, runs, spawn = first, 1, False
            elif not self.spawn and self.team.trouble is None:
                yield self._conclude(first)
        if self.outcome.kind in (NOT_LAUNCHED.kind, "no device"):
            return
        yield Phase(index + 1, "compare")
        yield Launched(self.outcome, await self.comparison(), runs, "spawn" if spawn else "fork")

    async def _controlled(self, index: int) -> AsyncGenerator[SweepEvent, None]:
        """Measure the control of a row that failed, and write down what it says."""
        good = control_for(index, self.sweep.rows, self.book.results)
        if good is None or self.team.trouble is not None or (self.spawn and not self.thorough):
            return
        async for event in self.ready(index, self.spawn):
            yield event
        if not self.is_ready:
            return
        async for phase in self.again(good, index, self.spawn):
            yield phase
        comparison = await self.comparison()
        unchecked = self.outcome.kind == "measured" and not comparison.parts
        if unchecked or self.outcome.kind == "no device" or self._lost_its_worker(index):
            return  # it says nothing of the environment
        launched = Launched(self.outcome, comparison, 1, "spawn" if self.spawn else "fork")
        found = judged(self.sweep, good, launched, self.team.loaded)
        control = Control(found.label, found.verdict, found.detail)
        self.book.outcome(index, replace(self.book.results[index], control=control))
        if found.verdict not in RIGHT and self.team.trouble is None:
            self.team.trouble = environment_broken(self.sweep.rows[index], control)
            self.team.trouble_verdict = Verdict.UNUSABLE

    def _lost_its_worker(self, index: int) -> bool:
        """True when the parent ended under its child: it was killed, or the memory was full."""
        measurer = self.team.measurer(self.spawn, self.sweep.rows[index])
        return measurer.broken and self.outcome.kind == "crashed"

    def _suspect(self) -> bool:
        """True when forking cannot be used, or may be at fault and nobody knows yet."""
        kind, known = self.outcome.kind, self.spawn or self.fork_known
        if known or self.team.trouble is not None:
            return False
        self.spawn = kind == "fork unsafe"
        self.fork_known = kind == "measured"
        errors = ("error",) if self.sweep.device == "cuda" else ()
        if kind == "hung" and self.is_spent:
            return False  # to try it once more might cost another hang
        return kind in ("hung", "crashed", "fork unsafe", *errors)

    def _conclude(self, first: Outcome) -> Note:
        """What the attempt in a process of its own says about the forked one."""
        self.fork_known = True
        answered = ("error", "out of memory") if first.kind in ("hung", "crashed") else ()
        self.spawn = self.outcome.kind in ("measured", *answered)
        return Note(judgement.FORK_BAD if self.spawn else judgement.FORK_CLEARED)

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
        trouble = judgement.trouble_of(check, lines)
        if trouble is None:
            self.doubted_since = None
            yield Note(judgement.well(lines))
        elif not measurer.spawn and not self.fork_proven and check.kind != "unkillable":
            self.spawn = True
            yield Note(judgement.FORK_FAILED_CHECK)
        else:
            self.team.trouble, self.team.trouble_verdict = trouble, Verdict.UNUSABLE

    async def _check(self, measurer: Measurer) -> Outcome:
        check = NOT_LAUNCHED
        async with aclosing(measurer.launch(0, measurer.sent or self._health())) as answers:
            async for answer in answers:
                if isinstance(answer, Outcome):
                    check = answer
                elif isinstance(answer, DeviceFound):
                    self.team.loaded = answer.loaded
        return check

    async def _follow(self, index: int, measurer: Measurer) -> AsyncGenerator[SweepEvent, None]:
        began_s = time.monotonic()
        early = self.sweep.device == "cuda" and (self.spawn or self.fork_known)
        after_hang = self._health() if early else None
        launch = measurer.launch(index + 1, self.command, after_hang, self.book.sync)
        async with aclosing(launch) as answers:
            async for answer in answers:
                if isinstance(answer, Outcome):
                    self.outcome = answer
                    continue
                if isinstance(answer, DeviceFound):
                    self.team.loaded = answer.loaded
                yield answer
        self.fork_proven |= self.outcome.kind == "measured" and not measurer.spawn
        self._note_trouble(began_s)

    def _command(self, index: int) -> dict[str, Any]:
        row = self.sweep.rows[index]
        return {
            "do": "measure",
            "ticket": next(self.tickets),
            "shape": asdict(row.shape),
            "seed": SEED + index,
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
            self.team.trouble = stop_reasons.no_device(self.team.loaded.hip, self.team.loaded.torch)
        elif self.outcome.kind == "unkillable":
            seconds = self.sweep.deadlines.killed
            self.team.trouble = stop_reasons.unkillable(self.outcome, seconds)
            self.team.trouble_verdict = Verdict.UNUSABLE
        elif self.outcome.kind in SHAKEN and self.sweep.device == "cuda":
            self.doubted_since = began_s
