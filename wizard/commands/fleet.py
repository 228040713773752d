"""Show the Conv2d results of many machines in one table."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``fleet``."""
    parser.add_argument(
        "cards", metavar="CARD", nargs="+", help="what `conv2d --export` wrote, one a machine"
    )
    parser.add_argument("--json", action="store_true", help="for programs")


def run(arguments: argparse.Namespace) -> int:
    """Print the table; 0 when every shape of every machine is right, 1 when one is not."""
    from wizard.commands.carrying import refuse
    from wizard.conv2d.kept_cards import card_from
    from wizard.report.fleet import Entry, fleet_form, fleet_lines
    from wizard.run.lines import clean
    from wizard.run.trouble import Trouble

    entries, wrong, names = [], False, _names(arguments.cards)
    for name in arguments.cards:
        try:
            entries.append(Entry(clean(names[name]), card_from(Path(name))))
        except Trouble as trouble:
            wrong = True
            print(f"rdna1-setup: {trouble.happened}", file=sys.stderr)
    if not entries:
        return refuse("none of these is a card: `rdna1-setup conv2d --export FILE` writes one.")
    form = fleet_form(entries)
    if arguments.json:
        print(json.dumps(form, indent=1, allow_nan=False))
    else:
        print(*fleet_lines(entries), sep="\n")
    if wrong:
        return 2
    return 0 if all(machine["all_right"] for machine in form["machines"]) else 1


def _names(cards: list[str]) -> dict[str, str]:
    """What each is called in the table: its file, or where two are called so, its path."""
    stems = [Path(card).stem for card in cards]
    return {
        card: stem if stems.count(stem) == 1 else card
        for card, stem in zip(cards, stems, strict=True)
    }
