"""The folder of what preflight asked together: apt's lists, and packages built for a plan."""

from __future__ import annotations

import shutil
from pathlib import Path

from wizard.places import Places
from wizard.run.journal import UNFINISHED, Record, read_records


def preflight_folder(places: Places) -> Path:
    """Where it is; made when something is asked."""
    return Path(places.cache) / "preflight"


def drop_preflight(places: Places) -> None:
    """Remove it, unless a run that stopped before its end installs something out of it."""
    folder = preflight_folder(places)
    if not any(_installs_from(folder, record) for record in read_records(Path(places.runs))):
        shutil.rmtree(folder, ignore_errors=True)


def _installs_from(folder: Path, record: Record) -> bool:
    debs = (deb for step in record.plan["steps"] for deb in step.get("debs", ()))
    return record.state == UNFINISHED and any(folder in Path(deb["path"]).parents for deb in debs)
