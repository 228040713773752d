"""The folder of one run: a new one for each, with room for temporary files while it lasts."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path

from wizard.run.journal import Record
from wizard.run.rollback import SCRATCH


def new_folder(runs: Path, name: str) -> Path:
    """A folder that is not there yet: two runs of one plan can begin within a second."""
    names = chain((name,), (f"{name}-{number}" for number in count(2)))
    candidates = (runs / each for each in names)
    return next(folder for folder in candidates if not folder.exists())


@contextmanager
def scratch(record: Record) -> Iterator[None]:
    """The folder for temporary files, empty at first; a killed pip leaves gigabytes in it."""
    folder = Path(record.folder) / SCRATCH
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(exist_ok=True)
    try:
        yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)
