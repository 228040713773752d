"""Runs with results on this machine, and the cards that are made of them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from wizard.conv2d.result_card import Here, ResultCard, make_card
from wizard.conv2d.runs import runs_of
from wizard.conv2d.verdicts import Result, Verdict
from wizard.places import Places
from wizard.report.last_sweep import LastSweep, sweep_of_run, sweeps


def past_runs(places: Places) -> tuple[LastSweep, ...]:
    """Runs with results, newest first; a run inside its command left a journal alone."""
    apart = map(sweep_of_run, runs_of(places))
    found = [run for run in (*apart, *sweeps(Path(places.conv2d))) if run.results]
    # A run apart has a journal too, and the journal tells the same.
    known = {run.results: run for run in reversed(found)}
    return tuple(sorted(known.values(), key=lambda run: run.time, reverse=True))


def card_of(run: LastSweep, here: Here) -> ResultCard:
    """The card of a run that was measured here."""
    when = datetime.fromisoformat(run.time)
    return make_card(run.results, when, here, finished=run.finished)


def first_to_tell(results: Iterable[Result]) -> int:
    """The place of the first result that is no pass: what a script is wanted for; else 0."""
    places = (n for n, result in enumerate(results) if result.verdict is not Verdict.PASS)
    return next(places, 0)
