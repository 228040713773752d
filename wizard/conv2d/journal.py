"""The journal of a sweep: each launch is on disk before the device sees it.

So a machine that froze still tells what froze it.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from wizard.conv2d.candidates import Candidates
from wizard.conv2d.sweep import Sweep
from wizard.conv2d.verdicts import Result
from wizard.core.json_form import WrongForm, to_json, typed
from wizard.core.own_files import FOLDER_MODE, open_private, places, read_private

FORMAT = 1
SETTING_PREFIXES = ("HSA_", "HIP_", "ROCR_", "MIOPEN_", "CUDA_VISIBLE", "LD_LIBRARY_PATH")
"""Variables that make the same request another one."""
LONGEST = 64 << 20
"""Bytes of a journal that are read."""


class JournalBusy(Exception):
    """Another process is at work on the same sweep."""


def request_id(request: Any, environ: Mapping[str, str]) -> str:
    """A name for this very request: the same one again finds its journal.

    How many hangs it may cost does not count: with more of them it goes on where it stopped.
    """
    setting = sorted(item for item in environ.items() if item[0].startswith(SETTING_PREFIXES))
    form = to_json(request)
    if isinstance(request, Sweep):
        del form["hangs"]
    text = json.dumps([FORMAT, form, setting], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def journal_path(sweep: Sweep, environ: Mapping[str, str]) -> Path:
    """Where the journal of this request lies when nobody names a place."""
    return journal_named(request_id(sweep, environ), environ)


def journal_named(name: str, environ: Mapping[str, str]) -> Path:
    """Where the journal of a request of that name lies."""
    home = environ.get("HOME") or str(Path.home())
    return Path(places(environ, home).conv2d) / f"{name}.jsonl"


@dataclass(slots=True)
class Journal:
    """The open journal, and what it says of earlier attempts at the same sweep."""

    file: BinaryIO
    results: dict[int, Result] = field(default_factory=dict)
    """Shapes that have their verdict, by 0-based index."""
    under_way: int | None = None
    """The shape that was launched and has no outcome yet."""
    lost: dict[int, int] = field(default_factory=dict)
    """How often a shape was launched and its outcome never written."""
    candidates: dict[str, Candidates | None] = field(default_factory=dict)
    """What MIOpen said it would choose from, by what it was asked; None where it did not say."""

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
        journal = Journal(file)
        file.seek(0)
        text = file.read()
        lines = [line for raw in text.splitlines() if (line := _parsed(raw))]
        if not resume or not lines or "finished" in lines[-1] or lines[0].get("journal") != FORMAT:
            file.truncate(0)
            journal._write({"journal": FORMAT})
        else:
            if not text.endswith(b"\n"):  # a machine froze in the middle of a line
                file.write(b"\n")
            _replay(journal, lines)
    except BlockingIOError as error:
        file.close()
        raise JournalBusy from error
    except BaseException:
        file.close()
        raise
    return journal


def _parsed(raw: bytes) -> dict[str, Any] | None:
    """One line as an object; None for a torn one."""
    try:
        line = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return line if isinstance(line, dict) else None


@dataclass(frozen=True, slots=True)
class Told:
    """What a journal tells of the last attempt, whoever wrote it."""

    results: Mapping[int, Result]
    under_way: int | None
    """The shape that was launched and has no outcome."""
    finished: bool


def read_journal(path: Path) -> Told:
    """What a journal tells; nothing where there is none. Reads only."""
    try:
        raw = read_private(path, LONGEST).splitlines()
    except OSError:
        return Told({}, None, False)
    lines = [line for one in raw if (line := _parsed(one))]
    results: dict[int, Result] = {}
    under_way = _take_up(lines, results, {}, {})
    return Told(results, under_way, bool(lines) and "finished" in lines[-1])


def _replay(journal: Journal, lines: list[dict[str, Any]]) -> None:
    """Take up verdicts and count the launches that never got one."""
    under_way = _take_up(lines, journal.results, journal.lost, journal.candidates)
    if under_way is not None:
        journal.lost[under_way] = journal.lost.get(under_way, 0) + 1
        journal._write({"lost": under_way})


def _take_up(
    lines: list[dict[str, Any]],
    results: dict[int, Result],
    lost: dict[int, int],
    candidates: dict[str, Candidates | None],
) -> int | None:
    """Verdicts and lost launches as they were written; gives the launch without an outcome."""
    under_way: int | None = None
    for line in lines:
        if "launch" in line:
            under_way = line["launch"]
        elif "outcome" in line:
            if (result := read_result(line.get("result"))) is not None:
                results[line["outcome"]] = result
            under_way = None
        elif "cancelled" in line:
            under_way = None
        elif "lost" in line:
            lost[line["lost"]] = lost.get(line["lost"], 0) + 1
            under_way = None
        elif "asked" in line:
            candidates[line["asked"]] = _read_candidates(line.get("candidates"))
        elif "forget" in line:
            results.clear()
            candidates.clear()
    return under_way


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
