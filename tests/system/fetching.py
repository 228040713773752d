"""Wheels on the tests' server, and the means to fetch them without waiting."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import parse_wheel_filename

from tests.run.server import sha256_of
from wizard.core.events import Output, Progress
from wizard.system.downloads import Received, fetch_files, wanted_in
from wizard.system.lock import Wheel, write_requirements

FETCH = (
    "import os, sys\n"
    "from pathlib import Path\n"
    "from wizard.system.downloads import fetch_files, wanted_in\n"
    "from wizard.system.lock import read_wheels\n"
    "wheels, staging = read_wheels(Path(sys.argv[1])), Path(sys.argv[2])\n"
    "files = wanted_in(staging, wheels)\n"
    "for _ in fetch_files(files, staging, cancelled=lambda: False, environ=os.environ): pass\n"
)
"""The same in a process of its own: the lock and the staging folder are its arguments."""


def chosen(wheel: Path, address: str, sha256: str | None = None, size: int | None = None) -> Wheel:
    """A wheel as the resolver names it; with the right hash unless another is given."""
    name, version, _, _ = parse_wheel_filename(wheel.name)
    sha256 = sha256_of(wheel) if sha256 is None else sha256
    return Wheel(str(name), str(version), wheel.name, address, sha256, size)


@dataclass(frozen=True, slots=True)
class Fetch:
    """What is fetched, and where it goes."""

    folder: Path
    wheels: tuple[Wheel, ...]

    @property
    def staging(self) -> Path:
        """The folder of the files."""
        return self.folder / "staging"

    @property
    def lock(self) -> Path:
        """What the installation reads."""
        return self.folder / "lock.txt"


def fetch_of(folder: Path, *wheels: Wheel) -> Fetch:
    """Of these wheels, below ``folder``."""
    return Fetch(folder, wheels)


def never() -> bool:
    """Nobody cancels."""
    return False


def ticking(step_s: float) -> Callable[[], float]:
    """A clock that goes on by the same time at every look."""

    def ticks() -> Iterator[float]:
        now = 0.0
        while True:
            yield now
            now += step_s

    return ticks().__next__


def fetching(
    fetch: Fetch,
    *,
    cancelled: Callable[[], bool] = never,
    indexes: tuple[str, ...] = (),
    clock: Callable[[], float] | None = None,
    wait: Callable[[float], None] | None = None,
) -> Iterator[Progress | Output]:
    """Fetch, and write what the installation reads."""
    received = Received()
    yield from fetch_files(
        wanted_in(fetch.staging, fetch.wheels),
        fetch.staging,
        cancelled=cancelled,
        environ=os.environ,
        indexes=indexes,
        clock=clock or ticking(0.01),
        wait=wait,
        received=received,
    )
    if not cancelled():
        pairs = ((each, received.hashes[each.file]) for each in fetch.wheels)
        write_requirements(fetch.lock, pairs)


def fetched(
    fetch: Fetch,
    *,
    indexes: tuple[str, ...] = (),
    clock: Callable[[], float] | None = None,
    waits: list[float] | None = None,
) -> list[Progress | Output]:
    """All events, without a real wait."""
    waited = [] if waits is None else waits
    return list(fetching(fetch, indexes=indexes, clock=clock, wait=waited.append))


def text_of(events: list[Progress | Output]) -> str:
    """What was said, as one text."""
    return "\n".join(line for event in events if isinstance(event, Output) for line in event.lines)
