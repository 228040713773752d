"""The process that carries out one request, apart from any terminal, and writes every event down.

It is started by ``detach`` with the folder of its run and the lock on it, in a session of its own.
Who wants to see what happens follows its file; nobody needs to. SIGTERM stops it in order.
"""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import aclosing
from pathlib import Path
from typing import Any

from wizard.conv2d.asked import events_of
from wizard.conv2d.run_words import not_written, stopped
from wizard.conv2d.runs.event_file import EventFile
from wizard.conv2d.runs.folders import Run, read_run, tell_process
from wizard.conv2d.runs.passed import asking
from wizard.conv2d.runs.stack import note_stack
from wizard.host.live import LiveHost

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
