"""Undo a run: remove what it made, keep every file that is not ours."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from wizard.commands.looking import acts, agreed, host_of, places_of
from wizard.commands.watch import watch_first

if TYPE_CHECKING:
    from wizard.machine.host import Host
    from wizard.places import Places
    from wizard.plan.steps import Plan
    from wizard.run.trouble import Trouble
    from wizard.run.undo import Undo


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``rollback``."""
    parser.add_argument("run_id", nargs="?", metavar="ID", help="default: the newest run")
    parser.add_argument("--list", action="store_true", help="show the runs and do nothing")
    parser.add_argument(
        "--forget",
        action="store_true",
        help="only mark the run ID as undone: its folder is gone for good",
    )
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(arguments: argparse.Namespace) -> int:
    """Show what would go and what would stay, ask, then go back."""
    if arguments.machine or arguments.demo:
        print("rdna1-setup: a recorded machine has nothing to undo", file=sys.stderr)
        return 2
    host = host_of(arguments)
    places = places_of(host)
    if arguments.list:
        return _list(places)
    if arguments.forget:
        return _forget(arguments, places)
    watch_first(arguments)
    from wizard.run.lines import clean_lines
    from wizard.run.system_undo import system_way_back
    from wizard.run.trouble import Trouble
    from wizard.run.undo import find_undo

    try:
        found = find_undo(places, arguments.run_id or "", wait=acts(arguments))
        system = system_way_back(found.record, host, places)
    except Trouble as trouble:
        return _failed(trouble, 2)
    print(clean_lines(str(found)), flush=True)
    if system is not None:
        from wizard.report.plan import plan_lines

        print("", *plan_lines(system), sep="\n", flush=True)
    if not acts(arguments):
        print("Dry run: nothing was removed.")
        return 0
    if not arguments.yes and not agreed("Go back?"):
        print("Nothing was removed.")
        return 2
    if system is not None and (code := _system_back(system, host, yes=arguments.yes)):
        return code
    return _undo(found, places)


def _system_back(plan: Plan, host: Host, *, yes: bool) -> int:
    """Carry out the system's part; what it could not do keeps the run as it stands."""
    import asyncio

    from wizard.commands.following import carry_out
    from wizard.run.live import Live

    return asyncio.run(carry_out(Live(places_of(host), host.environ, yes=yes), plan, as_json=False))


def _list(places: Places) -> int:
    from pathlib import Path

    from wizard.run.journal import read_records, unreadable_runs

    records, unreadable = read_records(Path(places.runs)), unreadable_runs(Path(places.runs))
    for record in records:
        print(f"{record.id}  {record.plan['stack']}  {record.plan['venv']}  {record.state}")
    for name in unreadable:
        print(f"{name}  its journal is damaged, or of a newer version")
    if not records and not unreadable:
        print("No run yet.")
    return 0


def _forget(arguments: argparse.Namespace, places: Places) -> int:
    from wizard.run.lines import clean
    from wizard.run.live import now
    from wizard.run.trouble import Trouble
    from wizard.run.undo import find_forgettable, forget_run

    try:
        record, leaves = find_forgettable(places, arguments.run_id or "")
        for each in leaves:
            print(f"leave {clean(each)}")
        if not acts(arguments):
            print("Dry run: nothing was changed.")
            return 0
        if not arguments.yes and not agreed(f"Forget run {record.id}?"):
            print("Nothing was changed.")
            return 2
        forget_run(record, places, now())
    except Trouble as trouble:
        return _failed(trouble, 2)
    print(f"Run {record.id} counts as undone.")
    return 0


def _undo(found: Undo, places: Places) -> int:
    from wizard.run.lines import clean
    from wizard.run.live import now
    from wizard.run.trouble import Trouble
    from wizard.run.undo import undo

    try:
        left = undo(found, places, now(), system_is_back=True)
    except Trouble as trouble:
        return _failed(trouble, 1)
    for problem in left:
        print(clean(problem).replace("\n", "?"), file=sys.stderr)
    print("Undone." if not left else "Undone but for the above.")
    return 1 if left else 0


def _failed(trouble: Trouble, code: int) -> int:
    words = (f"rdna1-setup: {trouble.happened}", trouble.meaning, trouble.next_step)
    print(*words, sep="\n", file=sys.stderr)
    return code
