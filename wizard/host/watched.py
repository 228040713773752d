"""A program that may never answer: run with a deadline, and left behind if it cannot be ended."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass

from wizard.core.fact import Fact, Unknown

FOLDERS = ("/usr/bin", "/bin", "/usr/sbin", "/sbin")
"""Where programs are looked up: never through the user's PATH, which may hold anything."""
REAPING_S = 0.5
"""How long a killed program may take to go before it is left to the kernel."""


CHUNK = 1 << 16
ERROR_BYTES = 4096
"""Of what a program says about its failure."""
MANY_BYTES = 64 << 20
"""More than this is not taken from a program: it would have to be held in memory."""


@dataclass(frozen=True, slots=True)
class Answer:
    """All that came of a program."""

    text: str = ""
    """What it printed, as far as it was taken."""
    said: str = ""
    """What it said of its failure."""
    code: int | None = None
    """How it ended; None where it was not started, or was killed."""
    late: bool = False
    """True when its time was over."""
    cut: bool = False
    """True when it printed more than is taken."""
    gone: bool = True
    """False when it was still there long after it was killed."""


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
        return Unknown(f"{argv[0]} did not respond within {deadline_s:g} s")
    if process.returncode:
        return Unknown(f"{argv[0]} ended with code {process.returncode}")
    return printed.decode("utf-8", "replace")


def answer(
    argv: tuple[str, ...],
    deadline_s: float,
    *,
    most_bytes: int = MANY_BYTES,
    environ: Mapping[str, str] | None = None,
    reaping_s: float = REAPING_S,
) -> Answer:
    """The same, with its own words for a failure, and no more than so many bytes of it.

    A program outside the usual folders is named by its whole path. ``environ``: that of the user.
    """
    path = argv[0] if argv[0].startswith("/") else _path_of(argv[0])
    if path is None:
        return Answer(said=f"{argv[0]} is not installed")
    try:
        process = _start((path, *argv[1:]), errors=subprocess.PIPE, environ=environ)
    except (OSError, ValueError) as error:
        return Answer(said=f"{argv[0]} could not be started: {error}")
    with process:
        printed, said, ended = _heard(process, time.monotonic() + deadline_s, most_bytes)
        late = not ended and len(printed) <= most_bytes
        if not ended or not _ends(process, time.monotonic() + REAPING_S):
            _kill(process)
            _ends(process, time.monotonic() + reaping_s)
        code = process.returncode if ended else None
        gone = process.returncode is not None
        _give_up(process)
    text = printed[:most_bytes].decode("utf-8", "replace")
    cut = len(printed) > most_bytes
    return Answer(text, said.decode("utf-8", "replace").strip(), code, late, cut, gone)


def _heard(
    process: subprocess.Popen[bytes], limit: float, most_bytes: int
) -> tuple[bytes, bytes, bool]:
    """What it printed and said; False when its time was over or it went on for too long."""
    printed, said = bytearray(), bytearray()
    with selectors.DefaultSelector() as pipes:
        for pipe, into in ((process.stdout, printed), (process.stderr, said)):
            if pipe is not None:
                pipes.register(pipe, selectors.EVENT_READ, into)
        while pipes.get_map():
            ready = pipes.select(max(limit - time.monotonic(), 0))
            if not ready or len(printed) > most_bytes:
                return bytes(printed), bytes(said), False
            for key, _ in ready:
                chunk = os.read(key.fd, CHUNK)
                if not chunk:
                    pipes.unregister(key.fileobj)
                elif key.data is printed or len(said) < ERROR_BYTES:
                    key.data.extend(chunk)
    return bytes(printed), bytes(said[:ERROR_BYTES]), True


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


def _start(
    argv: tuple[str, ...],
    printed: int = subprocess.PIPE,
    errors: int = subprocess.DEVNULL,
    environ: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=printed,
        stderr=errors,
        cwd="/",
        env={"LC_ALL": "C.UTF-8", "PATH": ":".join(FOLDERS)} if environ is None else environ,
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
