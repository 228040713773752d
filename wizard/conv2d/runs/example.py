"""The example that the demo plays: a run that was recorded on a real GPU, with its own times.

No card of the family was at hand: it is another maker's GPU, and the hang in it was planted. What
is shown of it must say so.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from functools import cache

from assets import FOLDER
from wizard.conv2d.requests import Request, request_form
from wizard.conv2d.sweep import StopReason, Sweep, SweepDone, SweepEvent, event_of

FILE = FOLDER / "demo_run.jsonl"
LONGEST_PAUSE_S = 2.5
"""A longer wait, such as for a deadline, is cut to this: the example is to be over in a minute."""
SHORTEST_PAUSE_S = 0.03
"""Each shape is to be seen."""
NOT_RECORDED = StopReason(
    "The example does not include this measurement.",
    "The example covers the default table of shapes, the setting that fixes its first hang, and "
    "the largest size that works.",
    "Without --demo, you can measure anything on your own machine.",
)


@cache
def recorded() -> dict[str, tuple[tuple[float, SweepEvent], ...]]:
    """By the kind of what was asked: each event with the seconds since the start.

    The first line of the file tells where that was. Raises ``ValueError`` where it is damaged.
    """
    runs: dict[str, list[tuple[float, SweepEvent]]] = {}
    kind = ""
    for line in FILE.read_text("utf-8").splitlines()[1:]:
        form = json.loads(line)
        if "request" in form:
            kind = form["request"]
            continue
        seconds = form.pop("at")
        event = event_of(json.dumps(form).encode())
        if event is None:
            raise ValueError(f"{FILE.name} has a line that is not an event: {line[:80]}")
        runs.setdefault(kind, []).append((seconds, event))
    return {name: tuple(run) for name, run in runs.items()}


async def replayed(
    request: Request, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> AsyncGenerator[SweepEvent, None]:
    """The events of what was recorded for such a request, in their time but for long waits."""
    run = recorded_run(request)
    if not run:
        yield SweepDone((), NOT_RECORDED, 0.0)
        return
    before = 0.0
    for seconds, event in run:
        await sleep(min(LONGEST_PAUSE_S, max(SHORTEST_PAUSE_S, seconds - before)))
        before = seconds
        yield event


def recorded_run(request: Request) -> tuple[tuple[float, SweepEvent], ...]:
    """What was recorded for such a request: a table has those shapes; a search has its own."""
    run = recorded().get(request_form(request)["kind"], ())
    if not run or not isinstance(request, Sweep):
        return run
    done = run[-1][1]
    shapes = [result.shape for result in done.results] if isinstance(done, SweepDone) else []
    return run if [row.shape for row in request.rows] == shapes else ()
