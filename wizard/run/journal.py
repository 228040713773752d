"""The journal of one run: intent and outcome of each step, on disk before the step acts."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wizard.jsonform import SCHEMA
from wizard.plan.form import plan_form
from wizard.plan.steps import Plan


@dataclass(frozen=True, slots=True)
class Record:
    """A run as its journal tells it."""

    id: str
    folder: str
    began: str
    """ISO time of the beginning."""
    plan: Mapping[str, Any]
    """The plan in its JSON form, as it was when the run began."""
    outcomes: Mapping[int, str]
    """Finished steps by number, with their outcome."""
    intents: Mapping[int, Mapping[str, Any]]
    """Steps that were begun, with what was noted before they acted."""
    state: str
    """``unfinished``, ``finished``, ``rolled back`` or ``partly rolled back``."""

    @property
    def interrupted(self) -> tuple[int, ...]:
        """Numbers of the steps that were begun and never finished."""
        return tuple(number for number in self.intents if number not in self.outcomes)


class Journal:
    """Appends to the journal of one run; each line reaches the disk before the call returns."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file = folder / "journal.jsonl"

    def begin(self, plan: Plan, time: str) -> None:
        """Note the plan; the first line of every journal."""
        self.folder.mkdir(parents=True, mode=0o700)
        self._append({"event": "begin", "schema": SCHEMA, "time": time, "plan": plan_form(plan)})
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
        descriptor = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(descriptor, "ab") as file:
            # A line cut off by a crash stays alone on its line and is skipped when read.
            torn = file.tell() > 0 and not self._file.read_bytes().endswith(b"\n")
            file.write(b"\n" * torn + json.dumps(line).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_record(folder: Path) -> Record | None:
    """The run in a folder, or None when there is no readable journal in it."""
    try:
        raw = (folder / "journal.jsonl").read_bytes().splitlines()
    except OSError:
        return None
    lines = [line for line in map(_parsed, raw) if line]
    if not lines or lines[0].get("event") != "begin":
        return None
    return Record(
        id=folder.name,
        folder=str(folder),
        began=str(lines[0].get("time", "")),
        plan=lines[0]["plan"],
        outcomes={line["step"]: line["outcome"] for line in lines if line["event"] == "outcome"},
        intents={line["step"]: line["noted"] for line in lines if line["event"] == "intent"},
        state=next((x["state"] for x in reversed(lines) if x["event"] == "state"), "unfinished"),
    )


def read_records(runs: Path) -> tuple[Record, ...]:
    """Every run of ours, newest first."""
    if not runs.is_dir():
        return ()
    folders = sorted((entry for entry in runs.iterdir() if entry.is_dir()), reverse=True)
    return tuple(record for record in map(read_record, folders) if record is not None)


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) and "event" in value else None
