"""What ``conv2d`` does with runs that are over, and with layers of one's own: files in and out."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from wizard.commands import conv2d_workarounds
from wizard.commands.looking import acts, host_of, places_of

if TYPE_CHECKING:
    from wizard.conv2d.presets import Preset
    from wizard.conv2d.result_card import ResultCard
    from wizard.conv2d.verdicts import Result
    from wizard.report.last_sweep import LastSweep

T = TypeVar("T")
NOTHING_YET = "there is no run with results yet. To measure: rdna1-setup conv2d"
RECORDED = "a recorded machine has no runs of its own: leave out --machine and --demo."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options for layers of one's own, files of results, and what follows from them."""
    own = parser.add_argument_group("your own layers")
    own.add_argument("--layers", metavar="FILE", help="a list, one layer a line: 64 128 3 56x56")
    own.add_argument("--layer", metavar="LINE", action="append", help="one such line")
    own.add_argument("--fits", action="store_true", help="what may fit in 4, 6 and 8 GB")
    own.add_argument(
        "--workarounds",
        action="store_true",
        help="measure what can be done about the first shape, if it does not pass (--hangs)",
    )
    over = parser.add_argument_group("runs that are over (nothing is measured)")
    over.add_argument("--export", metavar="FILE", help="write the last run as a card for others")
    over.add_argument("--import", dest="import_card", metavar="FILE", help="check and show a card")
    over.add_argument(
        "--compare",
        metavar="CARD",
        nargs="*",
        help="two cards; one and the last run; or the last run and the one before",
    )
    over.add_argument("--repro", metavar="FILE.py", help="write a script for one result")
    over.add_argument("--result", metavar="N", type=int, help="that result, counted from 1")


def answered(arguments: argparse.Namespace) -> int | None:
    """The exit code where one of these options was given; None where there is to be measured."""
    from wizard.conv2d.card_fields import WrongCard
    from wizard.conv2d.layer_list import WrongList
    from wizard.conv2d.repro import NoRepro
    from wizard.conv2d.request import WrongRequest

    try:
        if arguments.workarounds:
            return conv2d_workarounds.run(arguments)
        if arguments.fits:
            return _fits(arguments)
        if arguments.import_card:
            return _import(arguments)
        if arguments.compare is not None:
            return _compare(arguments)
        if arguments.export:
            return _export(arguments)
        return _repro(arguments) if arguments.repro else None
    except (WrongCard, WrongList, WrongRequest, NoRepro) as error:
        return _refused(str(error))
    except BrokenPipeError:
        raise
    except OSError as error:
        return _refused(f"{error.filename}: {error.strerror}")


def runs_of(arguments: argparse.Namespace) -> tuple[LastSweep, ...]:
    """Runs with results on this machine, newest first."""
    from wizard.report.last_sweep import sweeps

    host = host_of(arguments)
    if host.name:
        return ()
    return tuple(run for run in sweeps(Path(places_of(host).conv2d)) if run.results)


def before_this(arguments: argparse.Namespace) -> tuple[Result, ...]:
    """The results of the run before the one that is about to be measured."""
    return next((run.results for run in runs_of(arguments)), ())


def after_lines(
    arguments: argparse.Namespace, results: Sequence[Result], before: Sequence[Result]
) -> Iterable[str]:
    """What follows from a run: whole models, and what changed since the run before."""
    from wizard.conv2d.models import load_models, model_verdicts
    from wizard.conv2d.request import named_table
    from wizard.report.conv2d_models import model_lines
    from wizard.report.conv2d_since import since_lines

    own, models = named_table(arguments), load_models()
    models = (*models, own) if own is not None and own not in models else models
    for lines in (model_lines(model_verdicts(results, models)), since_lines(before, results)):
        told = list(lines)
        yield from ["", *told] if told else []


def _fits(arguments: argparse.Namespace) -> int:
    from wizard.conv2d.fits import fits_form
    from wizard.conv2d.models import load_models
    from wizard.conv2d.request import named_table
    from wizard.report.conv2d_fits import fits_lines, fits_notes

    named = named_table(arguments)
    tables: tuple[Preset, ...] = load_models() if named is None else (named,)
    results = before_this(arguments)
    if arguments.json:
        print(json.dumps({"schema": 1, "tables": [fits_form(table) for table in tables]}, indent=1))
        return 0
    for table in tables:
        print(*fits_lines(table, results), "", sep="\n")
    print(*fits_notes(), sep="\n")
    return 0


def _export(arguments: argparse.Namespace) -> int:
    from wizard.conv2d.card_form import card_text

    (card,) = _own_cards(arguments, 1)
    _write_new(arguments, arguments.export, card_text(card))
    count = len(card.results)
    print(f"{count} results, without your name, your folders and the name of your machine.")
    return 0


