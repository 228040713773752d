"""A sweep as plain text: a line an event while it runs."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from wizard.conv2d.sweep import SweepDone, SweepEvent
from wizard.conv2d.words.event_line import line_of
from wizard.core.stoppable import on_signals

Events = AsyncGenerator[SweepEvent, None]
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


async def follow(running: Events, stops: Sequence[signal.Signals] = STOPS) -> SweepDone | None:
    """A sweep or a search to its end, one line an event; None when a signal stopped it."""
    task = asyncio.ensure_future(_follow(running))
    on_signals(stops, task.cancel)
    try:
        return await task
    except asyncio.CancelledError:
        return None


async def _follow(running: Events) -> SweepDone | None:
    async with aclosing(running) as events:
        async for event in events:
            if isinstance(event, SweepDone):
                return event
            if line := line_of(event):
                print(line, file=sys.stderr, flush=True)
    return None
