"""Starting a worker: torch imported under the given Python, or the words for why it is not."""

from __future__ import annotations

import asyncio
import fcntl
import math
import os
import shutil
from collections.abc import Hashable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple

from wizard.conv2d.shapes import Row, Setting
from wizard.conv2d.sweep import LOGGING, Deadlines, StopReason, Sweep, how_it_died, loaded_from
from wizard.conv2d.verdicts import Loaded, Verdict
from wizard.conv2d.worker.process import PROTOCOL, Worker, start_worker, worker_argv
from wizard.core.own_files import places
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


LOCK = "in-use"
FOLDERS = {
    "MIOPEN_USER_DB_PATH": "choices",
    "MIOPEN_CUSTOM_CACHE_DIR": "kernels",
    "TMPDIR": "compiler",
}
"""Found solvers, compiled kernels, and where comgr compiles (it asks for TMPDIR)."""


@dataclass(slots=True)
class Isolation:
    """Folders of one run, one for each way of measuring, made when they are asked for."""

    base: Path
    """Below it each run has a folder."""
    keep: bool = False
    root: Path | None = None
    lock: int = -1
    numbers: dict[Hashable, int] = field(default_factory=dict)

    def folder(self, way: Hashable) -> Path:
        """The folder of one way of measuring. Raises ``OSError`` where none can be made."""
        root = self.root or self._begin()
        folder = root / str(self.numbers.setdefault(way, len(self.numbers)))
        for name in FOLDERS.values():
            (folder / name).mkdir(parents=True, exist_ok=True)
        return folder

    def forget(self, way: Hashable) -> None:
        """Let what was found on this way count no more."""
        if self.root is not None and way in self.numbers:
            shutil.rmtree(self.root / str(self.numbers[way]), ignore_errors=True)

    def close(self) -> Path | None:
        """Remove everything; gives the folder where it is to be kept."""
        root, self.root = self.root, None
        if root is None:
            return None
        if not self.keep:
            shutil.rmtree(root, ignore_errors=True)
        os.close(self.lock)
        return root if self.keep else None

    def _begin(self) -> Path:
        self.base.mkdir(parents=True, exist_ok=True)
        if not self.keep:
            for left in self.base.iterdir():
                _clear_if_left(left)
        self.root = Path(mkdtemp(prefix="run-", dir=self.base))
        self.lock = os.open(self.root / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        return self.root


def isolation(environ: Mapping[str, str], *, keep: bool) -> Isolation:
    """For one run; nothing is made before it is needed."""
    home = environ.get("HOME") or str(Path.home())
    name = "conv2d-kept" if keep else "conv2d"
    return Isolation(Path(places(environ, home).cache) / name, keep)


def leading_to(folder: Path) -> dict[str, str]:
    """The variables that lead MIOpen there."""
    return {variable: str(folder / name) for variable, name in FOLDERS.items()}


def _clear_if_left(folder: Path) -> None:
    """Remove what a run left that was killed: nobody holds its lock any more."""
    with suppress(OSError):
        lock = os.open(folder / LOCK, os.O_RDWR)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(lock)


class Way(NamedTuple):
    """What parents differ in."""

    spawn: bool
    """A new interpreter for each shape."""
    setting: Setting = ()
    """Variables on top of the environment."""
    log: bool = False

    @classmethod
    def of(cls, row: Row, spawn: bool) -> Way:
        """That of a row."""
        return cls(spawn, row.setting, row.log)

    def environment(self, base: Mapping[str, str], databases: Path | None) -> dict[str, str]:
        """The environment of its parents, with MIOpen's databases in that folder, if any."""
        led = {} if databases is None else leading_to(databases)
        return {**base, **dict(LOGGING if self.log else ()), **led, **dict(self.setting)}


@dataclass(frozen=True, slots=True)
class Part:
    """How far one of the tensors that a measurement gives is from the reference."""

    name: str
    max_abs_error: float | None
    """None when not all numbers are finite."""
    nonfinite: int
    usual: float | None = None
    """The mean size of the right numbers, where nobody else knows it."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How far each part of a result is from the reference; none, and why nobody knows."""

    parts: tuple[Part, ...] = ()
    failure: str = ""


@dataclass(slots=True)
class Reference:
    """The reference worker; it is broken once it has missed a deadline or ended."""

    worker: Worker
    seconds: float
    broken: bool = False

    async def compare(self, command: dict[str, Any], parts: list[Any]) -> Comparison:
        """Compare the shared memory with the reference of that command.

        Nothing is worked out before: it would take processors from what drives the card, and the
        times would not be the card's alone.
        """
        self.worker.send({**command, "do": "compare", "parts": parts})
        until = asyncio.get_running_loop().time() + self.seconds
        while True:
            left = until - asyncio.get_running_loop().time()
            try:
                event = await self.worker.receive(left)
            except asyncio.TimeoutError:
                return self._failed(f"the reference took more than {self.seconds:g} s")
            if event is None:
                return self._failed("the process of the reference died; " + self.worker.tail.text())
            if event.get("ticket") == command["ticket"]:
                return _comparison(event)

    def _failed(self, why: str) -> Comparison:
        self.broken = True
        return Comparison(failure=why)


def _comparison(event: dict[str, Any]) -> Comparison:
    if event["event"] == "failed":
        return Comparison(failure=str(event["text"]))
    parts = tuple(Part(**part) for part in event["parts"])
    errors = [part.max_abs_error for part in parts if part.max_abs_error is not None]
    if not all(map(math.isfinite, errors)):
        return Comparison(failure="the reference itself is infinite or not a number")
    return Comparison(parts)
