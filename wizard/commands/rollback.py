"""Undo a run: remove what it made, keep every file that is not ours."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from wizard.commands.looking import acts, agreed, host_of, places_of

if TYPE_CHECKING:
    from pathlib import Path

    from wizard.run.journal import Record
    from wizard.run.trouble import Trouble


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``rollback``."""
    parser.add_argument("run_id", nargs="?", metavar="ID", help="default: the newest run")
    parser.add_argument("--list", action="store_true", help="show the runs and do nothing")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(arguments: argparse.Namespace) -> int:
    """Show what would go and what would stay, ask, then go back."""
    from pathlib import Path

    from wizard.run.journal import read_records, unreadable_runs

    if arguments.machine or arguments.demo:
        print("rdna1-setup: a recorded machine has nothing to undo", file=sys.stderr)
        return 2
    places = places_of(host_of(arguments))
    records = read_records(Path(places.runs))
    if arguments.list:
        for record in records:
            print(f"{record.id}  {record.plan['stack']}  {record.plan['venv']}  {record.state}")
        for name in unreadable_runs(Path(places.runs)):
            print(f"{name}  its journal is damaged, or of a newer version")
        return 0
    standing = [record for record in records if record.state != "rolled back"]
    chosen = [r for r in standing if r.id == arguments.run_id] if arguments.run_id else standing[:1]
    if refusal := _refusal(chosen, records, unreadable_runs(Path(places.runs)), arguments.run_id):
        print(f"rdna1-setup: {refusal}", file=sys.stderr)
        return 2
    return _undo(chosen[0], Path(places.state), arguments)


def _refusal(
    chosen: list[Record], records: tuple[Record, ...], unreadable: tuple[str, ...], wanted: str
) -> str:
    """Why this run cannot be undone, or not yet; "" when it can."""
    from wizard.run.rollback import newer_run

    damaged = [name for name in unreadable if not chosen or name > chosen[0].id]
    if wanted in unreadable or (damaged and not wanted):
        name = wanted or damaged[0]
        return (
            f"the journal of run {name} is damaged, or of a newer version of this program. "
            "It cannot be undone by this one; name another run with its ID: see --list."
        )
    if not chosen:
        return "there is no such run to undo; see --list"
    if newer := newer_run(chosen[0], records):
        return f"run {newer.id} came later and is in the same folder: undo that one first"
    return ""


def _undo(record: Record, state: Path, arguments: argparse.Namespace) -> int:
    from pathlib import Path

    from wizard.run.lines import clean
    from wizard.run.live import now
    from wizard.run.lock import only_one
    from wizard.run.rollback import find_way_back, go_back
    from wizard.run.strays import wait_for_strays
    from wizard.run.trouble import Trouble, as_trouble

    try:
        if acts(arguments):
            wait_for_strays(Path(record.plan["venv"]))
        way = find_way_back(record)
    except (Trouble, OSError) as error:
        return _failed(as_trouble(error))
    text = "\n".join(map(clean, str(way).splitlines()))
    print(f"Undo run {record.id} ({record.plan['stack']}):\n{text}", flush=True)
    if not acts(arguments):
        print("Dry run: nothing was removed.")
        return 0
    if not arguments.yes and not agreed("Go back?"):
        print("Nothing was removed.")
        return 2
    try:
        with only_one(state):
            left = go_back(way, record, now())
    except (Trouble, OSError) as error:
        return _failed(as_trouble(error))
    for problem in left:
        print(f"not removed: {clean(problem)}", file=sys.stderr)
    print("Undone." if not left else "Undone but for the above.")
    return 1 if left else 0


def _failed(trouble: Trouble) -> int:
    words = (f"rdna1-setup: {trouble.happened}", trouble.meaning, trouble.next_step)
    print(*words, sep="\n", file=sys.stderr)
    return 1
