"""Starts a runner: a process that survives whoever started it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from wizard.conv2d.asked import Request, described, name_of
from wizard.conv2d.run_words import another_at_work, no_runner, not_started, still_ending
from wizard.conv2d.runs.folders import Run, live_run, runs_of
from wizard.conv2d.runs.following import close_books, has_end
from wizard.conv2d.runs.making import Starting, forget_old, new_run, starting
from wizard.conv2d.sweep import StopReason
from wizard.core.own_files import Places, open_private

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
