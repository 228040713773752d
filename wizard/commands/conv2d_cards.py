"""``conv2d --export``, ``--import``, ``--compare``: results as cards, out, in, side by side."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.commands.conv2d_over import NOTHING_YET, runs_from, runs_of, write_new
from wizard.commands.looking import host_of

if TYPE_CHECKING:
    from wizard.conv2d.cards.result_card import ResultCard

RECORDED = "a machine recording has no runs: omit --machine and --demo."


def export(arguments: argparse.Namespace) -> int:
    """Write the last run as a card."""
    from wizard.conv2d.cards.card_form import card_text
    from wizard.report.conv2d_runs import holds_text

    (card,) = _own_cards(arguments, 1)
    write_new(arguments, arguments.export, card_text(card))
    print(holds_text(card))
    return 0


def _own_cards(arguments: argparse.Namespace, count: int) -> tuple[ResultCard, ...]:
    """The cards of the latest runs, newest first. Raises ``WrongRequest`` where there are fewer."""
    from wizard.conv2d.cards.result_card import look_here
    from wizard.conv2d.requests import WrongRequest
    from wizard.report.conv2d_runs import card_of

    host = host_of(arguments)
    if host.name:
        raise WrongRequest(RECORDED)
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
    from wizard.conv2d.cards.card_form import card_from, card_text
    from wizard.conv2d.cards.result_card import look_here
    from wizard.report.conv2d_runs import card_lines

    card, host = card_from(Path(arguments.import_card)), host_of(arguments)
    if arguments.json:
        print(card_text(card), end="")
    else:
        print(*card_lines(card, look_here(host).gfx), sep="\n")
    return 0


def compare(arguments: argparse.Namespace) -> int:
    """Show two runs side by side; 1 when a verdict differs."""
    from wizard.conv2d.cards.comparison import compare_runs, comparison_form
    from wizard.conv2d.cards.result_card import look_here
    from wizard.conv2d.requests import WrongRequest
    from wizard.report.conv2d_runs import compare_lines

    files = tuple(_card(arguments, name) for name in arguments.compare)
    if len(files) > 2:
        raise WrongRequest("--compare accepts two cards, one, or none.")
    own = _own_cards(arguments, 2 - len(files)) if len(files) < 2 else ()
    before, after = (*files, *reversed(own))
    found = compare_runs(before, after)
    if arguments.json:
        print(json.dumps(comparison_form(found), indent=1, allow_nan=False))
    else:
        print(*compare_lines(found, look_here(host_of(arguments)).gfx), sep="\n")
    return 1 if found.differing else 0


def _card(arguments: argparse.Namespace, name: str) -> ResultCard:
    """The card in a file; where there is none of that name, that of a run."""
    from wizard.conv2d.cards.card_form import card_from
    from wizard.conv2d.cards.result_card import look_here
    from wizard.report.conv2d_runs import card_of

    run = next((run for run in runs_of(arguments) if run.run == name), None)
    if run is None or Path(name).exists():
        return card_from(Path(name))
    return card_of(run, look_here(host_of(arguments)))
