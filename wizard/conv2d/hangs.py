"""What can be seen of a launch that does not answer, and which kind of hang that is."""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import NamedTuple

import psutil

from wizard.knowledge.causes import KernelLine

LINE = re.compile(
    r"^(?:\d+ )?MIOpen(?:\(HIP\))?(?:\[ *[\d.]+\])?: "
    r"(?:Fatal|Error|Warning|Info2?|Trace|Command)"
    r"(?: \[(?P<function>[^\]]*)\])? ?(?P<text>.*)$"
)


class Stage(str, Enum):
    """What was under way."""

    FIND = "looking for an algorithm"
    SOLVERS = "asking which solvers apply"
    SEARCH = "tuning a solver"
    TIMING = "timing a solver"
    COMPILE = "compiling a kernel"
    LOADED = "a kernel is loaded"
    PREPARED = "a kernel is about to run"
    KERNEL = "a kernel is running"
    GEMM = "a rocBLAS product is about to run"
    CHOSEN = "an algorithm was chosen"
    REFUSED = "no solver is left"


class Reading(NamedTuple):
    """What MIOpen said that it would do."""

    stage: Stage
    subject: str
    """The solver, kernel or file; ``""`` where none is named."""
    line: str
    """The line that says so."""


class Pattern(NamedTuple):
    """How a line is known."""

    stage: Stage
    function: str
    """A part of the function's name."""
    text: re.Pattern[str]


def _pattern(stage: Stage, function: str, text: str) -> Pattern:
    return Pattern(stage, function, re.compile(text))


_FILE = r' binary for: "?(?P<subject>[^";]+?)"? ?;'
PATTERNS = (
    _pattern(Stage.FIND, r"Find", r"^requestAlgoCount = "),
    _pattern(Stage.SEARCH, r"FindSolutionImpl", r"^Starting search: (?P<subject>[^,\s]+)"),
    _pattern(Stage.SEARCH, r"", r"^(?:(?P<subject>\S+): )?Searching the best solution among"),
    _pattern(Stage.SOLVERS, r"FindSolutionImpl", r"^(?P<subject>\S+) \(not searchable\)"),
    _pattern(
        Stage.SOLVERS,
        r"SearchForAllSolutions",
        r"^(?P<subject>\S+): (?:Not applicable|Skipped|Success)",
    ),
    _pattern(Stage.COMPILE, r"LoadBinary", r"^(?:Loading|Unable to load)" + _FILE),
    # "Sucessfully" is how older releases spell it.
    _pattern(Stage.LOADED, r"LoadBinary", r"^Suc+essfully loaded" + _FILE),
    _pattern(Stage.LOADED, r"SaveBinary", r"^Saving" + _FILE),
    # A release build of 5.2 says no more before the kernel runs (hipoc_kernel.cpp: NDEBUG).
    _pattern(Stage.PREPARED, r"PrepareInvoker", r"^Preparing kernel: (?P<subject>\S+)"),
    _pattern(Stage.KERNEL, r"run", r"^kernel_name = (?P<subject>[^,\s]+)"),
    _pattern(Stage.TIMING, r"", r"^Evaluating Solver: (?P<subject>\S+)"),
    _pattern(Stage.TIMING, r"EvaluateInvokers", r"^(?P<subject>\S+): .* < "),
    _pattern(Stage.GEMM, r"", r"^gemm_desc:"),
    _pattern(
        Stage.CHOSEN,
        r"Find",
        r"^(?:FW|BWD|BWrW) Chosen Algorithm: (?P<subject>\S+)",
    ),
    _pattern(Stage.REFUSED, r"", r"No suitable algorithm was found"),
    _pattern(Stage.REFUSED, r"", r"cannot be executed due to incorrect params"),
)


