"""``rollback`` and ``watch``: runs undone, and what one still does as root."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from wizard.cli.console import agreed, not_agreed, print_json, refuse
from wizard.cli.execution import follow, show_events, watch_first
from wizard.core.journal import OLDER
from wizard.core.lines import clean, clean_lines
from wizard.core.own_files import Places
from wizard.host.host import places_of
from wizard.report.plan import plan_lines
from wizard.run.at_work import at_work
from wizard.run.executor import Live, now
from wizard.run.rollback import Rollback, find_forgettable, find_undo, forget_run
from wizard.run.runs import older_runs, read_records, unreadable_runs
from wizard.services.command_line import acts, host_of

NOTHING = "rdna1-setup is not running anything as root."


def run_watch(arguments: argparse.Namespace) -> int:
    """Print what happens until it ends; 0 when it ended well or nothing is at work."""
    if arguments.machine or arguments.demo:
        return refuse("nothing runs on a machine recording")
    found = at_work()
    if found is None:
        print(NOTHING)
        return 0
    print(f"{found.text}. It continues on its own. Ctrl+C only closes this view.", flush=True)
    return asyncio.run(show_events(found.watch()))


def run_rollback(arguments: argparse.Namespace) -> int:
    """Show what would go and what would stay, ask, then go back."""
    if arguments.machine or arguments.demo:
        return refuse("a machine recording has nothing to undo")
    host = host_of(arguments)
    places = places_of(host)
    if arguments.json and not arguments.list:
        return refuse("--json only works with --list")
    if arguments.list:
        return _list(places, as_json=arguments.json)
    if arguments.forget:
        return _forget(arguments, places)
    watch_first(arguments)
    found = find_undo(places, host, arguments.run_id or "", wait=acts(arguments))
    print(clean_lines(str(found)), flush=True)
    if found.system.plan is not None:
        print("", *plan_lines(found.system.plan), sep="\n", flush=True)
    if not acts(arguments):
        print("Dry run: nothing was removed.")
        return 0
    if not arguments.yes and not agreed("Roll back?"):
        return not_agreed("Nothing was removed", f"rdna1-setup rollback {found.record.id}")
    taking = Rollback(found, Live(places, host.environ, yes=arguments.yes), places)
    code = asyncio.run(follow(taking.events(), taking.cancel, as_json=False))
    if code == 0:
        print("Undone.")
    return code


def _list(places: Places, *, as_json: bool) -> int:
    runs = Path(places.runs)
    records, older, unreadable = read_records(runs), older_runs(runs), unreadable_runs(runs)
    if as_json:
        forms = [
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
        ids = [run.id for run in older]
        print_json({"runs": forms, "older": ids, "unreadable": unreadable})
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


def _forget(arguments: argparse.Namespace, places: Places) -> int:
    record, leaves = find_forgettable(places, arguments.run_id or "")
    for each in leaves:
        print(f"leave {clean(each)}")
    if not acts(arguments):
        print("Dry run: nothing was changed.")
        return 0
    if not arguments.yes and not agreed(f"Forget run {record.id}?"):
        return not_agreed(command=f"rdna1-setup rollback {record.id} --forget")
    forget_run(record, places, now())
    print(f"Run {record.id} is now listed as undone.")
    return 0
