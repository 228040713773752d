"""What ``conv2d`` does without a launch: questions to MIOpen, earlier runs, files in and out."""

from __future__ import annotations

import argparse
import asyncio
import os
import shlex
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar

from wizard.cli.console import print_json, refuse
from wizard.cli.conv2d_request import named_table, sweep_of
from wizard.conv2d.candidates import Asked, Candidates, NotAsked, candidates_form
from wizard.conv2d.cards.comparison import compare_runs, comparison_form
from wizard.conv2d.cards.make_card import look_here
from wizard.conv2d.cards.result_card import ResultCard, card_from, card_text
from wizard.conv2d.models import load_models, model_verdicts
from wizard.conv2d.repro import repro_of_result, repro_text, row_of
from wizard.conv2d.requests import WrongRequest
from wizard.conv2d.runs.folders import live_run
from wizard.conv2d.runs.history import PastSweep
from wizard.conv2d.search.compare_settings import rivals
from wizard.conv2d.search.setting_search import SettingRequest
from wizard.conv2d.shapes import Row
from wizard.conv2d.sweep import Sweep
from wizard.conv2d.verdicts import Result
from wizard.conv2d.worker.questions import ask_argv, ask_miopen
from wizard.host.host import places_of
from wizard.report.conv2d import model_lines, request_lines, since_lines
from wizard.report.conv2d_row import candidates_lines, repro_lines
from wizard.report.conv2d_runs import (
    card_lines,
    card_of,
    compare_lines,
    first_to_tell,
    holds_text,
    past_runs,
)
from wizard.services import named_files
from wizard.services.command_line import acts, host_of

T = TypeVar("T")
NOTHING_YET = "there is no run with results yet. To measure: rdna1-setup conv2d"
MEASURING = (
    "Nothing was asked, because a measurement is running. Wait for it to finish, or stop it with "
    "`rdna1-setup conv2d --stop`."
)
NOT_WITH = "--ask launches nothing, so it cannot be combined with {}."


def runs_of(arguments: argparse.Namespace) -> tuple[PastSweep, ...]:
    """Runs with results on this machine, newest first."""
    host = host_of(arguments)
    return () if host.name else past_runs(places_of(host))


def runs_from(arguments: argparse.Namespace) -> tuple[PastSweep, ...]:
    """Those from the run that was named on, as if it were the last. Raises ``WrongRequest``."""
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
    if not acts(arguments):
        print(f"A dry run writes nothing. {name} would contain:\n{text}")
        return
    named_files.write_new(Path(name), text)
    print(f"Written to {name}. Read it before you share it.")


def ask(arguments: argparse.Namespace) -> int:
    """Ask; 0 when each shape has candidates, 1 when one has none, 2 when nobody answers.

    Raises WrongRequest.
    """
    sweep, rows = rows_asked(arguments)
    if not acts(arguments):
        command = shlex.join(ask_argv(sweep.python))
        if arguments.json:
            shapes = [row.label for row in rows]
            print_json({"dry_run": True, "command": command, "shapes": shapes})
            return 0
        print("Nothing is started. MIOpen would be asked about these shapes:\n")
        print(*request_lines(sweep.rows), sep="\n")
        print(f"\nThis command would run. It launches nothing on the card:\n\n  {command}")
        return 0
    if live_run(places_of(host_of(arguments))) is not None:
        return refuse(MEASURING)
    environ, _ = sweep.environment.variables(os.environ)
    asked = asyncio.run(ask_miopen(sweep, rows, environ))
    report_answers(rows, asked, as_json=arguments.json)
    known = [each for each in asked if isinstance(each, Candidates)]
    if not known:
        return 2
    return 1 if len(known) < len(rows) or any(each.is_none for each in known) else 0


def rows_asked(arguments: argparse.Namespace) -> tuple[Sweep, tuple[Row, ...]]:
    """The rows that are asked about; under each setting of a comparison or a search, if any.

    Raises WrongRequest.
    """
    for option in ("find_limit", "workarounds", "operations", "spawn", "keep_databases"):
        if getattr(arguments, option) not in (None, False):
            raise WrongRequest(NOT_WITH.format(f"--{option.replace('_', '-')}"))
    sweep, _ = sweep_of(arguments)
    rows = sweep.rows
    if arguments.compare_settings:
        ways = [rival for rival in rivals() if rival.engine == "configured"]
        rows = tuple(rival.row(row) for row in rows for rival in ways)
    elif arguments.find_setting:
        settings = [(), *((change,) for change in SettingRequest(sweep, 1).changes)]
        rows = tuple(replace(row, setting=setting) for row in rows for setting in settings)
    return sweep, rows


def report_answers(rows: Sequence[Row], asked: Sequence[Asked], *, as_json: bool) -> None:
    """Print the answers; why there is none goes to stderr."""
    silent = all(isinstance(each, NotAsked) for each in asked)
    if as_json:
        print_json({"asked": [_form_of(*pair) for pair in zip(rows, asked, strict=True)]})
    elif not silent:
        print(*candidates_lines(rows, asked), sep="\n")
    if silent and isinstance(first := asked[0], NotAsked):
        print(first.why, *([first.next_step] if first.next_step else ()), sep="\n", file=sys.stderr)


