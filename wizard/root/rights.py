"""How the root helper is started: through sudo, on the real terminal, and nothing else is."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import termios
from collections.abc import Iterator, Mapping
from contextlib import aclosing, contextmanager
from typing import Any, Protocol

from assets import FOLDER
from wizard.core.process import Exited, child_environment, end, stream
from wizard.core.trouble import Trouble

HELPER = FOLDER / "root"
PYTHON = "/usr/bin/python3"
"""The system's own: a venv's lies in a folder that is not root's."""
NEEDED = "import fcntl, json, subprocess, termios"
"""What a cut-down Python of the smallest containers lacks."""
ASKING_S = 1800.0
"""For a person to type a password and a yes."""


class AskForRights(Protocol):
    """Runs one program while the terminal is its own, and gives its exit code.

    The program reads and writes the two descriptors and asks on ``/dev/tty`` by itself. It ends as
    soon as it was answered, and what it has handed its work to goes on.
    """

    async def __call__(self, argv: tuple[str, ...], stdin: int, stdout: int) -> int:
        """The exit code, negative for a signal."""


async def ask_here(argv: tuple[str, ...], stdin: int, stdout: int) -> int:
    """For callers that draw nothing on the terminal."""
    with given_back():
        process = await asyncio.create_subprocess_exec(*argv, stdin=stdin, stdout=stdout)
        try:
            return await asyncio.wait_for(process.wait(), ASKING_S)
        except asyncio.TimeoutError:
            return -1
        finally:
            if process.returncode is None:
                await end(process)


@contextmanager
def given_back() -> Iterator[None]:
    """Afterwards the terminal is set as before, and not left to a group of processes that is dead.

    Programs that ask do this by themselves, unless somebody kills them.
    """
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        yield
        return
    try:
        settings, group = termios.tcgetattr(terminal), os.tcgetpgrp(terminal)
        try:
            yield
        finally:
            _give_back(terminal, settings, group)
    finally:
        os.close(terminal)


def _give_back(terminal: int, settings: list[Any], group: int) -> None:
    masked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
    try:
        if _is_nobody(os.tcgetpgrp(terminal)):
            os.tcsetpgrp(terminal, group)
        if os.tcgetpgrp(terminal) == group:
            termios.tcsetattr(terminal, termios.TCSANOW, settings)
    except (OSError, termios.error):  # it was closed meanwhile
        return
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, masked)


def _is_nobody(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except OSError as error:  # also a refusal: then it is somebody's
        return isinstance(error, ProcessLookupError)
    return False


async def helper_argv(environ: Mapping[str, str], by_hand: tuple[str, ...]) -> tuple[str, ...]:
    """The command line that starts the helper; raises Trouble where it cannot be started."""
    await _require_python(child_environment(environ, ()))
    start = (PYTHON, "-I", "-B", str(HELPER))
    if os.geteuid() == 0:
        return start
    sudo = shutil.which("sudo", path=environ.get("PATH", os.defpath))
    if sudo is None:
        raise Trouble(
            "sudo is not installed.",
            "These steps need root, and this program uses sudo to become root.",
            _hand_work("Install it as root (`su -c 'apt-get install sudo'`)", by_hand),
        )
    return (sudo, "--", *start)


async def _require_python(environment: Mapping[str, str]) -> None:
    argv = (PYTHON, "-I", "-c", NEEDED)
    async with aclosing(stream(argv, environment=environment, deadline_s=20)) as output:
        async for item in output:
            if isinstance(item, Exited) and item.code:
                raise Trouble(
                    f"{PYTHON} lacks parts of its standard library.",
                    (
                        "Minimal systems have a stripped-down Python, and the root helper needs "
                        "the full one."
                    ),
                    "Install the full Python with `sudo apt-get install python3`. Then start "
                    "rdna1-setup again.",
                )


def not_granted(code: int, by_hand: tuple[str, ...]) -> Trouble:
    """Why the helper never said a word: sudo did not start it."""
    if os.geteuid() == 0:
        return Trouble(
            f"The root helper ended without a message (exit code {code}).",
            "The root helper was started, but something ended it immediately.",
            "Read the messages in the terminal, and please report the problem.",
        )
    if code < 0:
        return Trouble(
            "The password prompt was interrupted.",
            "Nothing was changed.",
            _hand_work("Start again when you are ready", by_hand),
        )
    return Trouble(
        f"sudo did not grant root rights (exit code {code}).",
        "The wrong password was entered three times, the prompt was interrupted, or this account "
        "is not allowed to use sudo. The terminal shows sudo's message. Nothing was changed.",
        _hand_work(
            ("Start again, or ask the administrator of this machine to add you to the group sudo"),
            by_hand,
        ),
    )


def _hand_work(first: str, by_hand: tuple[str, ...]) -> str:
    if not by_hand:
        return f"{first}."
    return f"{first}. Or read the steps and run them as root yourself: {'; '.join(by_hand)}"
