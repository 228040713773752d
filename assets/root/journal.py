"""The folder of one run: its journal, its events, its backup and UNDO.sh."""

from __future__ import annotations

import contextlib
import json
import os
import select
import stat
import time
from typing import Any, Sequence

from assets.root.files import (
    APPEND,
    FOLDER,
    READ,
    RUNS,
    Like,
    append_line,
    folder_at,
    look,
    read_lines,
    write_whole,
)
from assets.root.requests import Person, Request
from assets.root.trouble import Trouble
from assets.root.undo import undo_script

READER_PATIENCE_S = 5.0
"""How long a wizard that reads nothing may hold us up, once."""


class Run:
    """The folder of one run, open: its journal, its events, its backup and UNDO.sh."""

    def __init__(self, name: str, folder: int, group: int) -> None:
        self.name = name
        self.path = f"{RUNS}/{name}"
        self.folder = folder
        self.group = group
        self.backup = _private_folder(folder, "backup")
        self.debs = _private_folder(self.backup, "debs")
        self._output: int | None = 1  # sys.stdout is None where the caller has closed it
        self._journal = os.open("journal.jsonl", APPEND, 0o600, dir_fd=folder)
        self._events = self.shared("events.jsonl")
        self._told = 0

    def shared(self, name: str) -> int:
        """A file that the user who asked may read."""
        descriptor = os.open(name, APPEND, 0o640, dir_fd=self.folder)
        os.fchown(descriptor, 0, self.group)
        os.fchmod(descriptor, 0o640)
        return descriptor

    def in_backup(self, name: str) -> str:
        """Where the backup has something of this name."""
        return f"{self.path}/backup/{name}"

    def log_of(self, number: int) -> int:
        """The file that a program of this step writes to: it goes on when we are gone."""
        return self.shared(f"output-{number}.log")

    def note(self, event: str, **fields: Any) -> None:
        """Add to the journal; on return it is on the disk."""
        append_line(self._journal, dict(fields, event=event, time=int(time.time())))
        os.fsync(self._journal)

    def records(self) -> int:
        """How many lines the journal has."""
        return len(read_lines(self._journal))

    def intents(self) -> list[dict[str, Any]]:
        """What was changed or begun since this run began, or since it was last undone."""
        return standing(read_lines(self._journal))

    def unfinished(self, request: Request) -> dict[str, Any] | None:
        """The intent of the same request that never came to its outcome; None where none is."""
        found = None
        for record in read_lines(self._journal):
            if record.get("event") == "undone":  # as far as it went: what was begun is no more
                found = None
            elif record.get("request") == request.digest:
                found = record if record["event"] == "intent" else None
        return found

    def write_undo(self, intents: Sequence[dict[str, Any]]) -> None:
        """Write the script that undoes these changes."""
        script = undo_script(self.path, intents).encode("utf-8", "surrogateescape")
        write_whole(self.folder, "UNDO.sh", script, Like(0o750, 0, self.group))

    def tell(self, event: str, **fields: Any) -> None:
        """Say what happens, to whoever listens; whether anybody does is not our business."""
        self._told += 1
        record = dict(fields, event=event, seq=self._told)
        with contextlib.suppress(OSError):  # a full disk
            append_line(self._events, record)
        if self._output is not None and not send(self._output, record):
            self._output = None  # the wizard reads the file once it has time again
            hang_up(1)


def standing(records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The intents of a journal that were not undone since; what was undone only in part stands."""
    found: list[dict[str, Any]] = []
    for record in records:
        if record.get("event") == "undone" and record.get("failed", 0) == 0:
            found = []
        elif record.get("event") == "intent":
            found.append(record)
    return found


def send(descriptor: int, record: dict[str, Any]) -> bool:
    """Write one line to a pipe; False when nobody reads it, or not in time."""
    data = json.dumps(record).encode("ascii") + b"\n"
    limit = time.monotonic() + READER_PATIENCE_S
    if stat.S_ISFIFO(os.fstat(descriptor).st_mode):  # a terminal is not only ours to set
        os.set_blocking(descriptor, False)
    while data:
        try:
            data = data[os.write(descriptor, data) :]
        except BlockingIOError:
            left = limit - time.monotonic()
            if left <= 0:
                return False
            select.select((), (descriptor,), (), left)
        except OSError:
            return False
    return True


def hang_up(descriptor: int) -> None:
    """Let a standard descriptor lead nowhere, so that its number is never another file's."""
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    if null == descriptor:  # it was closed, and its number the lowest one that is free
        os.set_inheritable(null, True)
        return
    os.dup2(null, descriptor)
    os.close(null)


def open_run(name: str, person: Person) -> Run:
    """The folder of a run, made or found again; raises Trouble when it is another user's."""
    with folder_at(RUNS, make=True) as runs:
        if look(runs, name) is None:
            os.mkdir(name, 0o700, dir_fd=runs)
        folder = os.open(name, FOLDER, dir_fd=runs)
        seen = os.fstat(folder)
        empty = not os.listdir(folder)
        if seen.st_uid != 0 or not (empty or is_run_of(person, folder)):
            raise Trouble(
                f"Run {name} belongs to another user.",
                "Only the user who started the run can continue it.",
                "Start a new run.",
            )
        group = person.gid if empty else seen.st_gid
        os.fchown(folder, 0, group)
        os.fchmod(folder, 0o750)
        os.fsync(runs)
    return Run(name, folder, group)


def is_run_of(person: Person, folder: int) -> bool:
    """True for a run that this user may go on with and undo; root may with every one."""
    theirs = os.fstat(folder).st_gid == person.gid and begun_by(folder) <= {person.uid, 0}
    return theirs or person.uid == 0


def begun_by(folder: int) -> set[int]:
    """The users who have begun or gone on with a run: a group may be that of several."""
    records = records_in(folder)
    return {record.get("user", -1) for record in records if record.get("event") == "begin"}


def _private_folder(folder: int, name: str) -> int:
    """A folder in another, open, and made where it is missing."""
    if look(folder, name) is None:
        os.mkdir(name, 0o700, dir_fd=folder)
        os.fsync(folder)
    return os.open(name, FOLDER, dir_fd=folder)


def records_in(folder: int) -> list[dict[str, Any]]:
    try:
        journal = os.open("journal.jsonl", READ, dir_fd=folder)
    except FileNotFoundError:
        return []
    try:
        return read_lines(journal)
    finally:
        os.close(journal)
