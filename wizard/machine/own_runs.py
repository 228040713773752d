"""Reads what earlier runs of this wizard left in their journals."""

from __future__ import annotations

from wizard.core.fact import Unknown
from wizard.core.journal import (
    FILE,
    OLDER,
    PARTLY_ROLLED_BACK,
    ROLLED_BACK,
    older_run_of,
    record_of,
)
from wizard.host.host import Host, places_of
from wizard.machine.facts import OwnRun
from wizard.machine.part import Found, Part

RUN_LIMIT = 50
STATES = {
    "finished": "finished",
    ROLLED_BACK: "undone",
    PARTLY_ROLLED_BACK: "partly undone",
}


def read_own_runs(host: Host) -> Found[tuple[OwnRun, ...]]:
    """Our runs, newest first; journals that cannot be used are unread."""
    folder = places_of(host).runs
    names = host.folders(folder)
    if isinstance(names, Unknown):
        return Found((), (names,) if host.exists(folder) else ())
    runs: list[OwnRun] = []
    unread: list[Unknown] = []
    for name in sorted(names, reverse=True)[:RUN_LIMIT]:
        found = _run(host, folder, name)
        if isinstance(found, Unknown):
            unread.append(found)
        elif found is not None:
            runs.append(found)
    return Found(tuple(runs), tuple(unread))


def _run(host: Host, folder: str, name: str) -> OwnRun | Unknown | None:
    """The run in a folder; None for one that never began."""
    path = f"{folder}/{name}/{FILE}"
    text = host.read(path)
    if isinstance(text, Unknown):
        return text if host.exists(path) else None
    complete = text.split("\n")[:-1]
    record = record_of(name, f"{folder}/{name}", complete)
    if record is None:
        if older_run_of(name, f"{folder}/{name}", complete) is not None:
            return Unknown(f"{path} was {OLDER}")
        damaged = Unknown(f"{path} is damaged or was written by a newer version")
        return damaged if any(complete) else None
    plan, state = record.plan, STATES.get(record.state, "unfinished")
    return OwnRun(name, plan["venv"], record.name, plan["stack"], state)


def _tell(runs: tuple[OwnRun, ...]) -> tuple[str, tuple[str, ...]]:
    places = (f" in {run.folder}" if run.folder else "" for run in runs)
    lines = tuple(
        f"{run.id}: {run.name}{place}, {run.state}" for run, place in zip(runs, places, strict=True)
    )
    if not runs:
        return "none", lines
    return f"{len(runs)}, the newest {runs[0].state}", lines


OWN_RUNS: Part[tuple[OwnRun, ...]] = Part(
    title="Runs of this wizard",
    source="its journals",
    read=read_own_runs,
    tell=_tell,
)
"""What this wizard did here before."""
