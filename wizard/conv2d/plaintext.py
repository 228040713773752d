"""A sweep as plain text: a line an event while it runs, and a table of what came out."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Iterable
from contextlib import aclosing

from wizard.conv2d.client import run_sweep
from wizard.conv2d.sweep import (
    DeviceFound,
    Note,
    Phase,
    ShapeDone,
    ShapeStarted,
    Sweep,
    SweepDone,
    SweepEvent,
    WorkerStarted,
)
from wizard.conv2d.verdicts import Result

COLUMNS = ("Shape", "Verdict", "Cold", "Warm", "Error", "Allowed", "Published elsewhere")


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


def line_of(event: SweepEvent) -> str:
    """One event in one line; ``""`` for what only a live screen wants."""
    match event:
        case WorkerStarted():
            hip = f", ROCm {event.loaded.hip}" if event.loaded.hip else ""
            return f"torch {event.loaded.torch}{hip} (process {event.pid}, {event.process})"
        case DeviceFound():
            gfx = f", {event.loaded.gfx}" if event.loaded.gfx else ""
            return f"device: {event.loaded.device}{gfx}"
        case ShapeStarted():
            place = f"{event.number}/{event.total}"
            return f"{place} {event.row.shape.label} (deadline {event.deadline_s:g} s)"
        case ShapeDone():
            detail = f": {event.result.detail}" if event.result.detail else ""
            return f"{event.number}/{event.total}   {event.result.verdict.value}{detail}"
        case Note():
            return event.text
        case Phase() | SweepDone():
            return ""


def table(results: Iterable[Result]) -> str:
    """The results as aligned text, with what others have published beside them."""
    rows = [COLUMNS, *(_cells(result) for result in results)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(COLUMNS))]
    lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in rows]
    return "\n".join(line.rstrip() for line in lines)


def _cells(result: Result) -> tuple[str, ...]:
    return (
        result.shape.label,
        result.verdict.value,
        _seconds(result.cold_s),
        _seconds(result.warm_s),
        "-" if result.max_abs_error is None else f"{result.max_abs_error:.1e}",
        "-" if result.tolerance is None else f"{result.tolerance:.1e}",
        result.published.summary if result.published else "",
    )


def _seconds(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value * 1000:.2f} ms" if value < 1 else f"{value:.2f} s"
