"""Requests carried out by a runner of their own, for whoever only wants to see the events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing

from wizard.conv2d.asked import Request
from wizard.conv2d.runs.detach import start_run
from wizard.conv2d.runs.folders import live_run
from wizard.conv2d.runs.following import followed
from wizard.conv2d.runs.stopping import Stopped, stop
from wizard.conv2d.sweep import StopReason, SweepDone, SweepEvent
from wizard.core.own_files import Places


async def run_apart(
    places: Places, request: Request, environ: Mapping[str, str]
) -> AsyncGenerator[SweepEvent, None]:
    """The events of a request, carried out by a runner; one that is at work on it is joined.

    To close it ends nothing but the looking.
    """
    run = await asyncio.to_thread(start_run, places, request, environ)
    if isinstance(run, StopReason):
        yield SweepDone((), run, 0.0)
        return
    async with aclosing(followed(run)) as events:
        async for event in events:
            yield event


async def stop_apart(places: Places) -> Stopped | None:
    """End the run that is under way; None where none is."""
    run = await asyncio.to_thread(live_run, places)
    return None if run is None else await stop(run)
