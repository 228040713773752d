"""The last Conv2d sweep of this machine, from its journal."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from wizard.conv2d.journal import read_result
from wizard.conv2d.runs.folders import Run
from wizard.conv2d.runs.history import FINISHED, told_by
from wizard.conv2d.verdicts import Result, result_json


@dataclass(frozen=True, slots=True)
class LastSweep:
    """What is on disk of a sweep."""

    time: str
    """When its journal was last written, ISO, to the minute."""
    results: tuple[Result, ...]
    finished: bool
    lost: int | None
    """1-based number of a shape that was launched and never came to an outcome."""
    run: str = ""
    """The name of its run; ``""`` for what is known from its journal alone."""


def sweeps(folder: Path, but: Collection[Path] = ()) -> Iterator[LastSweep]:
    """Every sweep with something to tell, but those of some journals, newest first; reads only."""
    journals = sorted(map(_dated, set(folder.glob("*.jsonl")) - {*but}), reverse=True)
    found = (_read(path, written_s) for written_s, path in journals if written_s)
    return (sweep for sweep in found if sweep.results or sweep.lost)


def sweep_of_run(run: Run) -> LastSweep:
    """What a run tells."""
    told = told_by(run)
    time = datetime.fromisoformat(run.began).astimezone().isoformat(" ", "minutes")
    finished = told.state == FINISHED
    return LastSweep(time, told.done.results, finished, None, run.id)


def sweep_form(sweep: LastSweep | None) -> dict[str, Any] | None:
    """Its JSON form."""
    if sweep is None:
        return None
    results = [result_json(result) for result in sweep.results]
    form = {"time": sweep.time, "finished": sweep.finished, "lost": sweep.lost}
    return {**form, "results": results}


def _dated(path: Path) -> tuple[float, Path]:
    """When it was written last; 0 for what cannot be looked at."""
    try:
        return path.stat().st_mtime, path
    except OSError:
        return 0.0, path


def _read(path: Path, written_s: float) -> LastSweep:
    results: dict[int, Result] = {}
    under_way: int | None = None
    finished = False
    for line in _lines(path):
        match line:
            case {"launch": int(under_way)}:
                pass
            case {"outcome": int(index), "result": dict(form)}:
                under_way = None
                if (result := read_result(form)) is not None:
                    results[index] = result
            case {"forget": _}:
                results.clear()
            case {"cancelled": _}:
                under_way = None
            case {"finished": _}:
                finished = True
            case _:
                pass
    written = datetime.fromtimestamp(written_s).astimezone()
    in_order = tuple(results[index] for index in sorted(results))
    lost = None if under_way is None else under_way + 1
    return LastSweep(written.isoformat(" ", "minutes"), in_order, finished, lost)


def _lines(path: Path) -> Iterator[object]:
    try:
        content = path.read_bytes()
    except OSError:
        return  # somebody else's: the other journals are told all the same
    for raw in content.splitlines():
        try:
            yield json.loads(raw)
        except (ValueError, RecursionError):
            continue  # a machine froze in the middle of a line
