"""Undo a run: remove what it made, keep every file that is not ours."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from wizard.commands.looking import acts, host_of, places_of

if TYPE_CHECKING:
    from pathlib import Path

    from wizard.run.journal import Record


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``rollback``."""
    parser.add_argument("run_id", nargs="?", metavar="ID", help="default: the newest run")
    parser.add_argument("--list", action="store_true", help="show the runs and do nothing")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(arguments: argparse.Namespace) -> int:
    """Show what would go and what would stay, ask, then go back."""
    from pathlib import Path

    from wizard.run.journal import read_records

    if arguments.machine:
        print("rdna1-setup: a recorded machine has nothing to undo", file=sys.stderr)
        return 2
    places = places_of(host_of(arguments))
    records = read_records(Path(places.runs))
    if arguments.list:
        for record in records:
            print(f"{record.id}  {record.plan['stack']}  {record.plan['venv']}  {record.state}")
        return 0
    standing = [record for record in records if record.state != "rolled back"]
    chosen = [r for r in standing if r.id == arguments.run_id] if arguments.run_id else standing[:1]
    if not chosen:
        print("rdna1-setup: there is no such run to undo; see --list", file=sys.stderr)
        return 2
    return _undo(chosen[0], Path(places.state), arguments)


def _undo(record: Record, state: Path, arguments: argparse.Namespace) -> int:
    from wizard.run.live import now
    from wizard.run.lock import only_one
    from wizard.run.rollback import find_way_back, go_back
    from wizard.run.trouble import Trouble

    way = find_way_back(record)
    print(f"Undo run {record.id} ({record.plan['stack']}):\n{way}")
    if not acts(arguments):
        print("Dry run: nothing was removed.")
        return 0
    if not arguments.yes and not _agreed():
        print("Nothing was removed.")
        return 2
    try:
        with only_one(state):
            left = go_back(way, record, now())
    except Trouble as trouble:
        print(f"rdna1-setup: {trouble}", file=sys.stderr)
        return 1
    for problem in left:
        print(f"not removed: {problem}", file=sys.stderr)
    print("Undone." if not left else "Undone but for the above.")
    return 1 if left else 0


def _agreed() -> bool:
    return sys.stdin.isatty() and input("Go back? [y/N] ").strip().lower() in ("y", "yes")
