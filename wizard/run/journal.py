"""What a run writes down: its folder, its journal, and which files are its own."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from wizard.core.journal import FILE, SCHEMA, Record
from wizard.host.files import Print
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


STAMP = "%Y%m%d-%H%M%S"
SCRATCH = "scratch"
"""Folder of a run for the temporary files of its programs."""


def new_folder(runs: Path, time: datetime, plan: str) -> Path:
    """A folder that is not there yet, named by the time and the plan.

    Names tell which run is the newest. So where a run has that second or a later one, because two
    begin at once or the clock was set back, it is the next second after it.
    """
    later = (known + timedelta(seconds=1) for known in _times(runs))
    return runs / f"{max(time.replace(tzinfo=None), *later):{STAMP}}-{plan[:6]}"


def _times(runs: Path) -> Iterator[datetime]:
    """What the names of the runs begin with."""
    yield datetime.min
    names = (entry.name for entry in runs.iterdir()) if runs.is_dir() else ()
    for name in names:
        with suppress(ValueError):
            yield datetime.strptime("-".join(name.split("-")[:2]), STAMP)


@contextmanager
def scratch(record: Record) -> Iterator[None]:
    """The folder for temporary files, empty at first; a program may leave gigabytes."""
    folder = Path(record.folder) / SCRATCH
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(exist_ok=True)
    try:
        yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Owned:
    """The record of what is ours below one venv, kept in the folder of its run."""

    def __init__(self, run: Path) -> None:
        self._file = run / "owned.jsonl"

    def add(self, files: Mapping[str, Print]) -> None:
        """Note files as ours; a later note of the same path replaces the earlier one."""
        append_lines(self._file, [json.dumps([path, *files[path]]) for path in sorted(files)])

    def read(self) -> dict[str, Print]:
        """Everything noted so far; a line cut off by a crash, or damaged, is left out."""
        try:
            lines = self._file.read_bytes().splitlines()
        except OSError:
            return {}
        return dict(note for note in map(_note, lines) if note is not None)


def _note(line: bytes) -> tuple[str, Print] | None:
    try:
        path, size, time = json.loads(line)
    except (ValueError, TypeError):
        return None
    return (path, (size, time)) if isinstance(path, str) else None
