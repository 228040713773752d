"""Runs that are over, laid on disk by hand: nothing is started for them."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from wizard.conv2d.requests import Request
from wizard.conv2d.runs.events import EventFile
from wizard.conv2d.runs.folders import Run, new_run, starting
from wizard.conv2d.shapes import Row
from wizard.conv2d.sweep import ShapeDone, StopReason, Sweep, SweepDone
from wizard.conv2d.verdicts import Result
from wizard.core.own_files import Places

FIRST = datetime(2026, 1, 2, 3, 4, tzinfo=timezone.utc)


def plant(
    places: Places,
    hours: int,
    *results: Result,
    request: Request | None = None,
    trouble: StopReason | None = None,
    ended: bool = True,
    seconds: int = 0,
) -> Run:
    """A run begun so long after the first, which came to these results."""
    asked = request or Sweep("/v/bin/python", tuple(Row(result.shape) for result in results))
    time = FIRST + timedelta(hours=hours, seconds=seconds)
    # A variable makes each run's journal its own, as another torch or another shell would.
    environ = {"HOME": places.home, "HIP_TEST": str(hours)}
    with starting(places), new_run(places, asked, environ, time, resume=True) as (run, _):
        pass
    with EventFile(run) as file:
        for number, result in enumerate(results, 1):
            file.add(ShapeDone(number, len(results), result))
        if ended:
            file.add(SweepDone(tuple(results), trouble, 0.0))
    return run
