"""The journal of a sweep: each launch is on disk before the device sees it.

So a machine that froze still tells what froze it.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from wizard.conv2d.candidates import Candidates
from wizard.conv2d.verdicts import Result
from wizard.core.json_form import WrongForm, to_json, typed
from wizard.core.own_files import FOLDER_MODE, open_private, read_private

FORMAT = 1
LONGEST = 64 << 20
"""Bytes of a journal that are read."""


class JournalBusy(Exception):
    """Another process is at work on the same sweep."""


@dataclass(slots=True, kw_only=True)
class Attempts:
    """What a journal tells of the attempts at one sweep, whoever wrote it."""

    results: dict[int, Result] = field(default_factory=dict)
    """Shapes that have their verdict, by 0-based index."""
    under_way: int | None = None
    """The shape that was launched and has no outcome yet."""
    unanswered: int | None = None
    """The same; that of an attempt which was lost too, until something is launched again."""
    lost: dict[int, int] = field(default_factory=dict)
    """How often a shape was launched and its outcome never written."""
    candidates: dict[str, Candidates | None] = field(default_factory=dict)
    """What MIOpen said it would choose from, by what it was asked; None where it did not say."""
    finished: bool = False

    @property
    def goes_on(self) -> bool:
        """True where something was begun and not finished."""
        return not self.finished and (bool(self.results) or self.under_way is not None)

    def take(self, line: Mapping[str, Any]) -> None:
        """Take a line of the journal into account; one that is damaged says nothing."""
        match line:
            case {"launch": int(index)}:
                self.under_way = self.unanswered = index
            case {"outcome": int(index)}:
                self.under_way = self.unanswered = None
                if (result := read_result(line.get("result"))) is not None:
                    self.results[index] = result
            case {"cancelled": _}:
                self.under_way = self.unanswered = None
            case {"lost": int(index)}:
                self.under_way = None
                self.lost[index] = self.lost.get(index, 0) + 1
            case {"asked": str(question)}:
                self.candidates[question] = _read_candidates(line.get("candidates"))
            case {"forget": _}:
                self.results.clear()
                self.candidates.clear()
            case {"finished": _}:
                self.finished = True
            case _:
                pass


@dataclass(slots=True, kw_only=True)
class Journal(Attempts):
    """The open journal: what happened before, and what is written down of it now."""

    file: BinaryIO

    def launch(self, index: int, process: str) -> None:
        """Record that a shape is about to start; ``sync`` brings it to the disk."""
        self.under_way = index
        self._write({"launch": index, "process": process})

    def control(self, index: int, suspect: int) -> None:
        """Record that a shape is measured again after a suspect; ``sync`` brings it to the disk."""
        self._write({"control": index, "after": suspect})

    def sync(self) -> None:
        """Bring all that is recorded to the disk; it is there when this returns."""
        os.fsync(self.file.fileno())

    def outcome(self, index: int, result: Result) -> None:
        """Record a verdict; the next launch, or the end, brings it to the disk."""
        self.results[index], self.under_way = result, None
        self._write({"outcome": index, "result": to_json(result)})

    def answer(self, question: str, candidates: Candidates | None) -> None:
        """Record what MIOpen said: a search that goes on must come to the same decisions."""
        self.candidates[question] = candidates
        self._write({"asked": question, "candidates": to_json(candidates)})

    def forget(self) -> None:
        """Drop what came of earlier attempts, which another torch has made."""
        self.results.clear()
        self.candidates.clear()
        self._write({"forget": True})

    def finish(self) -> None:
        """Record that the sweep is complete: the same request then starts afresh."""
        self._write({"finished": True})
        self.sync()

    def close(self) -> None:
        """Let go of the file; a shape still under way was stopped by us, which says nothing."""
        if self.under_way is not None:
            self._write({"cancelled": self.under_way})
        self.file.close()

    def _write(self, line: dict[str, Any]) -> None:
        self.file.write(json.dumps(line).encode() + b"\n")
        self.file.flush()


def open_journal(path: Path, resume: bool) -> Journal:
    """The journal at that path, locked; an unfinished one is gone on with when asked for.

    Raises ``OSError`` when it cannot be written and ``JournalBusy`` when somebody else writes it.
    """
    path.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    file = os.fdopen(open_private(path, os.O_RDWR | os.O_APPEND | os.O_CREAT), "a+b")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        journal = Journal(file=file)
        file.seek(0)
        text = file.read()
        lines = _lines(text)
        if not resume or not lines or "finished" in lines[-1] or lines[0].get("journal") != FORMAT:
            file.truncate(0)
            journal._write({"journal": FORMAT})
            return journal
        if not text.endswith(b"\n"):  # a machine froze in the middle of a line
            file.write(b"\n")
        for line in lines:
            journal.take(line)
        if journal.under_way is not None:
            lost = {"lost": journal.under_way}
            journal.take(lost)
            journal._write(lost)
    except BlockingIOError as error:
        file.close()
        raise JournalBusy from error
    except BaseException:
        file.close()
        raise
    return journal


def read_journal(path: Path) -> Attempts:
    """What a journal tells; nothing where there is none. Reads only."""
    attempts = Attempts()
    with suppress(OSError):
        for line in _lines(read_private(path, LONGEST)):
            attempts.take(line)
    return attempts


def _lines(text: bytes) -> list[dict[str, Any]]:
    """Lines that are objects: a torn one is passed over."""
    lines = []
    for raw in text.splitlines():
        with suppress(ValueError, RecursionError):
            lines.append(json.loads(raw))
    return [line for line in lines if line and isinstance(line, dict)]


def read_result(form: object) -> Result | None:
    """A verdict as it was written; None for a damaged one, and for one of another version."""
    try:
        return typed(form, Result)
    except WrongForm:
        return None


def _read_candidates(form: object) -> Candidates | None:
    try:
        return None if form is None else typed(form, Candidates)
    except WrongForm:
        return None
