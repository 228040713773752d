"""A home in which this program ran before."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.run.places import places_below
from tests.screens.examples import PLAN
from wizard.journalform import ROLLED_BACK, UNFINISHED
from wizard.run.journal import Journal

STATES = (ROLLED_BACK, "finished", UNFINISHED)


def leave_runs(home: Path) -> None:
    """One run of each state, each in a folder of its own; the newest one stopped half-way."""
    for number, state in enumerate(STATES):
        journal = Journal(
            Path(places_below(home).runs) / f"2026010{number + 1}-120000-aaaaa{number}"
        )
        journal.folder.parent.mkdir(parents=True, exist_ok=True)
        journal.begin(replace(PLAN, venv=str(home / f"venv-{number}")), "2026-01-01T12:00:00+00:00")
        steps = len(PLAN.steps) if state != UNFINISHED else len(PLAN.steps) // 2
        for step in range(1, steps + 1):
            journal.intend(step, {})
            journal.finish(step, "done")
        if state != UNFINISHED:
            journal.close(state, "2026-01-01T12:30:00+00:00")