def _form_of(row: Row, asked: Asked) -> dict[str, Any]:
    """One row of the JSON document: ``candidates``, or None and ``why``."""
    return {
        "label": row.label,
        "shape": {**asdict(row.shape), "label": row.shape.label},
        "work": row.work,
        "setting": dict(row.setting),
        "candidates": None if isinstance(asked, NotAsked) else candidates_form(asked),
        "why": asked.why if isinstance(asked, NotAsked) else "",
    }


def export(arguments: argparse.Namespace) -> int:
    """Write the last run as a card."""
    (card,) = _own_cards(arguments, 1)
    write_new(arguments, arguments.export, card_text(card))
    print(holds_text(card))
    return 0


def _own_cards(arguments: argparse.Namespace, count: int) -> tuple[ResultCard, ...]:
    """The cards of the latest runs, newest first. Raises ``WrongRequest`` where there are fewer."""
    host = host_of(arguments)
    if host.name:
        raise WrongRequest("a machine recording has no runs: omit --machine and --demo.")
    runs = runs_from(arguments)
    if len(runs) < count:
        raise WrongRequest(
            NOTHING_YET
            if count == 1
            else f"two runs with results are needed, and there is only {len(runs)}."
        )
    here = look_here(host)
    return tuple(card_of(run, here) for run in runs[:count])


def take_in(arguments: argparse.Namespace) -> int:
    """Check and show somebody's card."""
    card, host = card_from(Path(arguments.import_card)), host_of(arguments)
    if arguments.json:
        print(card_text(card), end="")
    else:
        print(*card_lines(card, look_here(host).gfx), sep="\n")
    return 0


def compare(arguments: argparse.Namespace) -> int:
    """Show two runs side by side; 1 when a verdict differs."""
    files = tuple(_card(arguments, name) for name in arguments.compare)
    if len(files) > 2:
        raise WrongRequest("--compare accepts two cards, one, or none.")
    own = _own_cards(arguments, 2 - len(files)) if len(files) < 2 else ()
    before, after = (*files, *reversed(own))
    found = compare_runs(before, after)
    if arguments.json:
        print_json(comparison_form(found))
    else:
        print(*compare_lines(found, look_here(host_of(arguments)).gfx), sep="\n")
    return 1 if found.differing else 0


def _card(arguments: argparse.Namespace, name: str) -> ResultCard:
    """The card in a file; where there is none of that name, that of a run."""
    run = next((run for run in runs_of(arguments) if run.run == name), None)
    if run is None or Path(name).exists():
        return card_from(Path(name))
    return card_of(run, look_here(host_of(arguments)))


def write_repro(arguments: argparse.Namespace) -> int:
    """Write the script for a result of the last run, or for a layer that is named."""
    if arguments.layer or arguments.layers or arguments.preset:
        sweep, _ = sweep_of(arguments)
        row, device, python = _chosen(sweep.rows, arguments.result), sweep.device, sweep.python
        text = repro_text(row, device)
    else:
        runs = runs_from(arguments)
        if not runs:
            raise WrongRequest(NOTHING_YET)
        results = runs[0].results
        result = _chosen(results, arguments.result, first_to_tell(results))
        row, text = row_of(result), repro_of_result(result)
        device = "cpu" if result.loaded.device == "cpu" else "cuda"
        python = arguments.python or "python3"
    write_new(arguments, arguments.repro, text)
    print(*repro_lines(row, python, device), sep="\n")
    return 0


def _chosen(given: Sequence[T], number: int | None, usual: int = 0) -> T:
    """The one of that number, counted from 1; without a number the usual one, counted from 0."""
    if number is None:
        return given[usual]
    if not 1 <= number <= len(given):
        raise WrongRequest(f"--result {number}: give a number from 1 to {len(given)}.")
    return given[number - 1]


def answered(arguments: argparse.Namespace) -> int | None:
    """The exit code where one of these options was given; None where there is to be measured."""
    try:
        if arguments.ask:
            return ask(arguments)
        if arguments.import_card:
            return take_in(arguments)
        if arguments.compare is not None:
            return compare(arguments)
        if arguments.export:
            return export(arguments)
        return write_repro(arguments) if arguments.repro else None
    except BrokenPipeError:
        raise
    except OSError as error:
        return refuse(f"{error.filename}: {error.strerror}" if error.filename else str(error))


def before_this(arguments: argparse.Namespace) -> tuple[Result, ...]:
    """The results of the run before the one that is about to be measured."""
    return next((run.results for run in runs_of(arguments)), ())


def after_lines(
    arguments: argparse.Namespace, results: Sequence[Result], before: Sequence[Result]
) -> Iterable[str]:
    """What follows from a run: whole models, and what changed since the run before."""
    own, models = named_table(arguments), load_models()
    if own is not None and own not in models and len(own.rows) > 1:
        models = (*models, own)
    for lines in (model_lines(model_verdicts(results, models)), since_lines(before, results)):
        told = list(lines)
        yield from ["", *told] if told else []
