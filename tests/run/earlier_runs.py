"""A home in which this program ran before."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from tests.run.places import places_below, plan_of
from tests.screens.examples import PLAN
from wizard.core.journal import FILE, ROLLED_BACK, SCHEMA, UNFINISHED
from wizard.plan.steps import Step
from wizard.run.journal import Journal

OLDER = "20250101-120000-bbbbbb"
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


def leave_older_run(home: Path, *steps: Step, state: str = "") -> Path:
    """A run for ``home/venv`` whose journal has the form before this one; gives its folder."""
    journal = Journal(Path(places_below(home).runs) / OLDER)
    journal.folder.parent.mkdir(parents=True, exist_ok=True)
    journal.begin(plan_of(home, *steps), "2025-01-01T12:00:00+00:00")
    if state:
        journal.close(state, "2025-01-01T12:30:00+00:00")
    begin, *others = (journal.folder / FILE).read_text().splitlines(keepends=True)
    form = json.loads(begin)
    plan = {n: v for n, v in form["plan"].items() if n not in ("kind", "cause", "takes_back")}
    older = json.dumps({**form, "schema": SCHEMA - 1, "plan": plan})
    (journal.folder / FILE).write_text("".join((f"{older}\n", *others)))
    return journal.folder
