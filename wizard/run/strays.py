"""Programs that still run out of a venv, such as a pip whose wizard was killed."""

from __future__ import annotations

import os
import shutil
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
    here = {str(venv), os.path.realpath(venv)}
    for process in psutil.process_iter():
        try:
            # The command line of a process in D may not be readable, ever: not asked for.
            if process.uids().real != os.getuid() or process.status() in _UNREADABLE:
                continue
            uses = process.pid != os.getpid() and _uses(process, here)
        except psutil.Error:
            continue
        if uses:
            yield process


def _uses(process: psutil.Process, venv: set[str]) -> bool:
    folder = os.path.dirname(_program(process))  # noqa: PTH120 - what it was started as
    return folder in {f"{each}/bin" for each in venv} or _has_loaded(process, venv)


def _program(process: psutil.Process) -> str:
    """The path by which it was started: its name is looked up as its shell did."""
    name = next(iter(process.cmdline()), "")
    if "/" not in name:
        return shutil.which(name, path=process.environ().get("PATH", "")) or "" if name else ""
    return os.path.normpath(os.path.join(process.cwd(), name))  # noqa: PTH118 - as it was


def _has_loaded(process: psutil.Process, venv: set[str]) -> bool:
    """True when a library of the venv is in its memory, however it was started."""
    try:
        text = Path(f"/proc/{process.pid}/maps").read_text("utf-8", "surrogateescape")
    except OSError:
        return False
    return any(f" {each}/" in text for each in venv)


_UNREADABLE = (psutil.STATUS_DISK_SLEEP, psutil.STATUS_ZOMBIE)
