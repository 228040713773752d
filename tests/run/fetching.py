"""A fetch step for files on the tests' server, and the means to walk it without waiting."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import parse_wheel_filename

from tests.run.server import sha256_of
from wizard.core.events import Output, Progress
from wizard.plan.steps import FetchWheels
from wizard.run.downloads.fetch import fetch_wheels


@dataclass(frozen=True, slots=True)
class Chosen:
    """A wheel as the resolver names it: the file, its address, the hash that was published."""

    wheel: Path
    address: str
    sha256: str

    @classmethod
    def published(cls, wheel: Path, address: str) -> Chosen:
        """With the right hash."""
        return cls(wheel, address, sha256_of(wheel))


def make_step(
    folder: Path, *chosen: Chosen, hashes: tuple[tuple[str, str], ...] = ()
) -> FetchWheels:
    """A step below ``folder`` and the report that it reads."""
    report = folder / "report.json"
    install = [_item(one) for one in chosen]
    report.write_text(json.dumps({"version": "1", "pip_version": "26.3", "install": install}))
    return FetchWheels(
        "a test",
        str(report),
        str(folder / "staging"),
        str(folder / "lock.txt"),
        "nothing",
        hashes=hashes,
    )


def _item(chosen: Chosen) -> dict[str, object]:
    name, version, _, _ = parse_wheel_filename(chosen.wheel.name)
    archive = {"hashes": {"sha256": chosen.sha256}} if chosen.sha256 else {}
    return {
        "download_info": {"url": chosen.address, "archive_info": archive},
        "is_direct": False,
        "is_yanked": False,
        "requested": True,
        "metadata": {"name": name, "version": str(version)},
    }


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


def fetched(
    step: FetchWheels,
    *,
    indexes: tuple[str, ...] = (),
    clock: Callable[[], float] | None = None,
    waits: list[float] | None = None,
) -> list[Progress | Output]:
    """All events of the step, without a real wait."""
    waited = [] if waits is None else waits
    return list(
        fetch_wheels(
            step,
            cancelled=never,
            indexes=indexes,
            clock=clock or ticking(0.01),
            wait=waited.append,
        )
    )


def text_of(events: list[Progress | Output]) -> str:
    """What was said, as one text."""
    return "\n".join(line for event in events if isinstance(event, Output) for line in event.lines)
