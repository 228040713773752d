"""A program that may never answer: run with a deadline, and left behind if it cannot be ended."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time

from wizard.machine.facts import Fact, Unknown

FOLDERS = ("/usr/bin", "/bin", "/usr/sbin", "/sbin")
"""Where programs are looked up: never through the user's PATH, which may hold anything."""
REAPING_S = 0.5
"""How long a killed program may take to go before it is left to the kernel."""


def output(argv: tuple[str, ...], deadline_s: float) -> Fact[str]:
    """What the program printed on its standard output, or why there is nothing."""
    path = _path_of(argv[0])
    if path is None:
        return Unknown(f"{argv[0]} is not installed")
    try:
        process = _start((path, *argv[1:]))
    except (OSError, ValueError) as error:
        return Unknown(f"{argv[0]} could not be started: {error}")
    try:
        printed, _ = process.communicate(timeout=deadline_s)
    except subprocess.TimeoutExpired:
        _leave(process)
        return Unknown(f"{argv[0]} did not answer within {deadline_s:g} s")
    if process.returncode:
        return Unknown(f"{argv[0]} ended with code {process.returncode}")
    return printed.decode("utf-8", "replace")


def which_end(programs: list[tuple[str, ...]], deadline_s: float) -> tuple[bool, ...]:
    """Which of these programs, started at once, end within one deadline, whatever they say.

    One that could not be started has not failed to end.
    """
    limit = time.monotonic() + deadline_s
    started = [_try(argv) for argv in programs]
    late = [one for one in started if one is not None and not _ends(one, limit)]
    for process in late:
        _kill(process)
    limit = time.monotonic() + REAPING_S
    for process in late:
        _ends(process, limit)
        _give_up(process)
    return tuple(one not in late for one in started)


def _try(argv: tuple[str, ...]) -> subprocess.Popen[bytes] | None:
    path = _path_of(argv[0])
    try:
        return None if path is None else _start((path, *argv[1:]), subprocess.DEVNULL)
    except (OSError, ValueError):
        return None


def _ends(process: subprocess.Popen[bytes], limit: float) -> bool:
    try:
        process.wait(max(limit - time.monotonic(), 0))
    except subprocess.TimeoutExpired:
        return False
    return True


def _path_of(program: str) -> str | None:
    paths = (f"{folder}/{program}" for folder in FOLDERS)
    return next((path for path in paths if os.access(path, os.X_OK)), None)


def _start(argv: tuple[str, ...], printed: int = subprocess.PIPE) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=printed,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env={"LC_ALL": "C.UTF-8", "PATH": ":".join(FOLDERS)},
        start_new_session=True,
    )


def _leave(process: subprocess.Popen[bytes]) -> None:
    _kill(process)
    _ends(process, time.monotonic() + REAPING_S)
    if process.stdout is not None:
        process.stdout.close()
    _give_up(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _give_up(process: subprocess.Popen[bytes]) -> None:
    if process.returncode is None:
        # It waits inside the kernel. Said to be dead, so that nobody waits for it with it.
        process.returncode = -signal.SIGKILL
