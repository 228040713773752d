"""Starting a worker: torch imported under the given Python, or the words for why it is not."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from wizard.conv2d.sweep import Deadlines, StopReason, Sweep
from wizard.conv2d.verdicts import Loaded, Verdict
from wizard.conv2d.worker.channel import PROTOCOL, Worker, start_worker, worker_argv
from wizard.conv2d.worker.events import how_it_died, loaded_from
from wizard.knowledge.causes import known_text

YIELDING = {"OMP_WAIT_POLICY": "PASSIVE", "GOMP_SPINCOUNT": "0", "KMP_BLOCKTIME": "0"}
"""For the reference: idle threads of OpenMP spin otherwise, on cores that the next shape needs."""


@dataclass(frozen=True, slots=True)
class NotStarted:
    """Why there is no worker; with a verdict when torch itself is what failed."""

    trouble: StopReason
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Started:
    """A worker that is ready for commands."""

    worker: Worker
    loaded: Loaded
    child: int | None = None
    """The process that was forked ahead, if any."""


async def start(
    sweep: Sweep, role: str, spawn: bool, environ: Mapping[str, str], memory: int
) -> Started | NotStarted:
    """A worker of that role with torch imported (not for ``spawn``), within its deadline."""
    argv = worker_argv(sweep.python, role, sweep.device, spawn)
    environ = {**environ, **YIELDING} if role == "reference" else environ
    try:
        on_gpu = role == "measure" and sweep.device == "cuda"
        worker = await start_worker(argv, environ, memory, on_gpu=on_gpu)
    except (OSError, ValueError) as error:  # ValueError: a path with a null byte
        return NotStarted(no_python(sweep.python, error))
    started: Started | None = None
    try:
        answer = await _first_words(worker, sweep.python, spawn, sweep.deadlines)
        if isinstance(answer, NotStarted):
            return answer
        forks = role == "measure" and not spawn
        child = await _forked_ahead(worker, sweep.deadlines.first) if forks else None
        started = Started(worker, answer, child)
        return started
    finally:
        if started is None:
            await worker.close(patience=0)


async def _first_words(
    worker: Worker, python: str, spawn: bool, deadlines: Deadlines
) -> Loaded | NotStarted:
    """What the worker says before its first command."""
    greeted, until = False, asyncio.get_running_loop().time() + deadlines.imports
    while True:
        try:
            event = await worker.receive(until - asyncio.get_running_loop().time())
        except asyncio.TimeoutError:
            return NotStarted(import_hung(python, deadlines.imports), Verdict.HUNG)
        if event is None:
            said = how_it_died(await worker.exit_code(), worker.tail.text())
            return import_died(python, said) if greeted else NotStarted(no_worker(python, said))
        if event["event"] == "hello" and event["protocol"] == PROTOCOL:
            greeted = True
            if spawn:
                return Loaded()
        elif event["event"] == "import-failed":
            return NotStarted(import_failed(python, event["missing"], event["text"]))
        elif event["event"] == "imported" and greeted:
            return loaded_from(Loaded(), event)


async def _forked_ahead(worker: Worker, seconds: float) -> int | None:
    """The child that the worker forks before its first command; None when it says of none."""
    with suppress(asyncio.TimeoutError):
        while (event := await worker.receive(seconds)) is not None:
            if event["event"] in ("child", "fork-unsafe"):
                return event.get("pid")
    return None


def no_python(python: str, error: Exception) -> StopReason:
    """The interpreter itself cannot be started."""
    reason = getattr(error, "strerror", None) or str(error)
    return StopReason(
        f"{python} could not be started: {reason}.",
        "torch was not started, so nothing was measured.",
        "Use the Python from the environment that has torch, for example --python VENV/bin/python.",
    )


def no_worker(python: str, said: str) -> StopReason:
    """Something was started that did not become our worker."""
    return StopReason(
        f"{python} did not run the worker process: {said}.",
        "torch does not run on this Python. The worker process needs Python 3.8 or newer. "
        "Nothing was measured.",
        "Use the Python from the environment that has torch, for example --python VENV/bin/python.",
    )


def import_failed(python: str, missing: bool, text: str) -> StopReason:
    """``import torch`` raised."""
    if missing:
        return StopReason(
            f"{python} has no torch.",
            "Nothing was measured.",
            "Install a stack, or use --python to name the Python of an environment that has torch.",
        )
    known = known_text(text)
    cause = "The installation is damaged or does not fit this system"
    remedy = "Install the stack again, or choose another stack."
    if known is not None:
        cause, remedy = f"Known cause: {known.text.cause}", known.text.remedy
    return StopReason(
        f"torch is installed, but {python} cannot import it: {text}.",
        f"{cause}. Nothing was measured.",
        remedy,
    )


def import_hung(python: str, seconds: float) -> StopReason:
    """``import torch`` did not come back."""
    return StopReason(
        f"import torch did not finish within {seconds:g} s under {python} and was killed.",
        "The hang occurs while torch is loading, before any convolution. Reading torch from a "
        "slow disk for the first time can also take that "
        "long.",
        "Try again. If it happens again, reinstall torch, or allow more time with "
        "--import-deadline.",
    )


def import_died(python: str, said: str) -> NotStarted:
    """``import torch`` took its process with it."""
    trouble = StopReason(
        f"import torch crashed {python}: {said}.",
        "torch or one of its libraries does not run on this machine. Nothing was measured.",
        "Reinstall torch, or choose another stack.",
    )
    return NotStarted(trouble, Verdict.CRASHED)
