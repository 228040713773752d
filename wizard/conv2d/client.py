"""Runs a sweep: launches shapes one after another, judges them, and survives what they do."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing, closing
from pathlib import Path

from wizard.conv2d.card import busy_percent
from wizard.conv2d.channel import kill_tree, shared_memory
from wizard.conv2d.evidence import Sources
from wizard.conv2d.journal import Journal, JournalBusy, journal_path, open_journal
from wizard.conv2d.judging import unmeasured
from wizard.conv2d.kernel_log import driver_lines_since
from wizard.conv2d.sweep import Note, ShapeDone, Sweep, SweepDone, SweepEvent, WorkerStarted
from wizard.conv2d.team import Team
from wizard.conv2d.trial import Trial
from wizard.conv2d.verdicts import Result, Verdict
from wizard.conv2d.wording import LOST, journal_busy, journal_unusable
from wizard.run.joined_groups import joined_group

JOINED = (
    "You are in the group {0} only from your next login on: until then the worker is started "
    "through `sg {0} -c`."
)


def run_sweep(
    sweep: Sweep,
    *,
    journal: Path | None = None,
    resume: bool = True,
    environ: Mapping[str, str] | None = None,
    kill: Callable[[int], None] = kill_tree,
    sources: Sources | None = None,
) -> AsyncGenerator[SweepEvent, None]:
    """The events of a sweep; the last one is ``SweepDone``. To be closed (``aclosing``).

    An unfinished sweep of the same request is gone on with when ``resume`` is true. Cancelling the
    task, or closing the iterator, kills everything that was started.
    """
    largest = max((row.shape.out_bytes for row in sweep.rows), default=0)
    return carried_out(
        sweep,
        _walk,
        largest,
        journal=journal,
        resume=resume,
        environ=environ,
        kill=kill,
        sources=sources,
    )


async def carried_out(
    sweep: Sweep,
    walk: Callable[[Trial], AsyncGenerator[SweepEvent, None]],
    largest: int,
    *,
    journal: Path | None = None,
    resume: bool = True,
    environ: Mapping[str, str] | None = None,
    kill: Callable[[int], None] = kill_tree,
    sources: Sources | None = None,
) -> AsyncGenerator[SweepEvent, None]:
    """The events of a walk over shapes whose results take up to ``largest`` bytes each."""
    environ = dict(os.environ if environ is None else environ)
    path = journal or journal_path(sweep, environ)
    try:
        book = open_journal(path, resume)
    except JournalBusy:
        yield SweepDone((), journal_busy(str(path)), 0.0)
        return
    except OSError as error:
        yield SweepDone((), journal_unusable(str(path), error), 0.0)
        return
    with closing(book), shared_memory(largest) as memory:
        team = Team(sweep, environ, memory, kill, sources or _sources(sweep))
        trial = Trial(sweep, book, team, sweep.spawn)
        try:
            async with aclosing(walk(trial)) as events:
                async for event in events:
                    yield event
        finally:
            await team.close()


def _sources(sweep: Sweep) -> Sources:
    if sweep.device == "cpu":
        return Sources()
    return Sources(busy_percent, kernel_lines=driver_lines_since)


async def _walk(trial: Trial) -> AsyncGenerator[SweepEvent, None]:
    """Every row in order: taken from the journal, or measured."""
    book, count = trial.book, len(trial.sweep.rows)
    if any(index not in book.results for index in range(count)):
        async for event in assembled(trial):
            yield event
    if book.results:
        yield Note(f"Going on with an unfinished sweep: {len(book.results)} shapes are known.")
    for index in range(count):
        async for event in row(index, trial):
            yield event
    trial.team.finished = True
    if all(index in book.results for index in range(count)):
        book.finish()
    yield SweepDone(trial.results(), trial.team.trouble, trial.team.reference_s)


async def assembled(trial: Trial) -> AsyncGenerator[SweepEvent, None]:
    """Start the workers; what another torch has measured is forgotten."""
    if trial.sweep.device == "cuda" and (group := joined_group()):
        yield Note(JOINED.format(group))
    async for event in trial.team.assemble(trial.sweep.spawn):
        if isinstance(event, WorkerStarted) and not _same_torch(trial.book, event):
            trial.book.forget()
            yield Note("An unfinished sweep was made with another torch: starting afresh.")
        yield event


async def row(index: int, trial: Trial) -> AsyncGenerator[SweepEvent, None]:
    """One row: known, given up, not to be had any more, or measured now."""
    book, total, team = trial.book, len(trial.sweep.rows), trial.team
    result: Result | None = book.results.get(index)
    if result is None and book.lost.get(index, 0) > 1:
        result = unmeasured(trial.sweep, index, Verdict.HUNG, f"{LOST}, twice", team.loaded)
        book.outcome(index, result)
    elif result is None and team.trouble is not None:
        result = trial.give_up(index)
    if result is not None:
        yield ShapeDone(index + 1, total, result)
    elif team.trouble is None:
        if index in book.lost:
            yield Note(f"{trial.sweep.rows[index].shape.label}: {LOST}. Trying it once more.")
        async for event in trial.run(index):
            yield event


def _same_torch(book: Journal, started: WorkerStarted) -> bool:
    """False when earlier results were measured with another torch than the one now loaded."""
    seen = {(r.loaded.torch, r.loaded.hip) for r in book.results.values() if r.loaded.torch}
    return started.loaded.torch is None or seen <= {(started.loaded.torch, started.loaded.hip)}
