"""Conv2d experiments for the panel: carried out by a runner of their own, which outlives it."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncGenerator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from assets import FOLDER
from screens.services import SweepUnderWay

if TYPE_CHECKING:
    from wizard.conv2d.asked import Request
    from wizard.conv2d.presets import Preset
    from wizard.conv2d.sweep import SweepEvent
    from wizard.conv2d.words.caution import Circumstances
    from wizard.machine.host import Host
    from wizard.places import Places


def run_sweep(host: Host, places: Places, request: Request) -> AsyncGenerator[SweepEvent, None]:
    """The events of a request, whose runner goes on when they are no longer read.

    On a card it may cost as many hangs as the circumstances allow, where it does not say.
    """
    from wizard.conv2d.asked import sweep_in, with_hangs
    from wizard.conv2d.runs.apart import run_apart

    if sweep_in(request).device == "cuda" and request.hangs is None:
        request = with_hangs(request, circumstances(host).hangs)
    return run_apart(places, request, os.environ)


def circumstances(host: Host) -> Circumstances:
    """Whom a hang of the card would hit."""
    from wizard.conv2d.words.caution import circumstances_of

    return circumstances_of(host)


def layers_in(path: str) -> Preset:
    """The layers that a file lists, with its whole path as id. Raises WrongRequest."""
    from wizard.conv2d.words import request

    whole = os.path.abspath(os.path.expanduser(path))  # noqa: PTH100, PTH111 - `~` may name nobody
    return replace(request.layers_in(whole), id=whole)


def command_of(request: Request, table: str) -> str:
    """The shell line that asks the same."""
    from wizard.conv2d.words.request_line import request_line

    return request_line(request, table)


async def stop_sweep(places: Places) -> str:
    """End the experiment under way; what could not be ended, in words."""
    from wizard.conv2d.runs.apart import stop_apart

    stopped = await stop_apart(places)
    if stopped is None or not stopped.left:
        return ""
    return (
        f"Stopped, but {'; '.join(stopped.left)}: it waits inside the kernel. Restart the machine."
    )


def under_way(places: Places) -> SweepUnderWay | None:
    """The experiment that is under way, whoever began it."""
    from wizard.conv2d.runs.folders import live_run

    run = live_run(places)
    if run is None:
        return None
    from wizard.conv2d.asked import described
    from wizard.conv2d.runs.following import begun, followed

    text = f"{described(run.request)}, since {run.since}"
    return SweepUnderWay(text, run.request, partial(followed, run), begun(run))


def presets() -> tuple[Preset, ...]:
    """Every table of shapes."""
    from wizard.conv2d.presets import load_presets

    return load_presets()


def play_example(request: Request) -> AsyncGenerator[SweepEvent, None]:
    """In the demo: what was recorded for such a request."""
    from wizard.conv2d.runs.example import replayed

    return replayed(request)


def example_told() -> str:
    """Where the demo's example was recorded, and what was planted; reads one line."""
    with (FOLDER / "demo_run.jsonl").open(encoding="utf-8") as file:
        about = json.loads(file.readline())
    return f"recorded on {about['card']} with {about['planted']}"


async def no_sweep(request: Request) -> AsyncGenerator[SweepEvent, None]:
    """In a dry run no sweep can be started, whatever a screen asks for."""
    raise ValueError(f"a dry run starts nothing, {type(request).__name__} included")
    yield  # makes this a generator
