"""Runs that are over, and files that are made of them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.commands.looking import acts, host_of, places_of

if TYPE_CHECKING:
    from wizard.conv2d.runs.history import LastSweep

NOTHING_YET = "there is no run with results yet. To measure: rdna1-setup conv2d"


def runs_of(arguments: argparse.Namespace) -> tuple[LastSweep, ...]:
    """Runs with results on this machine, newest first."""
    from wizard.report.conv2d_runs import past_runs

    host = host_of(arguments)
    return () if host.name else past_runs(places_of(host))


def runs_from(arguments: argparse.Namespace) -> tuple[LastSweep, ...]:
    """Those from the run that was named on, as if it were the last. Raises ``WrongRequest``."""
    from wizard.conv2d.requests import WrongRequest

    runs = runs_of(arguments)
    if not arguments.run:
        return runs
    place = next((n for n, run in enumerate(runs) if run.run == arguments.run), None)
    if place is None:
        raise WrongRequest(
            f"no run with results is called {arguments.run!r}. To list all runs: rdna1-setup "
            "conv2d --list"
        )
    return runs[place:]


def write_new(arguments: argparse.Namespace, name: str, text: str) -> None:
    """Write a file that is not there yet; a dry run prints it."""
    from wizard.conv2d.cards import card_form

    if not acts(arguments):
        print(f"A dry run writes nothing. {name} would contain:\n{text}")
        return
    card_form.write_new(Path(name), text)
    print(f"Written to {name}. Read it before you share it.")