def _own_cards(arguments: argparse.Namespace, count: int) -> tuple[ResultCard, ...]:
    """The cards of the latest runs, newest first. Raises ``WrongRequest`` where there are fewer."""
    from datetime import datetime

    from wizard.conv2d.request import WrongRequest
    from wizard.conv2d.result_card import look_here, make_card

    host, runs = host_of(arguments), runs_of(arguments)
    if host.name:
        raise WrongRequest(RECORDED)
    if len(runs) < count:
        raise WrongRequest(NOTHING_YET if count == 1 else f"there are {len(runs)} runs, not two.")
    here = look_here(host)
    return tuple(
        make_card(run.results, datetime.fromisoformat(run.time), here, finished=run.finished)
        for run in runs[:count]
    )


def _import(arguments: argparse.Namespace) -> int:
    from wizard.conv2d.card_form import card_text
    from wizard.conv2d.kept_cards import keep_card
    from wizard.conv2d.result_card import look_here
    from wizard.report.conv2d_compare import card_lines

    card, host = _read(arguments.import_card), host_of(arguments)
    if arguments.json:
        print(card_text(card), end="")
    else:
        print(*card_lines(card, look_here(host).gfx), sep="\n")
    if acts(arguments):
        kept = keep_card(Path(places_of(host).conv2d), card)
        print(f"Kept as {kept}.", file=sys.stderr)
    return 0


def _compare(arguments: argparse.Namespace) -> int:
    from wizard.conv2d.comparison import compare_runs, comparison_form
    from wizard.conv2d.request import WrongRequest
    from wizard.conv2d.result_card import look_here
    from wizard.report.conv2d_compare import compare_lines

    files = tuple(_read(name) for name in arguments.compare)
    if len(files) > 2:
        raise WrongRequest("--compare takes two cards, or one, or none.")
    own = _own_cards(arguments, 2 - len(files)) if len(files) < 2 else ()
    before, after = (*files, *reversed(own))
    found = compare_runs(before, after)
    if arguments.json:
        print(json.dumps(comparison_form(found), indent=1, allow_nan=False))
    else:
        print(*compare_lines(found, look_here(host_of(arguments)).gfx), sep="\n")
    return 1 if found.differing else 0


def _repro(arguments: argparse.Namespace) -> int:
    from wizard.conv2d.equivalents import driver_line, shell_line
    from wizard.conv2d.repro import repro_of_result, repro_text, row_of
    from wizard.conv2d.request import sweep_of

    if arguments.layer or arguments.layers or arguments.preset:
        sweep, _ = sweep_of(arguments)
        row, device, python = _chosen(sweep.rows, arguments.result), sweep.device, sweep.python
        text = repro_text(row, device)
    else:
        result = _chosen_result(arguments)
        row, text = row_of(result), repro_of_result(result)
        device = "cpu" if result.loaded.device == "cpu" else "cuda"
        python = arguments.python or "python3"
    _write_new(arguments, arguments.repro, text)
    print(f"It measures {row.shape.label}. Run it with the Python whose torch is meant.")
    print(f"The same with this program:\n  {shell_line(row, python, device)}")
    if line := driver_line(row):
        print(f"and with MIOpen's own driver (ROCm's package miopen-hip):\n  {line}")
    return 0


def _chosen_result(arguments: argparse.Namespace) -> Result:
    """The result that was asked for, else the first of the last run that is no pass."""
    from wizard.conv2d.request import WrongRequest
    from wizard.conv2d.verdicts import Verdict

    runs = runs_of(arguments)
    if not runs:
        raise WrongRequest(NOTHING_YET)
    results = runs[0].results
    if arguments.result is None:
        return next((r for r in results if r.verdict is not Verdict.PASS), results[0])
    return _chosen(results, arguments.result)


def _chosen(given: Sequence[T], number: int | None) -> T:
    from wizard.conv2d.request import WrongRequest

    if number is None:
        return given[0]
    if not 1 <= number <= len(given):
        raise WrongRequest(f"--result {number}: there are {len(given)}, counted from 1.")
    return given[number - 1]


def _read(name: str) -> ResultCard:
    from wizard.conv2d.card_fields import WrongCard
    from wizard.conv2d.card_form import read_card_file

    try:
        return read_card_file(Path(name))
    except WrongCard as error:
        raise WrongCard(f"{name}: {error}.") from None


def _write_new(arguments: argparse.Namespace, name: str, text: str) -> None:
    """Write a file that is not there yet; a dry run prints it."""
    if not acts(arguments):
        print(f"A dry run writes nothing: this is what {name} would hold.\n{text}")
        return
    with Path(name).open("x", encoding="utf-8") as file:
        file.write(text)
    print(f"Written to {name}. Read it before you share it.")


def _refused(text: str) -> int:
    print(f"rdna1-setup: {text}", file=sys.stderr)
    return 2
