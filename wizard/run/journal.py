"""The journal of one run: intent and outcome of each step, on disk before the step acts."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from wizard.journalform import (
    FILE,
    PARTLY_ROLLED_BACK,
    ROLLED_BACK,
    UNFINISHED,
    Record,
    record_of,
)
from wizard.jsonform import SCHEMA
from wizard.plan.form import plan_form
from wizard.plan.steps import Plan

__all__ = [
    "PARTLY_ROLLED_BACK",
    "ROLLED_BACK",
    "UNFINISHED",
    "Journal",
    "Record",
    "append_lines",
    "last_written_ns",
    "read_record",
    "read_records",
    "unreadable_runs",
]


class Journal:
    """Appends to the journal of one run; each line reaches the disk before the call returns."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file = folder / FILE

    def begin(self, plan: Plan, time: str, stack: Mapping[str, Any] | None = None) -> None:
        """Note the plan, and on what it is carried out; the first line of every journal."""
        self.folder.mkdir(parents=True, mode=0o700)
        line = {"event": "begin", "schema": SCHEMA, "time": time, "plan": plan_form(plan)}
        self._append(line if stack is None else {**line, "stack": dict(stack)})
        _sync_folder(self.folder.parent)

    def intend(self, number: int, noted: Mapping[str, Any]) -> None:
        """Note that a step is about to act, and what was there before."""
        self._append({"event": "intent", "step": number, "noted": dict(noted)})

    def finish(self, number: int, outcome: str) -> None:
        """Note that a step's outcome was verified."""
        self._append({"event": "outcome", "step": number, "outcome": outcome})

    def close(self, state: str, time: str) -> None:
        """Note how the run stands now."""
        self._append({"event": "state", "state": state, "time": time})

    def _append(self, line: Mapping[str, Any]) -> None:
        append_lines(self._file, [json.dumps(line)])


def append_lines(path: Path, lines: Iterable[str]) -> None:
    """Append to a file of ours, private to the user, and wait until it is on the disk."""
    with os.fdopen(os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600), "ab+") as file:
        # A line cut off by a crash stays alone on its line and is skipped when read.
        end = file.seek(0, os.SEEK_END)
        torn = end > 0 and os.pread(file.fileno(), 1, end - 1) != b"\n"
        file.write(b"\n" * torn + b"".join(line.encode() + b"\n" for line in lines))
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_record(folder: Path) -> Record | None:
    """The run in a folder, or None when there is no usable journal in it."""
    return record_of(folder.name, str(folder), _complete_lines(folder))


def last_written_ns(folder: Path) -> int:
    """When the journal of a run was last added to, as the file system tells it."""
    return (folder / FILE).stat().st_mtime_ns


def read_records(runs: Path) -> tuple[Record, ...]:
    """Every run of ours, newest first."""
    found = map(read_record, _newest_first(runs))
    return tuple(record for record in found if record is not None)


def waits(plan: str, runs: Path) -> bool:
    """True when a run of the plan of that id stopped before its end: it is to be gone on with."""
    return any(r.plan["id"] == plan and r.state == UNFINISHED for r in read_records(runs))


def unreadable_runs(runs: Path) -> tuple[str, ...]:
    """Names of runs that began and whose journal is damaged or of a newer version, newest first."""
    return tuple(
        folder.name
        for folder in _newest_first(runs)
        if read_record(folder) is None and _complete_lines(folder)
    )


def _newest_first(runs: Path) -> list[Path]:
    try:
        return sorted((entry for entry in runs.iterdir() if entry.is_dir()), reverse=True)
    except OSError:
        return []


def _complete_lines(folder: Path) -> list[bytes]:
    """Whole lines only: while the first one is not, no step has acted."""
    try:
        return (folder / FILE).read_bytes().split(b"\n")[:-1]
    except OSError:
        return []
