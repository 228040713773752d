"""The folder of what preflight asked together: apt's lists, and packages built for a plan."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from wizard.core.journal import UNFINISHED, Record
from wizard.core.own_files import Places
from wizard.run.runs import read_records


def preflight_folder(places: Places) -> Path:
    """Where it is; made when something is asked."""
    return Path(places.cache) / "preflight"


@contextmanager
def made(folder: Path) -> Iterator[None]:
    """The folder while something is asked; gone again, with ours above it and all that was not
    there before, where nothing came.
    """
    new = [above for above in folder.parent.parents if not above.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    finally:
        _drop_empty(folder, folder.parent, *new)


def drop_preflight(places: Places) -> None:
    """Remove it, unless a run that stopped before its end installs something out of it."""
    folder = preflight_folder(places)
    if not any(_installs_from(folder, record) for record in read_records(Path(places.runs))):
        shutil.rmtree(folder, ignore_errors=True)
        _drop_empty(folder.parent)


def _drop_empty(*folders: Path) -> None:
    """Remove those that are empty: one that holds something stays, and another run of ours may
    have removed one already.
    """
    for each in folders:
        with suppress(OSError):
            each.rmdir()


def _installs_from(folder: Path, record: Record) -> bool:
    debs = (deb for step in record.plan["steps"] for deb in step.get("debs", ()))
    return record.state == UNFINISHED and any(folder in Path(deb["path"]).parents for deb in debs)
