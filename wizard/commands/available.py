"""Ask indexes and repositories whether the wheels and packages are still there."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from wizard.commands.choosing import absolute, add_source_arguments
from wizard.commands.looking import acts, host_of, places_of

if TYPE_CHECKING:
    from pathlib import Path

    from wizard.available.questions import Named
    from wizard.available.session import Known
    from wizard.machine.host import Host

NOBODY_ASKED = {
    "dry_run": "Nobody is asked: a dry run opens no connection. This is what is known.",
    "recorded": "Nobody is asked: this machine is a recorded one. This is what our data says.",
}

ASKING = "Asking; this takes at most half a minute. Ctrl+C leaves."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``available``."""
    parser.add_argument("--stack", metavar="ID", default="", help="ask for this stack alone")
    parser.add_argument("--json", action="store_true", help="for programs")
    add_source_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Ask and print; 0 when all is there or nobody was to be asked, 1 when something is not."""
    import sys

    from wizard.available.session import known
    from wizard.machine.detect import detect

    host = host_of(arguments)
    found = known(detect(host), named_by(arguments), state_of(host), arguments.stack)
    if not found.entries:
        print(f"rdna1-setup: there is no stack {arguments.stack!r}.", file=sys.stderr)
        return 2
    silent = "" if acts(arguments) else silence_of(arguments)
    if not silent:
        if sys.stderr.isatty():
            print(ASKING, file=sys.stderr, flush=True)
        found = _asked(found, host)
    if arguments.json:
        _print_json(found, asked=not silent)
    else:
        from wizard.report.available import available_lines

        print(*((silent, "") if silent else ()), *available_lines(found), sep="\n")
    return 0 if silent else _exit_code(found)


def silence_of(arguments: argparse.Namespace) -> str:
    """Why nobody is asked, in words."""
    recorded = arguments.machine or getattr(arguments, "demo", False)
    return NOBODY_ASKED["recorded" if recorded else "dry_run"]


def named_by(arguments: argparse.Namespace) -> Named:
    """The sources that a command line names."""
    from wizard.available.questions import Named

    house = arguments.wheelhouse
    return Named(arguments.torch_index, absolute(house) if house else "", arguments.rocm_repo)


def state_of(host: Host) -> Path | None:
    """Where answers are kept; None for a recorded machine, whose home may be somebody's here."""
    from pathlib import Path

    return None if host.name else Path(places_of(host).state)


def _asked(before: Known, host: Host) -> Known:
    import asyncio
    from pathlib import Path

    from wizard.available.session import ask_all

    async def all_of_it() -> Known:
        told = before
        async for each in ask_all(before, host.environ, Path(places_of(host).state)):
            told = each
        return told

    return asyncio.run(all_of_it())


def _exit_code(found: Known) -> int:
    from wizard.available.answers import Standing

    fine = (Standing.THERE, Standing.NOT_ASKED)
    return 0 if all(each.now and each.now.standing in fine for each in found.entries) else 1


def _print_json(found: Known, *, asked: bool) -> None:
    import json

    from wizard.available.questions import shown_place
    from wizard.jsonform import SCHEMA, to_json

    rows = [
        {
            "name": each.question.name,
            "what": each.question.what,
            "place": shown_place(each.question),
            "now": to_json(each.now),
            "last_there": to_json(each.good),
            "our_data": each.question.shipped,
        }
        for each in found.entries
    ]
    print(json.dumps({"schema": SCHEMA, "asked": asked, "places": rows}, indent=1))
