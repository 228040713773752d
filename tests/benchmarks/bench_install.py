"""How long an installation takes beside ``uv pip install`` of the same lock.

Run: python -m tests.benchmarks.bench_install [--rounds N] [--room] [--folder DIR].

The same wheels from the same local server, throttled to 200 MB/s, into new environments, with no
cache of pip or uv filled before, in turn. The wheels are made here: libraries, headers and Python
sources, about as many as torch for the processor brings with all that it needs. ``ours`` are all
steps of the plan ``cpu``; ``uv`` makes an environment and installs the lock that our run wrote,
with byte code. With --room it prints the most bytes that our run held on the disk at once instead.
"""

from __future__ import annotations

import argparse
import asyncio
import ensurepip
import multiprocessing
import os
import random
import shutil
import statistics
import subprocess
import sys
import sysconfig
import threading
import time
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

from uv import find_uv_bin

from tests.e2e.small_torch import SOURCE, VERSION
from tests.handmade import clean_jammy
from tests.run.answers import Answer, Manner
from tests.run.server import WheelIndex
from tests.run.wheels import make_wheel
from wizard.core.events import StepFailed, StepFinished
from wizard.core.own_files import places
from wizard.operations.create_environment import CreateEnvironment
from wizard.operations.fetch_wheels import FetchWheels
from wizard.plan.choice import Choice
from wizard.plan.planner import make_plan
from wizard.plan.steps import Plan
from wizard.report.plan import most_bytes
from wizard.run.executor import Live

BYTES_A_SECOND = 200_000_000
PIECE = 1 << 18
GOAL = 1.3
ROUNDS = 3
MB = 1_000_000
LOOK_S = 0.1


class Line:
    """A line that all connections share: who sends waits for its turn."""

    def __init__(self, bytes_a_second: int) -> None:
        self._rate = bytes_a_second
        self._free_at = 0.0
        self._lock = threading.Lock()

    def take(self, count: int) -> None:
        """Return when so many bytes have passed."""
        with self._lock:
            now = time.monotonic()
            self._free_at = max(now, self._free_at) + count / self._rate
            wait_s = self._free_at - now
        time.sleep(wait_s)


class Throttled(Answer):
    """One connection on the shared line."""

    line: ClassVar = Line(BYTES_A_SECOND)

    def setup(self) -> None:
        """Without the small buffers that counting needs."""
        super(Answer, self).setup()

    def _send(self, path: str, body: bytes, manner: Manner) -> None:
        view = memoryview(body)
        try:
            for at in range(0, len(view), PIECE):
                piece = view[at : at + PIECE]
                self.line.take(len(piece))
                self.wfile.write(piece)
        except OSError:
            self.close_connection = True


class ThrottledIndex(WheelIndex):
    """A package index on a line of 200 MB/s."""

    answers = Throttled


