"""Runs a sweep: launches shapes one after another, judges them, and survives what they do."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from contextlib import aclosing, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from wizard.conv2d.hangs import Sources
from wizard.conv2d.journal import JournalBusy, open_journal
from wizard.conv2d.search.experiment import Experiment, events_from
from wizard.conv2d.search.limit import Limit
from wizard.conv2d.shapes import Row, result_bytes
from wizard.conv2d.stop_reasons import budget_spent, journal_busy, journal_unusable
from wizard.conv2d.sweep import Note, SettingAnswer, Sweep, SweepDone, SweepEvent
from wizard.conv2d.worker.launch import busy_percent, driver_lines_since
from wizard.conv2d.worker.launches import Team, Trial
from wizard.conv2d.worker.process import kill_tree, shared_memory
from wizard.conv2d.worker.questions import Ask

Strategy = Callable[[Experiment], Awaitable[Limit | SettingAnswer | None]]
"""Measures what it wants to know, and gives what it found."""


def run_sweep(sweep: Sweep, **where: Any) -> AsyncGenerator[SweepEvent, None]:
    """The events of a sweep; the last one is ``SweepDone``. To be closed (``aclosing``).

    ``where`` is what ``carried_out`` takes too.
    """
    return carried_out(sweep, _every_row, sweep.rows, sweep.rows, **where)


async def carried_out(
    sweep: Sweep,
    strategy: Strategy,
    rows: tuple[Row, ...],
    may_ask: Iterable[Row],
    *,
    journal: Path,
    resume: bool = True,
    environ: Mapping[str, str] | None = None,
    kill: Callable[[int], None] = kill_tree,
    sources: Sources | None = None,
    ask: Ask | None = None,
) -> AsyncGenerator[SweepEvent, None]:
    """The events of a strategy whose largest results are those of rows it ``may_ask`` for.

    ``rows`` are those known beforehand. The same strategy with the same journal goes on where it
    was cut off when ``resume`` is true. ``ask`` is how MIOpen is asked, where it may be. Cancelling
    the task, or closing the iterator, kills everything that was started.
    """
    environ, left_out = sweep.environment.variables(os.environ if environ is None else environ)
    try:
        book = open_journal(journal, resume)
    except JournalBusy:
        yield SweepDone((), journal_busy(str(journal)), 0.0)
        return
    except OSError as error:
        yield SweepDone((), journal_unusable(str(journal), error), 0.0)
        return
    largest = max(map(result_bytes, may_ask), default=0)
    with closing(book), shared_memory(largest) as memory:
        team = Team(sweep, environ, memory, kill, sources or _sources(sweep))
        trial = Trial(replace(sweep, rows=rows), book, team, sweep.spawn)
        if sweep.environment.clean:
            yield Note(
                "Of your shell's settings, this measurement ignores "
                f"{', '.join(left_out) or 'nothing'}."
            )
        try:
            async with aclosing(
                events_from(lambda tell: _carry_out(strategy, Experiment(trial, tell, ask), rows))
            ) as events:
                async for event in events:
                    yield event
        finally:
            await team.close()


async def _carry_out(strategy: Strategy, experiment: Experiment, rows: tuple[Row, ...]) -> None:
    found, trial = await strategy(experiment), experiment.trial
    trial.team.finished = True
    all_known = bool(rows) and all(index in trial.book.results for index in range(len(rows)))
    answer = found if isinstance(found, SettingAnswer) else None
    limit = found if isinstance(found, Limit) else None
    goes_on = answer is not None and answer.goes_on
    if not goes_on and (trial.team.trouble is None or all_known):
        trial.book.finish()
    experiment.tell(
        SweepDone(trial.results(), trial.team.trouble, trial.team.reference_s, limit, answer)
    )


def _sources(sweep: Sweep) -> Sources:
    if sweep.device == "cpu":
        return Sources()
    return Sources(busy_percent, kernel_lines=driver_lines_since)


async def _every_row(experiment: Experiment) -> None:
    """Every row in order: taken from the journal, or measured."""
    experiment.trial.thorough = False
    book, rows = experiment.trial.book, experiment.trial.sweep.rows
    if any(index not in book.results for index in range(len(rows))):
        await experiment.assemble(rows[0])
    if book.results:
        experiment.tell(
            Note(f"Continuing an unfinished measurement. Results so far: {len(book.results)}.")
        )
    for index, row in enumerate(rows):
        if index not in book.results:
            _mind_budget(experiment.trial)
        await experiment.measure(row)


def _mind_budget(trial: Trial) -> None:
    """Nothing more is launched once as many launches hung as may."""
    if trial.is_spent and trial.team.trouble is None:
        trial.team.trouble = budget_spent(trial.hangs)
