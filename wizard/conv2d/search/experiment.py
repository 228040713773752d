"""What a strategy measures with: one row after another, each from the journal or from the card.

A strategy is a coroutine: it asks for a row, gets its result, and decides on the next. Decisions
rest on results alone, so that a strategy that is begun again comes to where it was cut off by
asking the same, which the journal answers.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations

from wizard.conv2d.candidates import Candidates, NotAsked
from wizard.conv2d.journal import Journal
from wizard.conv2d.search.setting_search import Changes, Foresight, SettingRequest
from wizard.conv2d.shapes import Row
from wizard.conv2d.sweep import Note, ShapeDone, SweepEvent, WorkerStarted
from wizard.conv2d.verdicts import RIGHT, Result, Verdict
from wizard.conv2d.worker.judgement import LOST, unmeasured
from wizard.conv2d.worker.launches import Trial
from wizard.conv2d.worker.questions import Ask
from wizard.core.json_form import to_json
from wizard.knowledge.solvers import FIND_MODE, family_of, load_families
from wizard.system.joined_groups import joined_group

JOINED = (
    "Your membership in the {0} group takes effect at your next login. Until then, rdna1-setup "
    "starts its worker process through `sg {0} -c`."
)
NOT_ASKED = "MIOpen could not be asked what it would choose from: {0}"
OTHER_TORCH = "The unfinished measurement used a different torch, so the measurement starts over."
Tell = Callable[[SweepEvent], None]


class Experiment:
    """Measures rows in the order in which they are asked for, and tells what happens meanwhile."""

    def __init__(self, trial: Trial, tell: Tell, ask: Ask | None = None) -> None:
        self.trial = trial
        self.tell = tell
        self._ask = ask
        self._asked = 0

    @property
    def is_over(self) -> bool:
        """True when nothing more can be measured."""
        return self.trial.team.trouble is not None

    async def assemble(self, row: Row) -> None:
        """Start the workers for that row; what another torch has measured is forgotten."""
        trial = self.trial
        if trial.sweep.device == "cuda" and (group := joined_group()):
            self.tell(Note(JOINED.format(group)))
        async for event in trial.team.assemble(trial.sweep.spawn, row):
            if isinstance(event, WorkerStarted) and not _same_torch(trial.book, event):
                trial.book.forget()
                self.tell(Note(OTHER_TORCH))
            self.tell(event)

    async def renew(self) -> None:
        """Have the next row measured by a new process that knows nothing of earlier ones."""
        await self.trial.team.retire()

    async def candidates(self, rows: Sequence[Row]) -> tuple[Candidates | None, ...]:
        """What MIOpen would choose from for each row; None where that is not known.

        An unfinished search is gone on with by what was said then.
        """
        book, trial = self.trial.book, self.trial
        new = [row for row in dict.fromkeys(rows) if _question(row) not in book.candidates]
        silent = None in book.candidates.values() or (book.results and not book.candidates)
        if new and self._ask is not None and self._may_have_miopen and not silent:
            answers = await self._ask(trial.sweep, new, trial.team.environ)
            for row, answer in zip(new, answers, strict=True):
                known = answer if isinstance(answer, Candidates) else None
                book.answer(_question(row), known)
            if why := next((a.why for a in answers if isinstance(a, NotAsked)), ""):
                self.tell(Note(NOT_ASKED.format(why)))
        return tuple(book.candidates.get(_question(row)) for row in rows)

    @property
    def _may_have_miopen(self) -> bool:
        """False on the processor, and for a torch of another maker's cards."""
        loaded = self.trial.team.loaded
        other = loaded.torch is not None and loaded.hip is None
        return self.trial.sweep.device == "cuda" and not other and not self.is_over

    async def measure(self, row: Row) -> Result | None:
        """The result of the next row; None when it can be had no more."""
        index, trial = self._asked, self.trial
        self._asked += 1
        if index >= len(trial.sweep.rows):
            trial.sweep = replace(trial.sweep, rows=(*trial.sweep.rows, row))
        known = trial.book.results.get(index) or self._given_up(index)
        if known is not None:
            trial.fork_known |= known.process == "fork" and known.cold_s is not None
            self.tell(ShapeDone(index + 1, len(trial.sweep.rows), known))
        elif not self.is_over:
            if index in trial.book.lost:
                self.tell(Note(f"{row.label}: {LOST}. Trying it once more."))
            async for event in trial.run(index, trial.book.candidates.get(_question(row))):
                self.tell(event)
        return trial.book.results.get(index)

    def _given_up(self, index: int) -> Result | None:
        """The result of a row that is not launched again; None for all others."""
        trial, team = self.trial, self.trial.team
        if trial.book.lost.get(index, 0) > 1:
            result = unmeasured(trial.sweep, index, Verdict.HUNG, f"{LOST}, twice", team.loaded)
            trial.book.outcome(index, result)
            return result
        return trial.give_up(index) if self.is_over else None


def _question(row: Row) -> str:
    """All of a row that its candidates depend on."""
    return json.dumps([to_json(row.shape), row.work, row.engine, row.setting])


