"""``rollback`` and ``watch``: runs undone, and what one still does as root."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, redirect_stdout
from pathlib import Path

from wizard.cli.console import agreed, refuse, refuse_for
from wizard.cli.execution import follow
from wizard.core.events import Event, PlanFinished
from wizard.core.lines import clean, clean_lines
from wizard.core.trouble import Trouble
from wizard.host.host import Host
from wizard.journalform import OLDER, Record
from wizard.jsonform import SCHEMA
from wizard.places import Places
from wizard.report.events import Tenths, event_lines
from wizard.report.plan import plan_lines
from wizard.root.session import STATE, find_at_work
from wizard.run.live import Live, now
from wizard.run.records import older_runs, read_records, unreadable_runs
from wizard.run.watching import InSession, at_work, at_work_text, watch_events
from wizard.services.command_line import acts, host_of, places_of
from wizard.undo.one_run import find_forgettable, forget_run
from wizard.undo.whole_run import TakingBack, WholeUndo, find_whole_undo

NOTHING = "rdna1-setup is not running anything as root."
ENDED = "The root step has finished."


def run_watch(arguments: argparse.Namespace) -> int:
    """Print what happens until it ends; 0 when it ended well or nothing is at work."""
    if arguments.machine or arguments.demo:
        print("rdna1-setup: nothing runs on a machine recording", file=sys.stderr)
        return 2
    found = at_work()
    if found is None:
        print(NOTHING)
        return 0
    print(f"{found.text}. It continues on its own. Ctrl+C only closes this view.", flush=True)
    return asyncio.run(show_events(found.watch()))


def watch_first(arguments: argparse.Namespace, state: Path | None = None) -> None:
    """Where a command acts, what root still does for an earlier start comes to its end before.

    It is told on standard error, for what a command prints may be read by a program.
    """
    session = find_at_work(state or STATE) if acts(arguments) else None
    if session is None:
        return
    with redirect_stdout(sys.stderr):
        print(f"{clean(at_work_text(session))} (an earlier run). Waiting for that run to finish.")
        asyncio.run(show_events(watch_events(InSession(session)), ENDED))


async def show_events(events: AsyncGenerator[Event, None], ending: str = "") -> int:
    """Print events as lines, and progress every tenth of the way; 0 when it ended well."""
    tenths = Tenths()
    async with aclosing(events) as coming:
        async for event in coming:
            if isinstance(event, PlanFinished):
                print(ending or f"{ENDED} To continue the plan, start rdna1-setup again.")
                return 0 if event.ok else 1
            if tenths.worth_telling(event):
                print(*event_lines(event), sep="\n", flush=True)
    return 1


def run_rollback(arguments: argparse.Namespace) -> int:
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
    print(clean_lines(str(found)), flush=True)
    if found.system is not None:
        print("", *plan_lines(found.system), sep="\n", flush=True)


def _take_back(found: WholeUndo, host: Host, *, yes: bool) -> int:
    executor = Live(places_of(host), host.environ, yes=yes)
    taking = TakingBack(found, executor, places_of(host))
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
