"""Runs that are over, and files that are made of them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.commands.looking import acts, host_of, places_of

if TYPE_CHECKING:
    from wizard.report.last_sweep import LastSweep

NOTHING_YET = "there is no run with results yet. To measure: rdna1-setup conv2d"


def runs_of(arguments: argparse.Namespace) -> tuple[LastSweep, ...]:
    """Runs with results on this machine, newest first."""
    from wizard.conv2d.following import events_in
    from wizard.conv2d.runs import runs_of as runs_apart
    from wizard.report.last_sweep import sweep_told, sweeps

    host = host_of(arguments)
    if host.name:
        return ()
    places = places_of(host)
    apart = [sweep_told(run.began, events_in(run)) for run in runs_apart(places)]
    found = [run for run in (*apart, *sweeps(Path(places.conv2d))) if run.results]
    # A run apart has a journal too, and the journal tells the same.
    known = {run.results: run for run in reversed(found)}
    return tuple(sorted(known.values(), key=lambda run: run.time, reverse=True))


def write_new(arguments: argparse.Namespace, name: str, text: str) -> None:
    """Write a file that is not there yet; a dry run prints it."""
    if not acts(arguments):
        print(f"A dry run writes nothing: this is what {name} would hold.\n{text}")
        return
    with Path(name).open("x", encoding="utf-8") as file:
        file.write(text)
    print(f"Written to {name}. Read it before you share it.")
