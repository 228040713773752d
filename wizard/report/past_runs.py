"""Runs with results on this machine, and the cards that are made of them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from wizard.conv2d.cards.result_card import Here, ResultCard, make_card
from wizard.conv2d.runs.folders import Run, runs_of
from wizard.conv2d.runs.history import earlier_alike, told_by
from wizard.conv2d.runs.last_sweep import LastSweep, sweep_of_run, sweeps
from wizard.conv2d.verdicts import Result, Verdict
from wizard.core.lines import clean
from wizard.core.own_files import Places
from wizard.core.trouble import Trouble


def past_runs(places: Places) -> tuple[LastSweep, ...]:
    """Runs with results, newest first; a run inside its command left a journal alone."""
    apart = map(sweep_of_run, runs_of(places))
    found = [run for run in (*apart, *sweeps(Path(places.conv2d))) if run.results]
    # A run apart has a journal too, and the journal tells the same.
    known = {run.results: run for run in reversed(found)}
    # The time tells the minute alone; the name of a run, which begins with its time, the second.
    return tuple(sorted(known.values(), key=lambda run: (run.time, run.run), reverse=True))


def card_of(run: LastSweep, here: Here) -> ResultCard:
    """The card of a run that was measured here."""
    when = datetime.fromisoformat(run.time)
    return make_card(run.results, when, here, finished=run.finished)


def run_before(run: Run, runs: Iterable[Run]) -> Run | None:
    """The last one begun before it that asked the same and came to a result."""
    return next((each for each in earlier_alike(run, runs) if told_by(each).done.results), None)


def first_to_tell(results: Iterable[Result]) -> int:
    """The place of the first result that is no pass: what a script is wanted for; else 0."""
    places = (n for n, result in enumerate(results) if result.verdict is not Verdict.PASS)
    return next(places, 0)


def no_results(run: Run) -> Trouble:
    """Why nothing can be made of a run that came to no verdict."""
    return Trouble(
        f"The run from {clean(run.since)} has no results.",
        "The run ended before any shape had a verdict, or is still running.",
        "Choose another run, or run the same command again to continue this run.",
    )


def none_before(run: Run) -> Trouble:
    """Why a run cannot be compared with the one before."""
    return Trouble(
        f"No run before {clean(run.since)} measured the same shapes on the same device.",
        "Only results for the same shapes, measured in the same way, can be compared.",
        "Mark two other runs with the spacebar and compare them, or measure the same shapes again.",
    )


def nothing_found(run: Run) -> Trouble:
    """Why there is nothing to keep of a run."""
    return Trouble(
        f"The run from {clean(run.since)} found no setting to keep in a venv.",
        "Only a search for the fewest settings finds a setting to keep, and only if environment "
        "variables help.",
        "Press o on Measure to search for the fewest settings that fix a failing shape.",
    )


def no_script(why: str) -> Trouble:
    """Why there is no stand-alone script for a result."""
    return Trouble(
        why,
        "There is no script for gradients, training steps or other operations.",
        "Choose a result for a forward convolution.",
    )
