"""One shape on trial: launched as often as asked for, tried again when forking is suspected,
compared, judged, and where it failed set beside a control."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace

from wizard.conv2d.candidates import Candidates
from wizard.conv2d.sweep import Note, Phase, ShapeDone, SweepEvent
from wizard.conv2d.verdicts import RIGHT, Control, Result, Verdict
from wizard.conv2d.worker import wording
from wizard.conv2d.worker.controls import control_for, environment_broken
from wizard.conv2d.worker.judging import Launched, judged, unmeasured
from wizard.conv2d.worker.launches import Launches
from wizard.conv2d.worker.outcome import NOT_LAUNCHED, Outcome
from wizard.conv2d.worker.repeats import together


@dataclass(slots=True)
class Trial(Launches):
    """Policy of a sweep: how a shape is launched, and what its outcome means for the next."""

    thorough: bool = True
    """True when a control is worth an interpreter of its own."""
    candidates: dict[int, Candidates | None] = field(default_factory=dict)
    """What MIOpen said it would choose from for a row."""
    unmeasured: dict[int, Result] = field(default_factory=dict)
    """Shapes that could not be had any more; not in the journal, so that a rerun tries them."""

    async def run(self, index: int) -> AsyncGenerator[SweepEvent, None]:
        """Measure one row, as often as asked for, and write its verdict down."""
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
            results.append(replace(one, candidates=self.candidates.get(index)))
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
            yield Note(wording.FORK_UNSAFE if self.spawn else wording.FORK_SUSPECTED)
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
        return Note(wording.FORK_BAD if self.spawn else wording.FORK_CLEARED)
