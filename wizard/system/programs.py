"""Programs that still run out of a venv, such as a uv whose wizard was killed."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from wizard.core.trouble import Trouble
from wizard.system.uv import cache_of, lock_of

PATIENCE_S = 15.0
"""Time for what a killed run left behind to end by itself: mostly uv unpacking packages."""
LOOK_S = 0.1
"""Time between two looks at a lock."""


def wait_for_strays(venv: Path, patience_s: float = PATIENCE_S) -> None:
    """Return once no program of this user runs out of the venv; raises Trouble if one stays."""
    _wait_for_uv(venv, patience_s)
    _, alive = psutil.wait_procs(list(_running_from(venv)), timeout=patience_s)
    if alive:
        number = alive[0].pid
        raise Trouble(
            f"Process {number} is still running from {venv}.",
            "You started this process, or a killed run left it behind. Continuing would change "
            "its files while it runs.",
            f"Wait until the process ends, or end it yourself (see `ps -fp {number}`). Then run "
            "the same command again.",
        )


def _wait_for_uv(venv: Path, patience_s: float) -> None:
    """Return once no uv changes the environment: one that is being killed in the middle of a
    write is seen by nothing but the lock that it holds."""
    ends = time.monotonic() + patience_s
    while _is_locked(lock_of(str(venv))):
        if time.monotonic() > ends:
            raise Trouble(
                f"A uv is still installing packages into {venv}.",
                "You started it, or a killed run left it behind. Continuing would change its "
                "files while it runs.",
                "Wait until it ends, or end it yourself (see `pgrep -af uv`). Then run the same "
                "command again.",
            )
        time.sleep(LOOK_S)


def _is_locked(path: str) -> bool:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # a file system without locks: uv goes without, too
        return False
    finally:
        os.close(descriptor)
    return False


def _running_from(venv: Path) -> Iterator[psutil.Process]:
    here = os.path.realpath(venv)
    own = {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}
    for process in psutil.process_iter():
        try:
            # The command line of a process in D may not be readable, ever: not asked for.
            if process.uids().real != os.getuid() or process.status() in _UNREADABLE:
                continue
            uses = process.pid not in own and _uses(process, here)
        except psutil.Error:
            continue
        if uses:
            yield process


def _uses(process: psutil.Process, venv: str) -> bool:
    return _installs_into(process, venv) or _is_of(process, venv) or _has_loaded(process, venv)


def _installs_into(process: psutil.Process, venv: str) -> bool:
    """True for a uv that we started for it: it lies elsewhere."""
    cache = cache_of(venv)
    words = (word for word in process.cmdline() if word.endswith(os.path.basename(cache)))  # noqa: PTH119
    return any(os.path.realpath(word) == cache for word in words)


def _is_of(process: psutil.Process, venv: str) -> bool:
    """True when it was started as a program of the venv."""
    name = next(iter(process.cmdline()), "")
    if name and "/" not in name:  # looked up as its shell did
        name = shutil.which(name, path=process.environ().get("PATH", "")) or ""
    started = os.path.join(process.cwd(), name)  # noqa: PTH118 - as it was
    folder, base = os.path.split(started)
    if not name or os.path.realpath(folder) != f"{venv}/bin":
        return False
    # It may have gone to another folder since: what it was started in is not known any more.
    return name.startswith("/") or os.path.realpath(f"{venv}/bin/{base}") == process.exe()


def _has_loaded(process: psutil.Process, venv: str) -> bool:
    """True when a library of the venv is in its memory, however it was started."""
    try:
        text = Path(f"/proc/{process.pid}/maps").read_text("utf-8", "surrogateescape")
    except OSError:
        return False
    # Only what is run: to map data of the venv, or of another one below it, harms nobody.
    code = rf"^\S+ ..x.* {re.escape(venv)}/(lib/python[^/]*/site-packages|bin)/"
    return re.search(code, text, re.MULTILINE) is not None


_UNREADABLE = (psutil.STATUS_DISK_SLEEP, psutil.STATUS_ZOMBIE)
