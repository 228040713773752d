"""The process that carries out one request, apart from any terminal, and writes every event down.

It is started by ``detach`` with the folder of its run and the lock on it, in a session of its own.
Who wants to see what happens follows its file; nobody needs to. SIGTERM stops it in order.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

import psutil

from wizard.conv2d.repro import row_of
from wizard.conv2d.requests import Request, described, events_of, name_of, sweep_in
from wizard.conv2d.runs.events import EventFile, close_books, followed, has_end
from wizard.conv2d.runs.folders import (
    Run,
    Starting,
    forget_old,
    live_run,
    new_run,
    note_stack,
    read_run,
    runs_of,
    starting,
    tell_process,
)
from wizard.conv2d.runs.history import read_status
from wizard.conv2d.search.setting_search import SettingRequest
from wizard.conv2d.shapes import Row
from wizard.conv2d.stop_reasons import (
    another_at_work,
    no_runner,
    not_started,
    not_written,
    still_ending,
    stopped,
)
from wizard.conv2d.sweep import StopReason, SweepDone, SweepEvent
from wizard.conv2d.verdicts import RIGHT
from wizard.conv2d.worker.questions import ask_miopen
from wizard.core.own_files import Places, open_private, places
from wizard.host.live import LiveHost

NEWEST = 5
"""Runs that are read."""
MOST_ROWS = 40


def asking(request: Request, environ: Mapping[str, str]) -> dict[str, Any]:
    """How a search on this machine asks MIOpen: for ``events_of``."""
    if not isinstance(request, SettingRequest):
        return {"ask": ask_miopen}
    home = environ.get("HOME") or str(Path.home())
    return {"ask": ask_miopen, "passed": rows_that_passed(places(environ, home), request)}


def rows_that_passed(there: Places, request: Request) -> tuple[Row, ...]:
    """Rows that MIOpen got right under the same Python, with nothing set; the newest first."""
    sweep = sweep_in(request)
    found: dict[Row, None] = {}
    alike = (
        run
        for run in runs_of(there)
        if (other := sweep_in(run.request)).python == sweep.python and other.device == sweep.device
    )
    for run in islice(alike, NEWEST):
        for result in read_status(run).done.results:
            if result.verdict in RIGHT and result.engine == "miopen" and not result.asked:
                found.setdefault(row_of(result))
    return tuple(islice(found, MOST_ROWS))


NOTE_S = 2.0
"""How long the end of a run may wait until it is written down what it was measured on."""
STOPS = (signal.SIGTERM, signal.SIGINT)


def main(folder: str, lock: int) -> None:
    """Carry out the run in that folder, whose lock is held by that descriptor."""
    # Until somebody listens for them: a runner that is stopped this early must say so too.
    signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
    # Not ignored, which what it starts would inherit.
    signal.signal(signal.SIGHUP, lambda *_: None)
    os.umask(0o077)
    os.set_inheritable(lock, False)
    tell_process(lock)
    run = read_run(Path(folder))
    if run is None:
        raise SystemExit(f"{folder} contains no run")
    noted = note_stack(run, LiveHost())
    asyncio.run(_record(run))
    noted.join(NOTE_S)


async def _record(run: Run) -> None:
    with EventFile(run) as file:
        try:
            await _carry_out(run, file)
        except asyncio.CancelledError:
            file.end(stopped())
        except OSError as error:
            if error.errno is None:  # a TimeoutError of asyncio is one too
                raise
            file.end(not_written(str(run.folder), error))
    run.free_reserve()


async def _carry_out(run: Run, file: EventFile) -> None:
    _listen()
    where: dict[str, Any] = {"journal": run.journal, "resume": run.resume}
    where["environ"] = dict(os.environ)
    where |= asking(run.request, os.environ)
    async with aclosing(events_of(run.request, **where)) as events:
        async for event in events:
            file.add(event)


def _listen() -> None:
    """The first signal stops; a later one must not disturb the clearing up."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    asked = False

    def stop() -> None:
        nonlocal asked
        if not asked and task is not None:
            asked = True
            task.cancel()

    for number in STOPS:
        loop.add_signal_handler(number, stop)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)


SOURCE = Path(__file__).parents[3]
PROGRAM = """
import os, sys
if os.fork():
    os._exit(0)
sys.path[:] = [sys.argv[1], *filter(None, sys.path)]
from wizard.conv2d.runs.runner import main
main(sys.argv[2], int(sys.argv[3]))
"""
"""Forks at once: what goes on is nobody's child and leads no session, so it never gets a terminal.
The folder that it is started in, ``/``, is no place for modules."""
START_S = 60.0
"""How long Python itself may take to start, from a cold disk."""
JUST_STARTING = "one that is just starting"


