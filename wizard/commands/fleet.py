"""Show the Conv2d results of many machines in one table."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wizard.report.fleet import Entry, LeftOut

NONE = "none of these is a card: `rdna1-setup conv2d --export FILE` writes one."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``fleet``."""
    parser.add_argument(
        "cards",
        metavar="CARD",
        nargs="+",
        help="what `conv2d --export` wrote, one a machine; of a folder every file that ends in "
        ".json",
    )
    parser.add_argument("--json", action="store_true", help="for programs")


def run(arguments: argparse.Namespace) -> int:
    """Print the table; 0 when every shape of every machine is right, 1 when one is not."""
    from wizard.commands.carrying import refuse
    from wizard.report.fleet import fleet_form, fleet_lines

    entries, left_out = _read(tuple(_files(arguments.cards)))
    for each in left_out:
        print(f"rdna1-setup: {each.why}", file=sys.stderr)
    form = fleet_form(entries, left_out)
    if arguments.json:
        import json

        print(json.dumps(form, indent=1, allow_nan=False))
    if not entries:
        return refuse(NONE)
    if not arguments.json:
        print(*fleet_lines(entries), sep="\n")
    if left_out:
        return 2
    return 0 if all(machine["all_right"] for machine in form["machines"]) else 1


def _files(named: Sequence[str]) -> Iterator[Path]:
    """Every file once, those of a folder by name; one that cannot be read stands for itself."""
    from contextlib import suppress

    seen = set[Path]()
    for path in map(Path, named):
        found = [path]
        with suppress(OSError):
            if path.is_dir():
                found = sorted(each for each in path.iterdir() if _may_be_card(each))
        for each in found:
            if each not in seen:
                seen.add(each)
                yield each


def _may_be_card(path: Path) -> bool:
    """A file, or a link that may lead to one: who opens a pipe waits for whoever writes."""
    leads_nowhere = path.is_symlink() and not path.exists()  # told, rather than left out
    return path.suffix == ".json" and (path.is_file() or leads_nowhere)


def _read(files: Sequence[Path]) -> tuple[list[Entry], list[LeftOut]]:
    from wizard.conv2d.cards.kept_cards import card_from
    from wizard.report.fleet import Entry, LeftOut
    from wizard.run.lines import clean
    from wizard.run.trouble import Trouble

    entries, left_out, names = [], [], _names(files)
    for path in files:
        try:
            entries.append(Entry(clean(names[path]), card_from(path)))
        except Trouble as trouble:
            left_out.append(LeftOut(clean(str(path)), trouble.happened))
    return entries, left_out


def _names(files: Sequence[Path]) -> dict[Path, str]:
    """What each is called in the table: its file, or where two are called so, its path."""
    stems = [path.stem for path in files]
    return {
        path: stem if stems.count(stem) == 1 else str(path)
        for path, stem in zip(files, stems, strict=True)
    }
