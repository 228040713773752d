"""The full log of a run: every line that a program printed, and how each step ended."""

from __future__ import annotations

from pathlib import Path

from wizard.core.events import (
    Event,
    Output,
    PlanFinished,
    Progress,
    StepFailed,
    StepFinished,
    StepStarted,
)
from wizard.core.journal import Record

LONGEST_LOG = 64 * 2**20
"""Bytes of program output kept in one log: a program that prints without end fills no disk."""


def log(record: Record, event: Event) -> None:
    """Add what an event tells to the log of its run."""
    lines: tuple[str, ...]
    match event:
        case StepStarted():
            lines = (f"[{event.number}/{event.total}] {event.text}",)
        case Output():
            lines = event.lines
        case StepFinished():
            lines = (f"ok ({event.seconds:.1f} s): {event.outcome}",)
        case StepFailed():
            lines = (f"failed: {event.happened}", event.meaning, event.next_step)
        case PlanFinished():
            lines = ("finished" if event.ok else "not finished",)
        case Progress():
            return
    with Path(log_of(record)).open("a", encoding="utf-8", errors="backslashreplace") as file:
        if file.tell() < LONGEST_LOG or not isinstance(event, Output):
            file.writelines(f"{line}\n" for line in lines)


def log_of(record: Record) -> str:
    """Path of the log of a run."""
    return f"{record.folder}/log.txt"
