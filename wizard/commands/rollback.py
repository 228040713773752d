"""Undo a run: remove what it made and keep all your own files."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from wizard.commands.carrying import refuse, refuse_for
from wizard.commands.looking import acts, agreed, host_of, places_of
from wizard.commands.watch import watch_first

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wizard.core.journal import Record
    from wizard.core.own_files import Places
    from wizard.host.host import Host
    from wizard.run.rollback import WholeUndo


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``rollback``."""
    parser.add_argument(
        "run_id", nargs="?", metavar="ID", help="the run to undo (default: the newest)"
    )
    parser.add_argument("--list", action="store_true", help="list the runs and do nothing else")
    parser.add_argument(
        "--forget",
        action="store_true",
        help="only mark the run as undone, because its folder is lost",
    )
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--json", action="store_true", help="with --list: print JSON for programs")


def run(arguments: argparse.Namespace) -> int:
    """Show what would go and what would stay, ask, then go back."""
    if arguments.machine or arguments.demo:
        print("rdna1-setup: a machine recording has nothing to undo", file=sys.stderr)
        return 2
    host = host_of(arguments)
    places = places_of(host)
    if arguments.json and not arguments.list:
        return refuse("--json only works with --list")
    if arguments.list:
        return _list(places, as_json=arguments.json)
    if arguments.forget:
        return _forget(arguments, places)
    watch_first(arguments)
    from wizard.core.trouble import Trouble
    from wizard.run.rollback import find_whole_undo

    try:
        found = find_whole_undo(places, host, arguments.run_id or "", wait=acts(arguments))
    except Trouble as trouble:
        return refuse_for(trouble)
    _show(found)
    if not acts(arguments):
        print("Dry run: nothing was removed.")
        return 0
    if not arguments.yes and not agreed("Roll back?"):
        return _not_agreed("Nothing was removed", found.folder.record.id)
    return _take_back(found, host, yes=arguments.yes)


def _show(found: WholeUndo) -> None:
    from wizard.core.lines import clean_lines
    from wizard.report.plan import plan_lines

    print(clean_lines(str(found)), flush=True)
    if found.system is not None:
        print("", *plan_lines(found.system), sep="\n", flush=True)


def _take_back(found: WholeUndo, host: Host, *, yes: bool) -> int:
    import asyncio

    from wizard.commands.following import follow
    from wizard.run.executor import Live
    from wizard.run.rollback import Rollback

    executor = Live(places_of(host), host.environ, yes=yes)
    taking = Rollback(found, executor, places_of(host))
    code = asyncio.run(follow(taking.events(), taking.cancel, as_json=False))
    if code == 0:
        print("Undone.")
    return code


def _not_agreed(happened: str, words: str) -> int:
    """The exit code where nobody said yes; where nobody could, what says it beforehand."""
    if sys.stdin.isatty():
        print(f"{happened}.")
        return 2
    return refuse(
        f"{happened}, because there is no terminal in which to prompt you. Read the text above. "
        f"To confirm, add --yes:\n  rdna1-setup rollback {words} --yes"
    )


def _list(places: Places, *, as_json: bool) -> int:
    from pathlib import Path

    from wizard.core.journal import OLDER
    from wizard.run.runs import older_runs, read_records, unreadable_runs

    runs = Path(places.runs)
    records, older, unreadable = read_records(runs), older_runs(runs), unreadable_runs(runs)
    if as_json:
        _print_json(records, [run.id for run in older], unreadable)
        return 0
    for record in records:
        print(f"{record.id}  {record.name}  {record.plan['venv']}  {record.state}")
    for run in older:
        print(f"{run.id}  {OLDER}")
    for name in unreadable:
        print(f"{name}  its journal is damaged or from a newer version")
    if not (records or older or unreadable):
        print("No runs yet.")
    return 0


def _print_json(records: Sequence[Record], older: Sequence[str], unreadable: Sequence[str]) -> None:
    import json

    from wizard.core.json_form import SCHEMA

    runs = [
        {
            "id": record.id,
            "began": record.began,
            "kind": record.kind.value,
            "name": record.name,
            "venv": record.plan["venv"],
            "state": record.state,
        }
        for record in records
    ]
    form = {"schema": SCHEMA, "runs": runs, "older": older, "unreadable": unreadable}
    print(json.dumps(form, indent=1))


def _forget(arguments: argparse.Namespace, places: Places) -> int:
    from wizard.core.lines import clean
    from wizard.core.trouble import Trouble
    from wizard.run.executor import now
    from wizard.run.rollback import find_forgettable, forget_run

    try:
        record, leaves = find_forgettable(places, arguments.run_id or "")
        for each in leaves:
            print(f"leave {clean(each)}")
        if not acts(arguments):
            print("Dry run: nothing was changed.")
            return 0
        if not arguments.yes and not agreed(f"Forget run {record.id}?"):
            return _not_agreed("Nothing was changed", f"{record.id} --forget")
        forget_run(record, places, now())
    except Trouble as trouble:
        return refuse_for(trouble)
    print(f"Run {record.id} is now listed as undone.")
    return 0
