"""What ``conv2d`` does without a launch: questions, runs that are over, files in and out."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from wizard.commands import conv2d_ask, conv2d_cards, conv2d_repro
from wizard.commands.carrying import refuse, refuse_for
from wizard.commands.conv2d_over import runs_of

if TYPE_CHECKING:
    from wizard.conv2d.verdicts import Result


def answered(arguments: argparse.Namespace) -> int | None:
    """The exit code where one of these options was given; None where there is to be measured."""
    from wizard.conv2d.layers import WrongList
    from wizard.conv2d.repro import NoRepro
    from wizard.conv2d.requests import WrongRequest
    from wizard.core.trouble import Trouble

    try:
        if arguments.ask:
            return conv2d_ask.run(arguments)
        if arguments.import_card:
            return conv2d_cards.take_in(arguments)
        if arguments.compare is not None:
            return conv2d_cards.compare(arguments)
        if arguments.export:
            return conv2d_cards.export(arguments)
        return conv2d_repro.run(arguments) if arguments.repro else None
    except (WrongList, WrongRequest, NoRepro) as error:
        return refuse(str(error))
    except Trouble as trouble:
        return refuse_for(trouble)
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
    from wizard.conv2d.models import load_models, model_verdicts
    from wizard.conv2d.requests import named_table
    from wizard.report.conv2d import model_lines, since_lines

    own, models = named_table(arguments), load_models()
    if own is not None and own not in models and len(own.rows) > 1:
        models = (*models, own)
    for lines in (model_lines(model_verdicts(results, models)), since_lines(before, results)):
        told = list(lines)
        yield from ["", *told] if told else []