async def events_from(work: Callable[[Tell], Awaitable[None]]) -> AsyncGenerator[SweepEvent, None]:
    """The events that a coroutine tells while it runs, and what it raises; closing ends it."""
    events: asyncio.Queue[SweepEvent | None] = asyncio.Queue()

    async def run() -> None:
        try:
            await work(events.put_nowait)
        finally:
            events.put_nowait(None)

    task = asyncio.create_task(run())
    try:
        while (event := await events.get()) is not None:
            yield event
        await task
    finally:
        task.cancel()
        await asyncio.wait([task])


def _same_torch(book: Journal, started: WorkerStarted) -> bool:
    """False when earlier results were measured with another torch than the one now loaded."""
    seen = {(r.loaded.torch, r.loaded.hip) for r in book.results.values() if r.loaded.torch}
    return started.loaded.torch is None or seen <= {(started.loaded.torch, started.loaded.hip)}


COSTLY = (Verdict.HUNG, Verdict.CRASHED, Verdict.FLAKY)
"""A process that dies may leave the card behind as one that is killed does."""


def hangs_spent(result: Result) -> int:
    """How many of the hangs that were allowed a result has cost.

    Each launch that hung or died counts. Of a flaky result it is not kept which launches did and
    which came back wrong: all that failed count, so that never more is risked than was allowed.
    Where the gravest of them came back with numbers, none did.
    """
    if result.verdict not in COSTLY or (result.verdict is Verdict.FLAKY and result.phase is None):
        return 0
    return max(result.failed, 1)


FIXABLE = (Verdict.HUNG, Verdict.CRASHED, Verdict.WRONG, Verdict.FLAKY)
"""What another setting may make right."""


def smallest_failure(known: Iterable[tuple[Row, Result]]) -> Row | None:
    """The smallest shape that another setting may fix; None where there is none."""
    failed = [
        row
        for row, result in known
        if result.verdict in FIXABLE and not result.on_processor and not result.operation
    ]
    return min(failed, key=lambda row: row.shape.h * row.shape.w, default=None)


def span_of_limit(row: Row, results: Iterable[Result]) -> tuple[int, int]:
    """From the largest size of these channels that is right to the one that failed."""
    right = [
        result.shape.h
        for result in results
        if result.verdict in RIGHT
        and (result.shape.c_in, result.shape.c_out) == (row.shape.c_in, row.shape.c_out)
        and result.shape.h < row.shape.h
    ]
    return max(right, default=1), row.shape.h


NORMAL = (FIND_MODE, "NORMAL")
IMPLICIT_GEMM_OFF = ("MIOPEN_DEBUG_CONV_IMPLICIT_GEMM", "0")
OVERRIDDEN = "gfx1030"
"""What an override to 10.3.0 makes of these chips."""


async def foresight_of(
    request: SettingRequest, experiment: Experiment, passed: Sequence[Row]
) -> Foresight | None:
    """What MIOpen would choose from under the switches of a request, asked before anything is
    launched; None where it does not say, or does not know all candidates.

    ``passed`` are rows that passed elsewhere.
    """
    (unchanged,) = await experiment.candidates([request.row_under(frozenset())])
    if unchanged is None or not unchanged.is_complete:
        return None
    present = {family_of(name) for name in unchanged.names}
    # A switch of an absent family takes nothing away.
    taking = [each.off for each in load_families() if each in present]
    sizes = range(1, min(len(taking), request.largest) + 1)
    sets = [frozenset(each) for size in sizes for each in combinations(taking, size)]
    answers = await experiment.candidates([request.row_under(each) for each in sets])
    known = {each: answer.names for each, answer in zip(sets, answers, strict=True) if answer}
    # Where a database answered, a switch may bring in solvers that it did not hold.
    if len(known) < len(sets) or not all(names <= unchanged.names for names in known.values()):
        return None
    elsewhere = [each.names for each in await experiment.candidates(passed) if each]
    seen = frozenset().union(*elsewhere)
    beyond: Changes = frozenset()
    if _has_implicit_gemm(request.row, unchanged):
        # ROCm 5.2 and 5.5 have one of its solvers by default: its own switch would leave none.
        beyond = frozenset({NORMAL, *taking}) - {IMPLICIT_GEMM_OFF}
    return Foresight(
        {frozenset(): unchanged.names, **known},
        frozenset(each.off for each in load_families()),
        beyond,
        frozenset() if unchanged.names <= seen else seen,
    )


def _has_implicit_gemm(row: Row, unchanged: Candidates) -> bool:
    """True where a search that is not in its default mode also times implicit GEMM.

    For these chips it exists under an override to 10.3.0 alone (asked of MIOpen 2.17 to 3.5).
    """
    overridden = unchanged.library.device.startswith(OVERRIDDEN)
    return overridden and row.shape.dtype == "float32"


async def changes_along(
    experiment: Experiment, row_at: Callable[[int], Row], values: Iterable[int]
) -> tuple[int, ...]:
    """The values at which MIOpen would choose from others than at the value before."""
    rows = {}
    for value in values:
        with suppress(ValueError):  # there is no such shape
            rows[value] = row_at(value)
    answers = await experiment.candidates(tuple(rows.values()))
    names = [None if each is None else each.names for each in answers]
    pairs = zip(tuple(rows)[1:], names, names[1:], strict=False)
    return tuple(value for value, before, after in pairs if before and after and before != after)