def read(line: str) -> Reading | None:
    """What a line of MIOpen's log says was under way; None for any other line."""
    line = line.strip()
    logged = LINE.match(line)
    if logged is None:
        return None
    for pattern in PATTERNS:
        found = pattern.text.search(logged["text"])
        if found is not None and pattern.function in (logged["function"] or ""):
            return Reading(pattern.stage, found.groupdict().get("subject") or "", line)
    return None


BUSY_PERCENT = 90
"""Above this the card is at work; a desktop alone stays far below."""
IDLE_PERCENT = 20
ONE_CORE = 0.5
"""Cores that a process which computes keeps busy at least, on a machine with other work."""


class HangClass(str, Enum):
    """Kinds of hangs, those with the worst consequences first."""

    UNKILLABLE = "unkillable"
    RESET = "reset"
    DRIVER = "driver"
    COMPILING = "compiling"
    SEARCHING = "searching"
    SPINNING = "spinning kernel"
    LOST_SIGNAL = "lost signal"
    UNCLASSIFIED = "unclassified"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was seen of a launch that did not come back, between two looks a few seconds apart."""

    reading: Reading | None = None
    """What MIOpen's log says was under way."""
    new_log_lines: int = 0
    """Lines that MIOpen wrote between the looks."""
    cache_grew: bool = False
    """True when files of the compiler or of MIOpen's own cache grew."""
    compilers: tuple[str, ...] = ()
    """Programs below the worker that compile."""
    cores: float | None = None
    """How many processor cores the worker and its children kept busy, or waited for."""
    gpu_percent: int | None = None
    """How busy the card says that it was."""
    state: str = ""
    """What the kernel says the process does, for example ``disk-sleep``."""
    waits_in: str = ""
    """The kernel function in which it waits (``/proc/PID/wchan``)."""
    kernel: tuple[KernelLine, ...] = ()
    """New lines of the driver."""
    gone: bool = True
    """False when the process was still there long after SIGKILL."""

    @property
    def progresses(self) -> bool:
        """True while something new comes out of it: it is slow rather than stuck."""
        return bool(self.new_log_lines or self.cache_grew)


@dataclass(frozen=True, slots=True)
class Finding:
    """A class with its proof."""

    hang_class: HangClass
    because: str
    """The line or figure that proves it; ``""`` for what is not classified."""


def classify(evidence: Evidence) -> Finding:
    """The first class, from the worst on, that the evidence proves."""
    for hang_class, prove in PROOFS:
        because = prove(evidence)
        if because:
            return Finding(hang_class, because)
    return Finding(HangClass.UNCLASSIFIED, "")


def _unkillable(evidence: Evidence) -> str:
    if evidence.gone:
        return ""
    place = f" in {evidence.waits_in}" if evidence.waits_in else ""
    return f"still there long after SIGKILL, {evidence.state or 'in an unknown state'}{place}"


def _kernel_says(*kinds: str) -> Callable[[Evidence], str]:
    def prove(evidence: Evidence) -> str:
        return next((line.line for line in evidence.kernel if line.message.kind in kinds), "")

    return prove


def _compiling(evidence: Evidence) -> str:
    if evidence.compilers:
        return f"it started {evidence.compilers[0]}, which is still running"
    if evidence.cache_grew:
        return "files in the compiler's cache grew"
    computes = (evidence.cores or 0) >= ONE_CORE and _is_idle(evidence)
    if computes and evidence.reading is not None and evidence.reading.stage is Stage.COMPILE:
        return evidence.reading.line
    return ""


def _searching(evidence: Evidence) -> str:
    stages = (Stage.FIND, Stage.SOLVERS, Stage.SEARCH, Stage.TIMING)
    if evidence.reading is None or evidence.reading.stage not in stages:
        return ""
    on_processor = (evidence.cores or 0) >= ONE_CORE and _is_idle(evidence)
    return evidence.reading.line if evidence.new_log_lines or on_processor else ""


def _spinning(evidence: Evidence) -> str:
    if evidence.gpu_percent is None or evidence.gpu_percent < BUSY_PERCENT or evidence.progresses:
        return ""
    return f"the card was {evidence.gpu_percent} % busy without progress{_kernel(evidence)}"