def serve(folder: Path, told: Connection) -> None:
    """Serve the wheels until the other end of the pipe is closed; sends the index's address."""
    with ThrottledIndex(folder.glob("*.whl"), metadata=True) as index:
        told.send(index.simple)
        told.recv()


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of an index in a process of its own."""
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(folder, theirs))
    server.start()
    try:
        yield ours.recv()
    finally:
        ours.send("enough")
        server.join()


def make_wheels(folder: Path) -> None:
    """Wheels of 1,900 sources, 5,000 headers and 500 MB of libraries."""
    folder.mkdir()
    shutil.copy(next(Path(ensurepip.__file__).parent.glob("_bundled/pip-*.whl")), folder)
    _wheel(folder, "setuptools", "80.0", _sources("setuptools", 150))
    needs = ("numpy", "sympy", *(f"small{number}" for number in range(6)))
    torch = {"torch/__init__.py": SOURCE, **_sources("torch/_all", 900), **_headers("torch", 5000)}
    torch |= {f"torch/lib/lib{number}.so": _library(number, 75) for number in range(6)}
    _wheel(folder, "torch", VERSION, torch, needs)
    libraries = {f"numpy/lib{number}.so": _library(number, 10) for number in range(5)}
    version = {"numpy/__init__.py": "__version__ = '2.4.6'\n"}
    _wheel(folder, "numpy", "2.4.6", {**version, **_sources("numpy/_all", 250), **libraries})
    _wheel(folder, "sympy", "1.14", _sources("sympy", 650))
    for name in needs[2:]:
        _wheel(folder, name, "1.0", _sources(name, 15))


def _wheel(
    folder: Path,
    name: str,
    version: str,
    files: Mapping[str, str | bytes],
    needs: Sequence[str] = (),
) -> None:
    make_wheel(folder, name, version, files, requires=needs, compression=zipfile.ZIP_DEFLATED)


def _sources(package: str, count: int) -> dict[str, str | bytes]:
    """Sources of the standard library under other names: as long to compile as any."""
    found = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    texts = [path.read_bytes() for path in found]
    return {f"{package}/m{number}.py": texts[number % len(texts)] for number in range(count)}


def _headers(package: str, count: int) -> dict[str, str | bytes]:
    line = "// A header has about so many lines, and there are thousands of them.\n"
    return {f"{package}/include/h{number}.h": line * (number % 60) for number in range(count)}


def _library(seed: int, megabytes: int) -> bytes:
    """Bytes that shrink to two fifths, as the libraries of torch do."""
    chance = random.Random(seed)  # noqa: S311 - padding, no secret
    return b"".join(chance.randbytes(40_000) + bytes(60_000) for _ in range(megabytes * 10))


Steps = Mapping[str, float]
"""How many seconds each step of one installation took."""


def ours(home: Path, index: str, lock: Path) -> Steps:
    """All steps of our plan; the lock is kept."""
    environ, plan = _environ(home, index), plan_of(home, index)
    steps = tuple(
        replace(step, python=sys.executable) if isinstance(step, CreateEnvironment) else step
        for step in plan.steps
    )
    executor = Live(places(environ, str(home)), environ)
    return asyncio.run(_carried_out(replace(plan, steps=steps), executor, lock))


def plan_of(home: Path, index: str) -> Plan:
    """The plan ``cpu`` for a folder of this home."""
    choice = Choice("cpu", "venv", str(home / "venv"), torch_index=index)
    own = places(_environ(home, index), str(home))
    return make_plan(replace(clean_jammy(), uv=find_uv_bin()), choice, own)


async def _carried_out(plan: Plan, executor: Live, lock: Path) -> Steps:
    took: dict[str, float] = {}
    async with aclosing(executor.carry_out(plan)) as events:
        async for event in events:
            match event:
                case StepFinished():
                    step = plan.steps[event.number - 1]
                    took[f"{event.number}. {step.title}"] = event.seconds
                    if isinstance(step, FetchWheels):  # it goes with the downloads
                        shutil.copy(step.lock, lock)
                case StepFailed():
                    raise SystemExit(f"{event.happened} {event.meaning}")
                case _:
                    pass
    return took


def uv(home: Path, index: str, lock: Path) -> Steps:
    """The same lock by uv alone."""
    python = str(home / "venv/bin/python")
    calls = {
        "create": ("venv", "--python", sys.executable, str(home / "venv")),
        "install": (
            *("pip", "install", "--python", python, "--index-url", index, "--require-hashes"),
            *("--requirement", str(lock), "--compile-bytecode"),
        ),
    }
    took = {}
    for name, words in calls.items():
        began = time.monotonic()
        argv = (find_uv_bin(), *words, "--no-config")
        subprocess.run(argv, env=_environ(home, index), check=True, capture_output=True)
        took[name] = time.monotonic() - began
    return took


def _environ(home: Path, index: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return {**kept, "HOME": str(home), "PIP_INDEX_URL": index, "no_proxy": "127.0.0.1"}


@contextmanager
def new_home(folder: Path) -> Iterator[Path]:
    """A home in which nothing was ever fetched."""
    with TemporaryDirectory(prefix="home-", dir=folder) as home:
        yield Path(home)


def measure_time(folder: Path, index: str, rounds: int) -> bool:
    """Print the medians of each step and the ratio; True within the goal."""
    lock, pairs = folder / "lock.txt", list[tuple[Steps, Steps]]()
    for _ in range(rounds):
        with new_home(folder) as home:
            mine = ours(home, index, lock)
        with new_home(folder) as home:
            pairs.append((mine, uv(home, index, lock)))
        print(*(f"{sum(side.values()):.1f} s" for side in pairs[-1]), sep=" against ", flush=True)
    for side in zip(*pairs, strict=True):
        for name in side[0]:
            print(f"{statistics.median(took[name] for took in side):8.1f} s  {name}")
        print(f"{statistics.median(sum(took.values()) for took in side):8.1f} s  together")
    ratio = statistics.median(sum(a.values()) / sum(b.values()) for a, b in pairs)
    verdict = "within" if ratio <= GOAL else "OVER"
    print(f"median ratio {ratio:.2f} ({verdict} the goal of {GOAL}; {rounds} pairs)")
    return ratio <= GOAL


def measure_room(folder: Path, index: str) -> None:
    """Print the most bytes that our run held on the disk at once, and what it leaves there."""
    peak, over = 0, threading.Event()
    with new_home(folder) as home:

        def look() -> None:
            nonlocal peak
            while not over.wait(LOOK_S):
                peak = max(peak, bytes_in(home))

        watching = threading.Thread(target=look)
        watching.start()
        try:
            ours(home, index, folder / "lock.txt")
        finally:
            over.set()
            watching.join()
        wheels, stays = bytes_in(folder / "wheels"), bytes_in(home)
        print(f"at most {peak // MB} MB on disk at once, {stays // MB} MB at the end")
        sized = replace(plan_of(home, index), download_bytes=wheels, installed_bytes=stays)
        print(f"Review says at most {(most_bytes(sized, None) or 0) // MB} MB, with those sizes")


def bytes_in(folder: Path) -> int:
    """Bytes on disk of all files, each once however many names it has."""
    found: dict[int, int] = {}
    for at, _, names in os.walk(folder):
        for name in names:
            try:
                seen = os.lstat(os.path.join(at, name))  # noqa: PTH118 - thousands of looks
            except OSError:
                continue
            found[seen.st_ino] = seen.st_blocks * 512
    return sum(found.values())


def main() -> int:
    """Measure what the command line asks for; 1 when the goal was missed."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--rounds", type=int, default=ROUNDS)
    asked.add_argument("--room", action="store_true", help="measure room on disk, not time")
    asked.add_argument("--folder", help="where to install; default: a temporary folder")
    wanted = asked.parse_args()
    with TemporaryDirectory(prefix="bench-", dir=wanted.folder) as name:
        folder = Path(name)
        make_wheels(folder / "wheels")
        with serving(folder / "wheels") as index:
            if wanted.room:
                measure_room(folder, index)
                return 0
            return 0 if measure_time(folder, index, wanted.rounds) else 1


if __name__ == "__main__":
    sys.exit(main())
