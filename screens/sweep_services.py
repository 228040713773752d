"""Conv2d experiments for the panel: carried out by a runner of their own, which outlives it."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from functools import partial
from typing import TYPE_CHECKING

from screens.services import SweepUnderWay

if TYPE_CHECKING:
    from wizard.conv2d.sweep import Sweep, SweepEvent
    from wizard.machine.host import Host
    from wizard.places import Places


def run_sweep(host: Host, places: Places, sweep: Sweep) -> AsyncGenerator[SweepEvent, None]:
    """The events of a sweep, whose runner goes on when they are no longer read.

    On a card it may cost as many hangs as the circumstances allow; the panel asks before.
    """
    from wizard.conv2d.apart import run_apart
    from wizard.conv2d.asked import with_hangs
    from wizard.conv2d.caution import circumstances_of

    if sweep.device == "cuda" and sweep.hangs is None:
        return run_apart(places, with_hangs(sweep, circumstances_of(host).hangs), os.environ)
    return run_apart(places, sweep, os.environ)


async def stop_sweep(places: Places) -> str:
    """End the experiment under way; what could not be ended, in words."""
    from wizard.conv2d.apart import stop_apart

    stopped = await stop_apart(places)
    if stopped is None or not stopped.left:
        return ""
    return f"Stopped, but {'; '.join(stopped.left)}: the kernel holds it. Restart the machine."


def under_way(places: Places) -> SweepUnderWay | None:
    """The experiment that is under way, whoever began it."""
    from wizard.conv2d.runs import live_run

    run = live_run(places)
    if run is None:
        return None
    from wizard.conv2d.asked import described
    from wizard.conv2d.following import followed
    from wizard.conv2d.sweep import Sweep

    sweep = run.request if isinstance(run.request, Sweep) else None
    text = f"{described(run.request)}, since {run.since}"
    return SweepUnderWay(text, sweep, partial(followed, run))
