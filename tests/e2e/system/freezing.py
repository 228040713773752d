"""A root in which every process stands still."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psutil

from tests.e2e.system.roots import Root

PATIENCE_S = 5
STILL = (psutil.STATUS_STOPPED, psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)


@contextmanager
def frozen(root: Root, entered_by: int) -> Iterator[None]:
    """Nothing inside moves until this is left; ``entered_by`` is the nsenter of the terminal."""
    seen: set[int] = set()
    while new := {one.pid for one in root.running()} - seen:
        _signal(signal.SIGSTOP, new)
        seen |= new
    # nsenter stops itself with its child, and lets it go on again. Woken before it has stopped, it
    # would stop for good, and never bury a child that was killed meanwhile.
    for pid in (*seen, entered_by):
        _wait_for_stop(pid)
    try:
        yield
    finally:
        _signal(signal.SIGCONT, {entered_by, *seen})


def wake(root: Root) -> None:
    """Let go on what stands still inside: sudo, told late that its child was frozen, stops too."""
    _signal(signal.SIGCONT, {one.pid for one in root.running() if _stands_still(one.pid)})


def _stands_still(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_STOPPED
    except psutil.Error:
        return False


def _signal(number: signal.Signals, to: set[int]) -> None:
    for pid in to:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def _wait_for_stop(pid: int) -> None:
    limit = time.monotonic() + PATIENCE_S
    with suppress(psutil.Error):
        while psutil.Process(pid).status() not in STILL and time.monotonic() < limit:
            time.sleep(0.005)
