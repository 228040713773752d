"""One child process: its output as it comes, a deadline, and an end that is never waited for."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import shutil
import signal
from collections.abc import AsyncGenerator, Awaitable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from wizard.run.lines import Lines
from wizard.run.trouble import Trouble

T = TypeVar("T")

PATIENCE_S = 5.0
"""Time between SIGTERM and SIGKILL."""
WATCH_S = 30.0
"""Time that the kernel may need to end a killed process before we call it unkillable."""

_SETPRIV = "/usr/bin/setpriv"
_MORTAL = (_SETPRIV, "--pdeathsig", "KILL", "--") if os.access(_SETPRIV, os.X_OK) else ()
"""A child dies with us: a run that is killed leaves no pip at work behind it."""
_MISLEADING = frozenset(
    (
        "PYTHONHOME",
        "PYTHONPATH",
        "PYTHONSTARTUP",
        "PIP_TARGET",
        "PIP_PREFIX",
        "PIP_ROOT",
        "PIP_USER",
    )
)


@dataclass(frozen=True, slots=True)
class Exited:
    """The child ended; a negative code is the signal that ended it."""

    code: int


def child_environment(
    base: Mapping[str, str], additions: tuple[tuple[str, str], ...]
) -> dict[str, str]:
    """The caller's environment for a child: plain language, unbuffered, nobody to ask.

    Variables that would make another Python or pip write elsewhere do not reach it.
    """
    return {
        **{name: value for name, value in base.items() if name not in _MISLEADING},
        "LC_ALL": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",
        "DEBIAN_FRONTEND": "noninteractive",
        **dict(additions),
    }


async def stream(
    argv: tuple[str, ...], *, environment: Mapping[str, str], deadline_s: float
) -> AsyncGenerator[tuple[str, ...] | Exited, None]:
    """Lines as the program prints them, then how it exited.

    Raises Trouble when it cannot be started, runs past its deadline, or cannot be killed.
    Close the iterator to end the child early.
    """
    if shutil.which(argv[0], path=environment.get("PATH", os.defpath)) is None:
        raise _not_started(argv[0], "no such program")  # else setpriv would fail in its words
    process = await _start(argv, environment)
    assert process.stdout is not None  # noqa: S101 - asked for with PIPE
    limit = asyncio.get_running_loop().time() + deadline_s
    lines = Lines()
    try:
        while chunk := await _before(limit, process.stdout.read(65_536), argv, deadline_s):
            if complete := lines.feed(chunk):
                yield complete
        if rest := lines.feed(b"", final=True):
            yield rest
        yield Exited(await _before(limit, process.wait(), argv, deadline_s))
    finally:
        await end(process)


def _not_started(program: str, why: str) -> Trouble:
    return Trouble(
        f"{program} could not be started: {why}.",
        "The program is missing, or this user may not run it.",
        "Check the path, then run the same command again.",
    )


async def _start(
    argv: tuple[str, ...], environment: Mapping[str, str]
) -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
            *_MORTAL,
            *argv,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=dict(environment),
            start_new_session=True,
        )
    except OSError as error:
        raise _not_started(argv[0], error.strerror or "") from None


async def _before(limit: float, wanted: Awaitable[T], argv: tuple[str, ...], given_s: float) -> T:
    try:
        return await asyncio.wait_for(wanted, limit - asyncio.get_running_loop().time())
    except asyncio.TimeoutError:
        raise Trouble(
            f"{shlex.join(argv)} did not end within {given_s:.0f} s and was ended.",
            "It may wait for something that does not come, such as a slow network or disk.",
            "Run the same command again: what was finished is kept.",
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
        f"Process {process.pid} ignores SIGKILL (it waits inside the kernel).",
        "Its device or disk does not answer; it is left alone, and nothing else was started.",
        f"Look at `ps -o pid,stat,wchan,comm -p {process.pid}`; often only a restart helps.",
    )


def _signal(session: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(session, number)
