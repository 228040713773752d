"""One shape on trial: launched, tried again when forking is suspected, compared and judged."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import asdict, dataclass, field
from itertools import count
from typing import Any

from wizard.conv2d import wording
from wizard.conv2d.hang_classes import Finding
from wizard.conv2d.journal import Journal
from wizard.conv2d.judging import Launched, judged, unmeasured
from wizard.conv2d.launch import Measurer, Outcome
from wizard.conv2d.reference import Comparison
from wizard.conv2d.sweep import (
    DeadlineMoved,
    DeviceFound,
    Note,
    Phase,
    ShapeDone,
    ShapeStarted,
    Sweep,
    SweepEvent,
)
from wizard.conv2d.team import Team
from wizard.conv2d.verdicts import Loaded, Result, Verdict


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
    hangs: int = 0
    """How many launches have hung in this go."""

    @property
    def is_spent(self) -> bool:
        """True when as many launches have hung as may."""
        return self.sweep.hangs is not None and self.hangs >= self.sweep.hangs

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
            given_up = self.give_up(index)
            if given_up is not None:
                yield ShapeDone(index + 1, len(self.sweep.rows), given_up)
            return
        yield Phase(index + 1, "compare")
        comparison = await self._comparison()
        launched = Launched(self.outcome, comparison, runs, "spawn" if spawn else "fork")
        result = judged(self.sweep, index, launched, self.team.loaded)
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
        phase = None if verdict is Verdict.UNUSABLE else "import"
        result = unmeasured(self.sweep, index, verdict, text, self.team.loaded, phase)
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
                elif isinstance(answer, Finding):
                    why, because = answer.hang_class.value, answer.because
                    yield DeadlineMoved(index + 1, why, because, self.sweep.deadlines.longest)
                else:
                    yield Phase(index + 1, answer)

    async def _comparison(self) -> Comparison:
        if self.outcome.kind != "measured":
            return Comparison(None, None)
        return await self.team.compare(self.command, self.outcome.figures["size"])

    def _command(self, index: int) -> dict[str, Any]:
        row = self.sweep.rows[index]
        return {
            "do": "measure",
            "ticket": next(self.tickets),
            "shape": asdict(row.shape),
            "seed": self.sweep.seed + index,
            "engine": row.engine,
            "work": row.work,
            "warm_runs": self.sweep.warm_runs,
        }

    def _note_trouble(self) -> None:
        """What this outcome means for all later shapes."""
        self.hangs += self.outcome.kind in ("hung", "unkillable")
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
        if kind == "hung" and self.is_spent:
            return False  # to try it once more might cost another hang
        return kind in ("hung", "crashed", "fork unsafe", *errors)

    def _conclude(self, first: Outcome) -> Note:
        """What the attempt in a process of its own says about the forked one."""
        self.fork_known = True
        answered = ("error", "out of memory") if first.kind in ("hung", "crashed") else ()
        self.spawn = self.outcome.kind in ("measured", *answered)
        return Note(wording.FORK_BAD if self.spawn else wording.FORK_CLEARED)
