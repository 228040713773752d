"""The plain road back: what is to be taken away, or which run is to be undone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wizard.commands.looking import host_of, places_of
from wizard.journalform import OLDER
from wizard.plain.asking import Option
from wizard.run.lines import clean

if TYPE_CHECKING:
    from wizard.plain.road import Road

AWAY = "What is to go? The plan is shown first, and there is a way back."
RUNS = "Which run? What it made is shown first, and you are asked."
NOT_HERE = "A recorded machine has nothing to undo."
NO_RUN = "There is no run of this program to undo."


def clear(road: Road) -> int:
    """Take ROCm off, or clear away what others left; gives the exit code."""
    options: list[Option[tuple[str, ...]]] = [
        Option("what other scripts left: settings, orphans, broken packages", ("clean-up",)),
        Option("AMD's ROCm packages", ("remove",)),
        Option("AMD's and the distribution's ROCm", ("remove", "--distribution-rocm")),
    ]
    return road.carry_out(*road.ask.choose(AWAY, options))


def roll_back(road: Road) -> int:
    """Take one run back; gives the exit code."""
    from pathlib import Path

    from wizard.run.records import older_runs, read_records
    from wizard.run.standing import stands

    if road.arguments.machine or road.arguments.demo:
        road.say(NOT_HERE)
        return 0
    folder = Path(places_of(host_of(road.arguments)).runs)
    runs = list(filter(stands, read_records(folder)))
    older = [run for run in older_runs(folder) if not run.rolled_back]
    if not runs and not older:
        road.say(NO_RUN)
        return 0
    options: list[Option[str]] = []
    for run in runs:
        where = f" in {run.plan['venv']}" if run.plan["venv"] else ""
        options.append(Option(clean(f"{run.id}: {run.name}{where}, {run.state}"), run.id))
    options += [Option(clean(f"{run.id}: {OLDER}"), run.id) for run in older]
    chosen = road.ask.choose(RUNS, options)
    return road.carry_out("rollback", chosen)
