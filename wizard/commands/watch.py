"""Show what an earlier run is still doing as root."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from wizard.commands.looking import acts

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from pathlib import Path

    from wizard.core.events import Event

NOTHING = "rdna1-setup is not running anything as root."
ENDED = "The root step has finished."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``watch``: none of its own."""


def run(arguments: argparse.Namespace) -> int:
    """Print what happens until it ends; 0 when it ended well or nothing is at work."""
    if arguments.machine or arguments.demo:
        print("rdna1-setup: nothing runs on a machine recording", file=sys.stderr)
        return 2
    from wizard.run.at_work import at_work

    found = at_work()
    if found is None:
        print(NOTHING)
        return 0
    import asyncio

    print(f"{found.text}. It continues on its own. Ctrl+C only closes this view.", flush=True)
    return asyncio.run(follow(found.watch()))


def watch_first(arguments: argparse.Namespace, state: Path | None = None) -> None:
    """Where a command acts, what root still does for an earlier start comes to its end before.

    It is told on standard error, for what a command prints may be read by a program.
    """
    from contextlib import redirect_stdout

    from wizard.core.lines import clean
    from wizard.root.session import STATE, find_at_work
    from wizard.run.at_work import at_work_text, events_of

    session = find_at_work(state or STATE) if acts(arguments) else None
    if session is None:
        return
    import asyncio

    with redirect_stdout(sys.stderr):
        print(f"{clean(at_work_text(session))} (an earlier run). Waiting for that run to finish.")
        asyncio.run(follow(events_of(session), ENDED))


async def follow(events: AsyncGenerator[Event, None], ending: str = "") -> int:
    """Print events as lines, and progress every tenth of the way; 0 when it ended well."""
    from contextlib import aclosing

    from wizard.core.events import PlanFinished
    from wizard.report.plan import Tenths, event_lines

    tenths = Tenths()
    async with aclosing(events) as coming:
        async for event in coming:
            if isinstance(event, PlanFinished):
                print(ending or f"{ENDED} To continue the plan, start rdna1-setup again.")
                return 0 if event.ok else 1
            if tenths.worth_telling(event):
                print(*event_lines(event), sep="\n", flush=True)
    return 1
