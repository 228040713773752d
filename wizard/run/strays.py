"""Programs that still run out of a venv, such as a pip whose wizard was killed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import psutil

from wizard.run.trouble import Trouble

PATIENCE_S = 15.0
"""Time for what a killed run left behind to end by itself: mostly pip unpacking itself."""


def wait_for_strays(venv: Path, patience_s: float = PATIENCE_S) -> None:
    """Return once no program of this user runs out of the venv; raises Trouble if one stays."""
    _, alive = psutil.wait_procs(list(_running_from(venv)), timeout=patience_s)
    if alive:
        number = alive[0].pid
        raise Trouble(
            f"Process {number} still runs out of {venv}.",
            "It is a program of yours, or was left by a run that was killed; its files would be "
            "changed under it.",
            f"Wait for it or end it (look: `ps -fp {number}`), then run the same command again.",
        )


def _running_from(venv: Path) -> Iterator[psutil.Process]:
    folders = {f"{venv}/bin", os.path.realpath(venv / "bin")}
    for process in psutil.process_iter():
        try:
            # The command line of a process in D may not be readable, ever: not asked for.
            if process.uids().real != os.getuid() or process.status() in _UNREADABLE:
                continue
            argv = process.cmdline()
        except psutil.Error:
            continue
        if argv and process.pid != os.getpid() and argv[0].rpartition("/")[0] in folders:
            yield process


_UNREADABLE = (psutil.STATUS_DISK_SLEEP, psutil.STATUS_ZOMBIE)
