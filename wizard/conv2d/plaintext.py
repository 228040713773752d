"""A sweep as plain text: a line an event while it runs."""

from __future__ import annotations

import asyncio
import signal
import sys
from contextlib import aclosing

from wizard.conv2d.client import run_sweep
from wizard.conv2d.event_line import line_of
from wizard.conv2d.sweep import Sweep, SweepDone


async def follow(sweep: Sweep, resume: bool) -> SweepDone | None:
    """Run a sweep to its end, one line an event; None when a signal stopped it."""
    task = asyncio.ensure_future(_follow(sweep, resume))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, task.cancel)
    try:
        return await task
    except asyncio.CancelledError:
        return None


async def _follow(sweep: Sweep, resume: bool) -> SweepDone | None:
    async with aclosing(run_sweep(sweep, resume=resume)) as events:
        async for event in events:
            if isinstance(event, SweepDone):
                return event
            if line := line_of(event):
                print(line, file=sys.stderr, flush=True)
    return None
