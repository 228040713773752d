"""One shape on trial: launched, tried again when forking is suspected, compared and judged."""

from __future__ import annotations

import statistics
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import asdict, dataclass, field
from itertools import count
from typing import Any

from wizard.conv2d import wording
from wizard.conv2d.journal import Journal
from wizard.conv2d.launch import Measurer, Outcome
from wizard.conv2d.reference import Comparison
from wizard.conv2d.sweep import (
    DeviceFound,
    Note,
    Phase,
    ShapeDone,
    ShapeStarted,
    Sweep,
    SweepEvent,
)
from wizard.conv2d.team import Team
from wizard.conv2d.verdicts import Loaded, Result, Verdict, judge, tolerance

VERDICTS = {
    "error": Verdict.ERROR,
    "out of memory": Verdict.OUT_OF_MEMORY,
    "import failed": Verdict.ERROR,
    "crashed": Verdict.CRASHED,
    "hung": Verdict.HUNG,
    "unkillable": Verdict.HUNG,
}


@dataclass(slots=True)
class Trial:
    """Policy of a sweep: how a shape is launched, and what its outcome means for the next."""

    sweep: Sweep
    book: Journal
    team: Team
    spawn: bool
    fork_known: bool = False
    """True once it is known whether forked processes work."""
    unmeasured: dict[int, Result] = field(default_factory=dict)
    """Shapes that could not be had any more; not in the journal, so that a rerun tries them."""
    tickets: count[int] = field(default_factory=lambda: count(1))
    outcome: Outcome = field(default_factory=lambda: Outcome("error", "start"))
    command: dict[str, Any] = field(default_factory=dict)

    async def run(self, index: int) -> AsyncGenerator[SweepEvent, None]:
        """Measure one row and write its verdict down."""
        runs, spawn = 1, self.spawn
        async for event in self._attempt(index, spawn):
            yield event
        if self._suspect():
            first, runs, spawn = self.outcome, (1 if self.spawn else 2), True
            yield Note(wording.FORK_UNSAFE if self.spawn else wording.FORK_SUSPECTED)
            async for event in self._attempt(index, spawn):
                yield event
            if not self.spawn and self.team.trouble is None:
                yield self._conclude(first)
        if self.team.trouble is not None and self.outcome.kind != "unkillable":
            return
        yield Phase(index + 1, "compare")
        result = await self._judge(index, runs, "spawn" if spawn else "fork")
        self.book.outcome(index, result)
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
        result = unmeasured(self.sweep, index, verdict, text, self.team.loaded)
        self.unmeasured[index] = result
        return result

    async def _attempt(self, index: int, spawn: bool) -> AsyncGenerator[SweepEvent, None]:
        """Launch the shape once; its end is in ``outcome``."""
        async for event in self.team.assemble(spawn):
            yield event
        if self.team.trouble is not None:
            return
        measurer = self.team.measurers[spawn]
        self.command = self._command(index)
        self.book.launch(index, "spawn" if spawn else "fork")
        row, limit = self.sweep.rows[index], measurer.limit
        yield ShapeStarted(index + 1, len(self.sweep.rows), row, limit)
        if self.sweep.device == "cuda" and self.team.reference is not None:
            self.team.reference.prepare(self.command)
        async for event in self._follow(index, measurer):
            yield event
        self._note_trouble()

    async def _follow(self, index: int, measurer: Measurer) -> AsyncGenerator[SweepEvent, None]:
        async with aclosing(measurer.launch(self.command)) as answers:
            async for answer in answers:
                if isinstance(answer, Outcome):
                    self.outcome = answer
                elif isinstance(answer, Loaded):
                    self.team.loaded = answer
                    yield DeviceFound(answer)
                else:
                    yield Phase(index + 1, answer)

    def _command(self, index: int) -> dict[str, Any]:
        return {
            "do": "measure",
            "ticket": next(self.tickets),
            "shape": asdict(self.sweep.rows[index].shape),
            "seed": self.sweep.seed + index,
            "engine": self.sweep.engine,
            "warm_runs": self.sweep.warm_runs,
        }

    def _note_trouble(self) -> None:
        """What this outcome means for all later shapes."""
        if self.outcome.kind == "no device":
            self.team.trouble = wording.no_device(self.team.loaded.hip, self.team.loaded.torch)
        elif self.outcome.kind == "unkillable":
            seconds = self.sweep.deadlines.killed
            self.team.trouble = wording.unkillable(self.outcome, seconds)
            self.team.trouble_verdict = Verdict.UNUSABLE

    def _suspect(self) -> bool:
        """True when forking cannot be used, or may be at fault and nobody knows yet."""
        kind, known = self.outcome.kind, self.spawn or self.fork_known
        if known or self.team.trouble is not None:
            return False
        self.spawn = kind == "fork unsafe"
        self.fork_known = kind == "measured"
        errors = ("error",) if self.sweep.device == "cuda" else ()
        return kind in ("hung", "crashed", "fork unsafe", *errors)

    def _conclude(self, first: Outcome) -> Note:
        """What the attempt in a process of its own says about the forked one."""
        self.fork_known = True
        answered = ("error", "out of memory") if first.kind in ("hung", "crashed") else ()
        self.spawn = self.outcome.kind in ("measured", *answered)
        return Note(wording.FORK_BAD if self.spawn else wording.FORK_CLEARED)

    async def _judge(self, index: int, runs: int, process: str) -> Result:
        row, outcome = self.sweep.rows[index], self.outcome
        allowed, warm = tolerance(row.shape), outcome.figures.get("warm") or None
        warm_s = statistics.median(warm) if warm else None
        comparison = Comparison(None, None)
        if outcome.kind == "measured":
            comparison = await self.team.compare(self.command, outcome.figures["size"])
        verdict, detail = self._verdict(comparison, allowed, warm_s)
        hang = "unkillable" if outcome.kind == "unkillable" else "unclassified"
        return Result(
            shape=row.shape,
            engine=engine_name(self.sweep, self.team.loaded),
            verdict=verdict,
            detail=detail,
            runs=runs,
            loaded=self.team.loaded,
            cold_s=outcome.figures.get("cold"),
            warm_s=warm_s,
            max_abs_error=comparison.max_abs_error,
            nonfinite=comparison.nonfinite,
            tolerance=allowed,
            memory_bytes=outcome.figures.get("memory"),
            hang_class=hang if verdict is Verdict.HUNG else None,
            phase=None if outcome.kind == "measured" else outcome.phase,
            process=process,
            published=row.published,
        )

    def _verdict(
        self, comparison: Comparison, allowed: float, warm_s: float | None
    ) -> tuple[Verdict, str]:
        outcome = self.outcome
        if outcome.kind in ("hung", "unkillable"):
            return Verdict.HUNG, wording.hung(outcome)
        if outcome.kind != "measured":
            return VERDICTS[outcome.kind], outcome.text
        if comparison.nonfinite is None:
            return Verdict.ERROR, f"measured, but not checked: {comparison.failure}"
        verdict, detail = judge(comparison.max_abs_error, comparison.nonfinite, allowed)
        if verdict is Verdict.PASS and (warm_s or 0) > self.sweep.slow_s:
            return Verdict.SLOW, f"right numbers, but {warm_s:.3g} s for each later call"
        return verdict, detail


def engine_name(sweep: Sweep, loaded: Loaded) -> str:
    """Who does the convolution."""
    if sweep.device == "cpu":
        return "cpu"
    if sweep.engine == "native":
        return "native"
    return "miopen" if loaded.hip else "cudnn"


def unmeasured(sweep: Sweep, index: int, verdict: Verdict, text: str, loaded: Loaded) -> Result:
    """The result of a shape without a launch of its own."""
    row, hung = sweep.rows[index], verdict is Verdict.HUNG
    return Result(
        shape=row.shape,
        engine=engine_name(sweep, loaded),
        verdict=verdict,
        detail=text,
        runs=0,
        loaded=loaded,
        hang_class="unclassified" if hung else None,
        phase="import" if hung else None,
        published=row.published,
    )
