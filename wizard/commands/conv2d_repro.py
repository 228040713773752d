"""``conv2d --repro``: a script for one result, and the same row for the shell and for MIOpen."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from wizard.commands.conv2d_over import NOTHING_YET, runs_from, write_new

if TYPE_CHECKING:
    from wizard.conv2d.verdicts import Result

T = TypeVar("T")


def run(arguments: argparse.Namespace) -> int:
    """Write the script for a result of the last run, or for a layer that is named."""
    from wizard.conv2d.repro import repro_of_result, repro_text, row_of
    from wizard.conv2d.requests import sweep_of
    from wizard.report.conv2d_row import repro_lines

    if arguments.layer or arguments.layers or arguments.preset:
        sweep, _ = sweep_of(arguments)
        row, device, python = _chosen(sweep.rows, arguments.result), sweep.device, sweep.python
        text = repro_text(row, device)
    else:
        result = _chosen_result(arguments)
        row, text = row_of(result), repro_of_result(result)
        device = "cpu" if result.loaded.device == "cpu" else "cuda"
        python = arguments.python or "python3"
    write_new(arguments, arguments.repro, text)
    print(*repro_lines(row, python, device), sep="\n")
    return 0


def _chosen_result(arguments: argparse.Namespace) -> Result:
    """The result that was asked for, else the first of the last run that is no pass."""
    from wizard.conv2d.requests import WrongRequest
    from wizard.report.conv2d_runs import first_to_tell

    runs = runs_from(arguments)
    if not runs:
        raise WrongRequest(NOTHING_YET)
    results = runs[0].results
    if arguments.result is None:
        return results[first_to_tell(results)]
    return _chosen(results, arguments.result)


def _chosen(given: Sequence[T], number: int | None) -> T:
    from wizard.conv2d.requests import WrongRequest

    if number is None:
        return given[0]
    if not 1 <= number <= len(given):
        raise WrongRequest(f"--result {number}: give a number from 1 to {len(given)}.")
    return given[number - 1]
