"""Programs that are run, and processes that are named."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
from typing import NamedTuple, Sequence

from assets.root.files import APPEND, STATE, folder_at
from assets.root.trouble import Trouble

ENVIRONMENT = {
    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root",
    "LC_ALL": "C.UTF-8",
    "DEBIAN_FRONTEND": "noninteractive",
    "NEEDRESTART_SUSPEND": "1",
}
"""All that a child is given; nothing is inherited."""
LONGEST_EVENT = 40_000
"""Characters of output in one event."""
SHORT_DEADLINE_S = 180.0
FETCH_DEADLINE_S = 1800.0
CHANGE_DEADLINE_S = 6 * 3600.0
"""Afterwards it is left to itself: to end dpkg at work does more harm than to let it work."""


class Lock:
    """One helper at a time; the kernel drops it with the last process that holds it."""

    def __init__(self) -> None:
        with folder_at(STATE, make=True) as state:
            self.descriptor = os.open("lock", APPEND, 0o600, dir_fd=state)
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Trouble(
                f"rdna1-setup is already running as root ({self._holders()}).",
                "Two runs at the same time could undo each other's changes.",
                "Wait until the other run has finished, then start rdna1-setup again.",
            ) from None
        self.hold(os.getpid())  # whoever comes while the question is open is told who asks it

    def hold(self, *pids: int) -> None:
        """Note who holds it, for whoever finds it held."""
        os.ftruncate(self.descriptor, 0)
        os.write(self.descriptor, " ".join(map(str, pids)).encode())

    def _holders(self) -> str:
        words = os.pread(self.descriptor, 200, 0).decode("ascii", "replace").split()
        alive = [named(int(word)) for word in words if word.isdecimal() and is_alive(int(word))]
        return ", ".join(alive) or "a process that is just starting"


def is_alive(pid: int) -> bool:
    """True while there is a process of that number that has not ended."""
    return _stat_of(pid)[:1] not in ("", "Z")


def _stat_of(pid: int) -> str:
    """State and all that follows it in the kernel's line about a process; empty for none."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().decode("ascii", "replace").rpartition(") ")[2]
    except OSError:
        return ""


def begun_at(pid: int) -> int:
    """When a process began, in the kernel's ticks: with its number it names it for good."""
    fields = _stat_of(pid).split()
    return int(fields[19]) if len(fields) > 19 else 0


def named(pid: int) -> str:
    """A process in words."""
    if pid <= 0:
        return "a process outside this container"
    try:
        with open(f"/proc/{pid}/comm", "rb") as file:
            name = ascii(file.read(64).decode("utf-8", "replace").strip())[1:-1]
    except OSError:
        name = "a process"
    return f"{name}, process {pid}"


class Ended(NamedTuple):
    """How a program ended and what it said, or the end of it."""

    code: int
    output: str


def run(
    argv: Sequence[str],
    deadline_s: float = SHORT_DEADLINE_S,
    folder: str = "/",
) -> Ended:
    """Run a short program to its end; what does not end in time is killed and left."""
    process = subprocess.Popen(
        tuple(argv),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=ENVIRONMENT,
        cwd=folder,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=deadline_s)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        raise Trouble(
            f"{argv[0]} did not finish within {deadline_s:.0f} s and was stopped.",
            "The program may have been waiting for a disk or a network.",
            "Run the same step again. Finished work is kept.",
        ) from None
    return Ended(process.returncode, output.decode("utf-8", "replace"))


class Growing:
    """A file that a program writes, as the lines that came since the last look."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._at = os.fstat(descriptor).st_size
        self._end: int | None = None
        self._open = b""

    def stop_here(self) -> None:
        """Read no further than what is written by now."""
        self._end = os.fstat(self.descriptor).st_size

    def is_behind(self) -> bool:
        """True while something was not read yet up to where we stop."""
        return self._end is None or self._at < self._end or bool(self._open)

    def lines(self, final: bool) -> list[str]:
        """New whole lines; with ``final`` what stands on the open one too."""
        most = 1 << 20 if self._end is None else min(1 << 20, self._end - self._at)
        chunk = os.pread(self.descriptor, most, self._at)
        self._at += len(chunk)
        whole = (self._open + chunk).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *lines, self._open = whole.split(b"\n")
        if len(self._open) > LONGEST_EVENT or (final and not chunk):
            lines.append(self._open)
            self._open = b""
        texts = (line.decode("utf-8", "replace") for line in lines if line)
        return [text if len(text) <= 2000 else text[:2000] + " ..." for text in texts]
