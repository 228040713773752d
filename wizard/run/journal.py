"""The journal of one run: intent and outcome of each step, on disk before the step acts."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from wizard.core.journal import FILE, SCHEMA
from wizard.plan.form import plan_form
from wizard.plan.steps import Plan


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