def start_run(
    places: Places, request: Request, environ: Mapping[str, str], *, resume: bool = True
) -> Run | StopReason:
    """The run of this request: the one that is under way, or a new one; or why there is none."""
    try:
        with starting(places):
            live = live_run(places)
            if live is not None:
                return _obstacle(live, request, environ) or live
            for run in runs_of(places):
                close_books(run)  # the journal of the last one may be written anew now
            forget_old(places)
            now = datetime.now().astimezone()
            with new_run(places, request, environ, now, resume=resume) as (run, lock):
                return _start(run, lock, environ) or run
    except Starting:
        return another_at_work(JUST_STARTING, "not yet named")
    except OSError as error:
        return not_started(str(places.conv2d), error)


def obstacle(places: Places, request: Request, environ: Mapping[str, str]) -> StopReason | None:
    """Why this request cannot begin now; None also where it is under way already."""
    live = live_run(places)
    return None if live is None else _obstacle(live, request, environ)


def _obstacle(live: Run, request: Request, environ: Mapping[str, str]) -> StopReason | None:
    """Why a run under way keeps this request from being begun or joined."""
    if has_end(live):
        return still_ending(live.id)
    if live.name == name_of(request, environ):
        return None
    return another_at_work(described(live.request), live.id)


def _start(run: Run, lock: int, environ: Mapping[str, str]) -> StopReason | None:
    """Start the runner; why it could not be."""
    argv = (sys.executable, "-c", PROGRAM, str(SOURCE), str(run.folder), str(lock))
    log = open_private(run.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        done = subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            env=dict(environ),
            pass_fds=(lock,),
            start_new_session=True,
            timeout=START_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return no_runner(f"it did not start within {START_S:g} s", str(run.log))
    except OSError as error:
        return no_runner(error.strerror or str(error), str(run.log))
    finally:
        os.close(log)
    return no_runner(f"it ended with {done.returncode}", str(run.log)) if done.returncode else None


PATIENCE_S = 15.0
"""How long a runner may take to end what it started."""
WATCH_S = 30.0
"""How long killed processes are watched: the kernel may take that long to free the card."""
FOLLOW_S = 5.0
"""How long what a runner started may outlive it, where it went by itself."""
LOOK_S = 0.05


@dataclass(frozen=True, slots=True)
class Stopped:
    """What became of a run that was to stop."""

    killed: bool
    """True when asking was not enough."""
    left: tuple[str, ...]
    """Processes that even SIGKILL did not end."""


async def stop(
    run: Run, hurry: asyncio.Event | None = None, patience_s: float = PATIENCE_S
) -> Stopped:
    """End a run and everything below it; ``hurry`` kills without waiting any longer."""
    hurry = hurry or asyncio.Event()
    runner = await _runner(run)
    tree = _tree(runner)
    if runner is not None:
        with suppress(psutil.Error):
            runner.terminate()
    killed = not await _gone(run, (), patience_s, hurry)
    if killed:
        tree = tuple(dict.fromkeys((*tree, *_tree(runner))))
        for process in tree:
            with suppress(psutil.Error):
                process.kill()
    await _gone(run, tree, WATCH_S if killed else FOLLOW_S, None)
    if not run.is_alive():
        await asyncio.to_thread(close_books, run, stopped())
    return Stopped(killed, tuple(_words(process) for process in tree if _lives(process)))


async def _runner(run: Run) -> psutil.Process | None:
    """The runner; one that was only just started is waited for until it says who it is."""
    while run.is_alive():
        process = run.process()
        if process is not None and process.is_alive():
            with suppress(psutil.Error):
                found = psutil.Process(process.pid)
                # Looked at again: from now on psutil itself tells it from a later one.
                return found if process.is_alive() else None
        await asyncio.sleep(LOOK_S)
    return None


def _tree(runner: psutil.Process | None) -> tuple[psutil.Process, ...]:
    if runner is None:
        return ()
    with suppress(psutil.Error):
        return (runner, *runner.children(recursive=True))
    return (runner,)


async def _gone(
    run: Run, tree: Sequence[psutil.Process], seconds: float, hurry: asyncio.Event | None
) -> bool:
    """True once nobody holds the lock and none of these lives."""
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    while run.is_alive() or any(map(_lives, tree)):
        if loop.time() >= until or (hurry is not None and hurry.is_set()):
            return False
        await asyncio.sleep(LOOK_S)
    return True


def _lives(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def _words(process: psutil.Process) -> str:
    with suppress(psutil.Error):
        return f"process {process.pid} ({process.name()}) is in state {process.status()}"
    return f"process {process.pid}"


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
