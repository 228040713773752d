"""From what a launch failed in to the change that leaves just that out."""

from __future__ import annotations

from wizard.conv2d.search.settings_search import Change
from wizard.conv2d.verdicts import Result
from wizard.conv2d.worker.hang_classes import HangClass
from wizard.conv2d.worker.miopen_log import Reading, Stage, read
from wizard.knowledge.solvers import Family, family_of

POLLING = ("HSA_ENABLE_INTERRUPT", "0")
"""Waits by looking instead of by interrupts: what helps where those get lost."""
AT_WORK = (Stage.SEARCH, Stage.COMPILE, Stage.PREPARED, Stage.KERNEL, Stage.CHOSEN)
"""Stages whose subject is what was under way, and not what was done before."""


def culprit_of(result: Result) -> Change | None:
    """The change that leaves out what the shape hung in, or what got its numbers wrong; None where
    nothing says what that was."""
    if result.hang_class == HangClass.LOST_SIGNAL.value:
        return POLLING
    found = family_in(result)
    return None if found is None else found.off


def family_in(result: Result) -> Family | None:
    """The family of algorithms that it was in: as MIOpen's log tells, or the only one that MIOpen
    would choose from."""
    reading = read([result.log_line]) if result.log_line else None
    named = None if reading is None else _family(reading)
    if named is not None or result.candidates is None or not result.candidates.is_complete:
        return named
    families = {family_of(name) for name in result.candidates.names}
    return families.pop() if len(families) == 1 else None


def _family(reading: Reading) -> Family | None:
    if reading.stage is Stage.GEMM:
        return family_of("Gemm")
    timed = reading.stage is Stage.TIMING and "Evaluating Solver" in reading.line
    return family_of(reading.subject) if timed or reading.stage in AT_WORK else None
