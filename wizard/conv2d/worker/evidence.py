"""What can be seen of a worker from outside while it does not answer: two looks, and what changed.

Nothing here asks the card itself: a driver that is stuck would not answer either. How busy the card
is comes from a file of its driver, through whoever knows which card it is.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from wizard.conv2d.worker.hang_classes import Evidence
from wizard.conv2d.worker.miopen_log import Reading
from wizard.knowledge.causes import KernelLine

COMPILERS = ("clang", "amdclang", "hipcc", "ld.lld", "lld", "llc", "cc1plus")
"""Programs that MIOpen or a wheel of its own starts to compile, by the begin of their names."""
MOST_FILES = 5000
"""Files of a cache that are looked at; more would take longer than a look may."""


@dataclass(frozen=True, slots=True)
class Look:
    """A worker and all below it at one moment."""

    at_s: float
    processor_s: float
    """Seconds on the processor so far, of all processes that are there now."""
    gpu_percent: int | None
    cache_bytes: int
    log_lines: int
    state: str
    waits_in: str
    compilers: tuple[str, ...]


def nobody_knows() -> None:
    """How busy a card is whose driver has no word for it."""


@dataclass(frozen=True, slots=True)
class Sources:
    """What can be looked at beside the processes themselves."""

    gpu_percent: Callable[[], int | None] = nobody_knows
    """How busy the card is now; None when nobody can say."""
    caches: tuple[Path, ...] = ()
    """Folders that grow while something is compiled."""
    kernel_lines: Callable[[float], tuple[KernelLine, ...]] = lambda began_s: ()
    """What the driver has written since then (``CLOCK_MONOTONIC``)."""


@dataclass(frozen=True, slots=True)
class Witness:
    """Looks at one worker's child; every look takes milliseconds and raises nothing."""

    pid: int
    sources: Sources
    log_lines: int
    """How many lines MIOpen has written so far."""

    def look(self) -> Look:
        """How things are now; of a process that is gone, nothing but the time."""
        processes = self._processes()
        return Look(
            at_s=time.monotonic(),
            processor_s=sum(map(_processor_s, processes)),
            gpu_percent=self.sources.gpu_percent(),
            cache_bytes=sum(_bytes_below(folder) for folder in self.sources.caches),
            log_lines=self.log_lines,
            state=_state(self.pid),
            waits_in=_waits_in(self.pid),
            compilers=tuple(filter(_is_compiler, map(_name, processes))),
        )

    def _processes(self) -> list[psutil.Process]:
        with suppress(psutil.Error):
            process = psutil.Process(self.pid)
            return [process, *process.children(recursive=True)]
        return []


def between(
    first: Look,
    second: Look,
    *,
    phase: str,
    reading: Reading | None,
) -> Evidence:
    """What two looks, some seconds apart, say together."""
    seconds = max(second.at_s - first.at_s, 1e-3)
    percents = [p for p in (first.gpu_percent, second.gpu_percent) if p is not None]
    return Evidence(
        phase=phase,
        reading=reading,
        new_log_lines=max(0, second.log_lines - first.log_lines),
        cache_grew=second.cache_bytes > first.cache_bytes,
        compilers=second.compilers,
        cores=max(0.0, second.processor_s - first.processor_s) / seconds,
        gpu_percent=round(sum(percents) / len(percents)) if percents else None,
        state=second.state,
        waits_in=second.waits_in,
    )


def _processor_s(process: psutil.Process) -> float:
    """Seconds for which it computed, or would have on a machine that is less busy."""
    with suppress(psutil.Error):
        times = process.cpu_times()
        return float(times.user + times.system) + _queued_s(process.pid)
    return 0.0


def _queued_s(pid: int) -> float:
    """Seconds for which its threads were ready to run and waited for a processor."""
    waited_ns = 0
    with suppress(OSError, ValueError, IndexError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            # Time on a processor, time ready and waiting (both ns), turns: Linux's schedstat.
            waited_ns += int((thread / "schedstat").read_text("ascii").split()[1])
    return waited_ns / 1e9


def _name(process: psutil.Process) -> str:
    """As the kernel has it. psutil would read the command line of long names, which blocks for as
    long as a process holds its memory locked."""
    with suppress(OSError):
        return Path(f"/proc/{process.pid}/comm").read_text("utf-8", "replace").strip()
    return ""


def _is_compiler(name: str) -> bool:
    return name.startswith(COMPILERS)


def _state(pid: int) -> str:
    with suppress(psutil.Error):
        return str(psutil.Process(pid).status())
    return ""


def _waits_in(pid: int) -> str:
    """The kernel's own word for where it waits; ``""`` where that is kept secret."""
    with suppress(OSError):
        place = Path(f"/proc/{pid}/wchan").read_text("utf-8", "replace").strip()
        return "" if place == "0" else place
    return ""


def _bytes_below(folder: Path) -> int:
    total = 0
    for number, entry in enumerate(_files_below(folder)):
        if number >= MOST_FILES:
            break
        with suppress(OSError):
            found = entry.stat(follow_symlinks=False)
            total += found.st_size if stat.S_ISREG(found.st_mode) else 0
    return total


def _files_below(folder: Path) -> Iterator[os.DirEntry[str]]:
    waiting = [str(folder)]
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    yield entry
