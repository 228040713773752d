"""One child process: its output as it comes, a deadline, and an end that is never waited for."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import shlex
import shutil
import signal
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Iterable,
    Mapping,
)
from dataclasses import dataclass
from typing import TypeVar

from wizard.core.credentials import redact
from wizard.core.lines import Lines
from wizard.core.trouble import Trouble

T = TypeVar("T")

PATIENCE_S = 5.0
"""Time between SIGTERM and SIGKILL."""
WATCH_S = 30.0
"""Time that the kernel may need to end a killed process before we call it unkillable."""
LAST_WORDS_S = 2.0
"""Time for output after a program's end: something that it left behind may keep the pipe open."""

PIPE_BYTES = 1 << 20
"""Room for what a program prints while we are busy: on a full machine it waits less for us."""

_SETPRIV = "/usr/bin/setpriv"
_MORTAL = (_SETPRIV, "--pdeathsig", "KILL", "--") if os.access(_SETPRIV, os.X_OK) else ()
"""A child dies with us: a run that is killed leaves no installer at work behind it."""
_MISLEADING = frozenset(("PYTHONHOME", "PYTHONPATH", "PYTHONSTARTUP"))
_UV_SOURCES = frozenset(
    f"UV_{name}"
    for name in (
        "CONFIG_FILE",
        "HTTP_RETRIES",
        "HTTP_TIMEOUT",
        "INSECURE_HOST",
        "NATIVE_TLS",
        "OFFLINE",
        "PYTHON_DOWNLOADS_JSON_URL",
        "PYTHON_INSTALL_MIRROR",
        "SYSTEM_CERTS",
    )
)
"""Where Pythons come from, and how, is the user's to say; of packages pip's settings say it."""


@dataclass(frozen=True, slots=True)
class Exited:
    """The child ended; a negative code is the signal that ended it."""

    code: int


def child_environment(
    base: Mapping[str, str], additions: tuple[tuple[str, str], ...]
) -> dict[str, str]:
    """The caller's environment for a child: plain language, unbuffered, nobody to ask.

    Variables that would make another Python, pip or uv do something else do not reach it.
    """
    return {
        **{name: value for name, value in base.items() if _may_reach_a_child(name)},
        "LC_ALL": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",
        "DEBIAN_FRONTEND": "noninteractive",
        **dict(additions),
    }


def _may_reach_a_child(name: str) -> bool:
    if name.startswith(("PIP_", "UV_")):
        return name in _UV_SOURCES
    return name not in _MISLEADING


async def stream(
    argv: tuple[str, ...], *, environment: Mapping[str, str], deadline_s: float
) -> AsyncGenerator[tuple[str, ...] | Exited, None]:
    """Lines as the program prints them, then how it exited.

    Raises Trouble when it cannot be started, runs past its deadline, or cannot be killed.
    Close the iterator to end the child early.
    """
    if shutil.which(argv[0], path=environment.get("PATH", os.defpath)) is None:
        raise _not_started(argv[0], "no such program")  # else setpriv would fail in its words
    process, output, pipe = await _start(argv, environment)
    ended = asyncio.ensure_future(process.wait())
    loop = asyncio.get_running_loop()
    ended.add_done_callback(lambda _: loop.call_later(LAST_WORDS_S, pipe.close))
    limit, lines = loop.time() + deadline_s, Lines()
    try:
        while chunk := await _before(limit, output.read(65_536), argv, deadline_s):
            if complete := lines.feed(chunk):
                yield complete
        if rest := lines.feed(b"", final=True):
            yield rest
        yield Exited(await _before(limit, ended, argv, deadline_s))
    finally:
        ended.cancel()
        pipe.close()
        await end(process)


def _not_started(program: str, why: str) -> Trouble:
    return Trouble(
        f"{program} could not be started: {why}.",
        "The program is missing, or you do not have permission to run it.",
        "Check the path, then run the same command again.",
    )


async def _start(
    argv: tuple[str, ...], environment: Mapping[str, str]
) -> tuple[asyncio.subprocess.Process, asyncio.StreamReader, asyncio.ReadTransport]:
    """The child, and its output through a pipe of our own.

    asyncio's own pipe would keep ``wait()`` waiting for whoever holds it after the child's end.
    """
    ours, theirs = os.pipe()
    with contextlib.suppress(OSError):  # a user may have no more than so much in pipes
        fcntl.fcntl(ours, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    output, pipe = await _reader(ours)
    try:
        child = await asyncio.create_subprocess_exec(
            *_MORTAL,
            *argv,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=theirs,
            stderr=asyncio.subprocess.STDOUT,
            env=dict(environment),
            start_new_session=True,
        )
    except BaseException as error:  # a cancellation must not leave the pipe open either
        pipe.close()
        if isinstance(error, OSError):
            raise _not_started(argv[0], error.strerror or "") from None
        raise
    finally:
        os.close(theirs)
    return child, output, pipe


async def _reader(descriptor: int) -> tuple[asyncio.StreamReader, asyncio.ReadTransport]:
    output = asyncio.StreamReader()
    pipe, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(output), os.fdopen(descriptor, "rb", buffering=0)
    )
    return output, pipe


async def _before(limit: float, wanted: Awaitable[T], argv: tuple[str, ...], given_s: float) -> T:
    try:
        return await asyncio.wait_for(wanted, limit - asyncio.get_running_loop().time())
    except asyncio.TimeoutError:
        raise Trouble(
            f"{redact(shlex.join(argv))} did not finish within {given_s:.0f} s and was stopped.",
            "The program may be waiting for a slow network or disk.",
            "Run the same command again. Finished steps are kept.",
        ) from None


async def end(process: asyncio.subprocess.Process) -> None:
    """End the child's whole session: SIGTERM, patience, SIGKILL; raises Trouble if it stays."""
    if process.returncode is not None:
        _signal(process.pid, signal.SIGKILL)  # what it left behind in its session
        return
    for number, wait_s in ((signal.SIGTERM, PATIENCE_S), (signal.SIGKILL, WATCH_S)):
        _signal(process.pid, number)
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(process.wait(), wait_s)
            return
    raise Trouble(
        f"Process {process.pid} cannot be killed (it is waiting inside the kernel).",
        (
            "A device or disk is not responding. The process was left alone, and nothing else "
            "was started."
        ),
        f"Check it with `ps -o pid,stat,wchan,comm -p {process.pid}`. Often, the only fix is to "
        "restart the machine.",
    )


def _signal(session: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(session, number)


def on_signals(numbers: Iterable[signal.Signals], call: Callable[[], object]) -> None:
    """Call this when one of these signals comes, but for those that were ignored from the start.

    nohup has a hang-up ignored, and a shell Ctrl+C by what a script starts behind itself.
    """
    for number in numbers:
        if signal.getsignal(number) is not signal.SIG_IGN:
            asyncio.get_running_loop().add_signal_handler(number, call)
