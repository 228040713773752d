"""The folder of one run: a new one for each, with room for temporary files while it lasts."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path

from wizard.core.journal import Record

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
