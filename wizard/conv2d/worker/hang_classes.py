"""What kind of hang it is, from evidence alone; what proves it, and what to do about it.

A class needs its proof: without one the answer is ``unclassified``. Time on the processor alone
proves nothing, for a program that waits for the card may spin just as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from wizard.conv2d.worker.miopen_log import Reading, Stage
from wizard.knowledge.causes import KernelLine

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

    phase: str
    """Of the worker: ``tensors``, ``cold``, ``warm``, ``copy back``."""
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
    next_step: str


def classify(evidence: Evidence) -> Finding:
    """The first class, from the worst on, that the evidence proves."""
    for hang_class, prove in PROOFS:
        because = prove(evidence)
        if because:
            return Finding(hang_class, because, NEXT_STEPS[hang_class])
    return Finding(HangClass.UNCLASSIFIED, "", NEXT_STEPS[HangClass.UNCLASSIFIED])


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
