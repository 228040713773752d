"""Follow what root still does for an earlier start, to its end."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from wizard.run.events import Event

NOTHING = "Nothing of rdna1-setup is at work as root."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``watch``: none of its own."""


def run(arguments: argparse.Namespace) -> int:
    """Print what happens until it ends; 0 when it ended well or nothing is at work."""
    if arguments.machine or arguments.demo:
        print("rdna1-setup: on a recorded machine nothing is at work", file=sys.stderr)
        return 2
    from wizard.run.watching import at_work

    found = at_work()
    if found is None:
        print(NOTHING)
        return 0
    import asyncio

    print(f"{found.text}. It goes on by itself; Ctrl+C ends nothing but this view.", flush=True)
    return asyncio.run(follow(found.watch()))


async def follow(events: AsyncGenerator[Event, None]) -> int:
    """Print events as lines, and progress every tenth of the way; 0 when it ended well."""
    from contextlib import aclosing

    from wizard.report.events import Tenths, event_lines
    from wizard.run.events import PlanFinished

    tenths = Tenths()
    async with aclosing(events) as coming:
        async for event in coming:
            if isinstance(event, PlanFinished):
                print("Root's part has ended. To go on with the plan, start rdna1-setup again.")
                return 0 if event.ok else 1
            if tenths.worth_telling(event):
                print(*event_lines(event), sep="\n", flush=True)
    return 1
