"""Runs of ``conv2d``: agreed to, measured apart from any terminal, attached to, stopped, listed."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
import termios
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import aclosing, suppress

from wizard.cli.console import is_yes, not_agreed, print_json, refuse
from wizard.conv2d.caution import IN_USE, Circumstances, budget_texts, caution_texts
from wizard.conv2d.requests import Request, described, name_of
from wizard.conv2d.runs.events import followed
from wizard.conv2d.runs.folders import Run, kept_runs, live_run, runs_of
from wizard.conv2d.runs.history import read_status, status_form
from wizard.conv2d.runs.runner import Stopped, obstacle, start_run, stop
from wizard.conv2d.sweep import StopReason, SweepDone, SweepEvent
from wizard.conv2d.text import line_of
from wizard.core.lines import wrapped
from wizard.core.own_files import Places
from wizard.core.process import on_signals
from wizard.host.host import places_of
from wizard.report.conv2d_runs import history_lines
from wizard.services.command_line import acts, host_of

ENDS = "Press Ctrl+C to end the measurement. To measure without this risk, use --device cpu."
EVEN_SO = "add --even-if-in-use"
APART = (
    "The measurement runs in the background. Ctrl+C stops it, but closing this terminal does "
    "not.\n`rdna1-setup conv2d --attach` shows it again."
)
LOOKING = "Ctrl+C only closes this view. `rdna1-setup conv2d --stop` ends the measurement."
GOES_ON = "The measurement continues. `rdna1-setup conv2d --attach` shows it again."
STOPPED = "Stopped. Run the same command again to continue with the remaining shapes."
STOPPING = (
    "Stopping the measurement of the current shape. Press Ctrl+C again to kill it immediately."
)
IDLE = "No Conv2d measurement is running."
STUCK = (
    "These processes are waiting inside the kernel and cannot be killed. Save your work and "
    "restart the machine."
)
CANCELLED = 130
STOPS = (signal.SIGINT, signal.SIGTERM)
"""What stops a run that goes on apart: a hang-up ends only what shows it."""
HANG_UP_TOO = (*STOPS, signal.SIGHUP)


async def follow(
    running: AsyncGenerator[SweepEvent, None], stops: Sequence[signal.Signals] = HANG_UP_TOO
) -> SweepDone | None:
    """A sweep or a search to its end, one line an event; None when a signal stopped it."""
    task = asyncio.ensure_future(_follow(running))
    on_signals(stops, task.cancel)
    try:
        return await task
    except asyncio.CancelledError:
        return None


async def _follow(running: AsyncGenerator[SweepEvent, None]) -> SweepDone | None:
    async with aclosing(running) as events:
        async for event in events:
            if isinstance(event, SweepDone):
                return event
            if line := line_of(event):
                print(line, file=sys.stderr, flush=True)
    return None


def budget_lines(request: Request, around: Circumstances, hangs: int) -> Iterator[str]:
    """What a hang would disturb, how many are allowed, and what each costs."""
    return _wrapped(budget_texts(request, around, hangs))


def refusal(
    arguments: argparse.Namespace,
    request: Request,
    around: Circumstances,
    hangs: int,
    ends: str = ENDS,
) -> int | None:
    """The exit code where nothing may be launched on the card; None once that was agreed to.

    ``ends`` says how what is started can be ended.
    """
    texts = caution_texts(request, around, hangs)
    print(*_wrapped((*texts, ends)), sep="\n", end="\n\n", file=sys.stderr)
    if around.is_someones_desktop and not arguments.even_if_in_use:
        return refuse("\n".join(_wrapped((f"Nothing was started. {IN_USE.format(EVEN_SO)}",))))
    if arguments.yes:
        return None
    if not sys.stdin.isatty() or not _agreed():
        return not_agreed("Nothing was started")
    return None


def _wrapped(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from wrapped(text)


def _agreed() -> bool:
    with suppress(termios.error):  # what was typed before the question is no answer to it
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
    print("Start it? [y/N] ", end="", file=sys.stderr, flush=True)
    return is_yes(sys.stdin.readline())


def is_about_runs(arguments: argparse.Namespace) -> bool:
    """True when nothing new is to be measured."""
    return arguments.attach is not None or arguments.stop or arguments.list


def run_about(arguments: argparse.Namespace) -> tuple[SweepDone, Request] | int:
    """Attach, stop or list; the end of what was followed, or an exit code."""
    if arguments.machine or getattr(arguments, "demo", False):
        return refuse("nothing runs on a machine recording")
    places = places_of(host_of(arguments))
    if arguments.list:
        return _list(places, as_json=arguments.json)
    if arguments.stop:
        return _stop(places, acting=acts(arguments))
    return _attach(places, arguments.attach)


def obstacle_to(request: Request, places: Places) -> StopReason | None:
    """Why the request cannot begin while another one is under way."""
    return obstacle(places, request, os.environ)


def is_under_way(request: Request, places: Places) -> bool:
    """True when a runner is at work on this very request."""
    live = live_run(places)
    return live is not None and live.name == name_of(request, os.environ)


def measure_apart(
    request: Request, places: Places, *, resume: bool, seconds: float | None = None
) -> SweepDone | int:
    """Let a runner carry it out and follow it; an exit code when it was stopped.

    After so many ``seconds`` it is stopped; None lets it take its time.
    """
    try:
        return _started_and_followed(request, places, resume=resume, seconds=seconds)
    except KeyboardInterrupt:  # after it was started, and before anybody listened for the key
        run = live_run(places)
        if run is None:
            raise
        return _told(asyncio.run(_stop_in_words(run)))


def _started_and_followed(
    request: Request, places: Places, *, resume: bool, seconds: float | None
) -> SweepDone | int:
    joined = is_under_way(request, places)
    run = start_run(places, request, os.environ, resume=resume)
    if isinstance(run, StopReason):
        return SweepDone((), run, 0.0)
    if joined:
        print(
            f"This measurement has been running since {run.since}. Showing its progress.",
            file=sys.stderr,
        )
    print(APART, end="\n\n", file=sys.stderr)
    done = asyncio.run(_attend(run, seconds))
    return done if isinstance(done, SweepDone) else _told(done)


async def _attend(run: Run, seconds: float | None) -> SweepDone | Stopped:
    """Follow to the end; a signal or the time stops the run, a hang-up ends only this process."""
    done = await asyncio.wait_for(follow(followed(run), STOPS), seconds)
    return done or await _stop_in_words(run)  # follow() gives None where it was cut off


async def _stop_in_words(run: Run) -> Stopped:
    hurry = asyncio.Event()
    on_signals(STOPS, hurry.set)
    print(STOPPING, file=sys.stderr, flush=True)
    return await stop(run, hurry)


def _told(stopped: Stopped) -> int:
    print(STOPPED, file=sys.stderr)
    if stopped.left:
        print(*stopped.left, STUCK, sep="\n", file=sys.stderr)
    return CANCELLED


def _attach(places: Places, name: str) -> tuple[SweepDone, Request] | int:
    runs = runs_of(places)
    live = live_run(places)
    run = next((run for run in runs if run.id == name), None) if name else live
    if name and run is None:
        return refuse(f"no run is called {name!r}. To list all runs: rdna1-setup conv2d --list")
    if run is None:
        if not runs:
            return refuse(IDLE)
        run = runs[0]
        print(
            f"{IDLE} The most recent measurement, started at {run.since}, is shown below.",
            file=sys.stderr,
        )
    elif run == live:
        print(LOOKING, end="\n\n", file=sys.stderr)
    done = asyncio.run(follow(followed(run), STOPS))
    if done is None:
        print(GOES_ON, file=sys.stderr)
        return CANCELLED
    return done, run.request


def _stop(places: Places, *, acting: bool) -> int:
    run = live_run(places)
    if run is None:
        print(IDLE)
        return 0
    if not acting:
        print(f"Dry run: {described(run.request)} ({run.id}) would be stopped.")
        return 0
    stopped = asyncio.run(_stop_in_words(run))
    _told(stopped)
    return 1 if stopped.left else 0


def _list(places: Places, *, as_json: bool) -> int:
    kept = kept_runs(places)
    statuses = map(read_status, kept.runs)
    if as_json:
        print_json({"runs": list(map(status_form, statuses)), "unreadable": kept.unreadable})
    else:
        print(*history_lines(statuses, kept.unreadable), sep="\n")
    return 0
