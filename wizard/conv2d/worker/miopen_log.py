"""What MIOpen's log says that it was doing when it fell silent.

Formats of ``src/logger.cpp`` and ``src/include/miopen/logger.hpp`` of MIOpen 2.17 (ROCm 5.2) to 3.2
(ROCm 6.2), at MIOPEN_LOG_LEVEL 5 to 6. The command line of a convolution is logged before its
search from 2.20 (ROCm 5.7) on, and only after it before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

LINE = re.compile(
    r"^(?:\d+ )?MIOpen(?:\(HIP\))?(?:\[ *[\d.]+\])?: "
    r"(?P<level>Fatal|Error|Warning|Info2?|Trace|Command)"
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


class LogLine(NamedTuple):
    """One line of MIOpen's."""

    level: str
    function: str
    """The C++ function that logged it; ``""`` where the line names none."""
    text: str


class Reading(NamedTuple):
    """The last thing that MIOpen said it would do."""

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


def parse(line: str) -> LogLine | None:
    """A line of MIOpen's log; None for anything else that was printed."""
    found = LINE.match(line.strip())
    if found is None:
        return None
    return LogLine(found["level"], found["function"] or "", found["text"])


def read(lines: Iterable[str]) -> Reading | None:
    """What was under way at the end; None when MIOpen said nothing of it."""
    reading: Reading | None = None
    for line in lines:
        parsed = parse(line)
        if parsed is not None:
            reading = _stage(parsed, line.strip()) or reading
    return reading


def _stage(parsed: LogLine, line: str) -> Reading | None:
    for pattern in PATTERNS:
        if pattern.function not in parsed.function:
            continue
        found = pattern.text.search(parsed.text)
        if found is not None:
            return Reading(pattern.stage, found.groupdict().get("subject") or "", line)
    return None