def _lost_signal(evidence: Evidence) -> str:
    launched = evidence.reading is not None and evidence.reading.stage in (
        Stage.PREPARED,
        Stage.KERNEL,
        Stage.GEMM,
    )
    if not launched or not _is_idle(evidence) or evidence.progresses:
        return ""
    return f"the card got work and was then {evidence.gpu_percent} % busy"


def _is_idle(evidence: Evidence) -> bool:
    return evidence.gpu_percent is not None and evidence.gpu_percent <= IDLE_PERCENT


def _kernel(evidence: Evidence) -> str:
    reading = evidence.reading
    running = (Stage.PREPARED, Stage.KERNEL)
    named = reading is not None and reading.stage in running and reading.subject
    return f", in {named}" if named else ""


PROOFS: tuple[tuple[HangClass, Callable[[Evidence], str]], ...] = (
    (HangClass.UNKILLABLE, _unkillable),
    (HangClass.RESET, _kernel_says("reset")),
    (HangClass.DRIVER, _kernel_says("driver", "fault")),
    (HangClass.COMPILING, _compiling),
    (HangClass.SEARCHING, _searching),
    (HangClass.SPINNING, _spinning),
    (HangClass.LOST_SIGNAL, _lost_signal),
)
NEXT_STEPS = {
    HangClass.UNKILLABLE: "Only restarting the machine will end the process. Save your work and "
    "restart. Until then, no measurement can be trusted.",
    HangClass.RESET: "Restart the programs that use the card or, better yet, the whole machine. "
    "The programs have lost their data on the "
    "card. Later results count only if the card "
    "passes a check first.",
    HangClass.DRIVER: "Restart the machine before you measure anything else: the driver lost "
    "control of the card.",
    HangClass.COMPILING: "Allow more time with --deadline. Each shape is compiled once, on its "
    "first call. If the cache is kept, the next run is fast.",
    HangClass.SEARCHING: "Allow more time (--deadline), or skip the search for the best "
    "algorithm: set MIOPEN_FIND_MODE=2 and unset MIOPEN_FIND_ENFORCE.",
    HangClass.SPINNING: "Find out which algorithm hangs, and turn it off. The search for "
    "settings does both.",
    HangClass.LOST_SIGNAL: "Try setting HSA_ENABLE_INTERRUPT=0. If that helps, the card had "
    "finished its work, but its interrupt was lost.",
    HangClass.UNCLASSIFIED: "Measure the shape again with MIOPEN_LOG_LEVEL=6 set. The last line "
    "that MIOpen prints may show what it was "
    "doing.",
}


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


def look_at(pid: int, sources: Sources, log_lines: int) -> Look:
    """How things are with a worker's child now; of one that is gone, nothing but the time.

    It takes milliseconds and raises nothing. ``log_lines``: how many MIOpen has written so far.
    """
    processes: list[psutil.Process] = []
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        processes = [process, *process.children(recursive=True)]
    return Look(
        at_s=time.monotonic(),
        processor_s=sum(map(_processor_s, processes)),
        gpu_percent=sources.gpu_percent(),
        cache_bytes=sum(_bytes_below(folder) for folder in sources.caches),
        log_lines=log_lines,
        state=state_of(pid),
        waits_in=_waits_in(pid),
        compilers=tuple(name for name in map(_name, processes) if name.startswith(COMPILERS)),
    )


def between(first: Look, second: Look, reading: Reading | None) -> Evidence:
    """What two looks, some seconds apart, say together."""
    seconds = max(second.at_s - first.at_s, 1e-3)
    percents = [p for p in (first.gpu_percent, second.gpu_percent) if p is not None]
    return Evidence(
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


def state_of(pid: int) -> str:
    """What the kernel says a process is doing, for example ``disk-sleep``; ``""`` when gone."""
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
