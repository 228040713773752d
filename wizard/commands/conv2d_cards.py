"""``conv2d --export``, ``--import``, ``--compare``: results as cards, out, in, side by side."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.commands.conv2d_over import NOTHING_YET, runs_of, write_new
from wizard.commands.looking import acts, host_of, places_of

if TYPE_CHECKING:
    from wizard.conv2d.result_card import ResultCard

RECORDED = "a recorded machine has no runs of its own: leave out --machine and --demo."


def export(arguments: argparse.Namespace) -> int:
    """Write the last run as a card."""
    from wizard.conv2d.card_form import card_text

    (card,) = _own_cards(arguments, 1)
    write_new(arguments, arguments.export, card_text(card))
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


def take_in(arguments: argparse.Namespace) -> int:
    """Check and show somebody's card, and keep it."""
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


def compare(arguments: argparse.Namespace) -> int:
    """Show two runs side by side; 1 when a verdict differs."""
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


def _read(name: str) -> ResultCard:
    from wizard.conv2d.card_fields import WrongCard
    from wizard.conv2d.card_form import read_card_file

    try:
        return read_card_file(Path(name))
    except WrongCard as error:
        raise WrongCard(f"{name}: {error}.") from None
