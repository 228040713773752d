"""Stops a run: asks its runner, watches, and kills what does not go."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import psutil

from wizard.conv2d.run_words import stopped
from wizard.conv2d.runs.folders import Run
from wizard.conv2d.runs.following import close_books

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
