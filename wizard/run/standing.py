"""Which runs stand, wait or are half taken back, and what they made: by what they wrote down.

Welcome asks before its first frame, so nothing here loads a plan. Reads only.
"""

from __future__ import annotations

import os
from pathlib import Path

from wizard.journalform import PARTLY_ROLLED_BACK, ROLLED_BACK, UNFINISHED, Record
from wizard.places import Places
from wizard.plan_kind import WAY_BACK, takes_back
from wizard.root.session import STATE, begun_by_helper
from wizard.run.records import read_records


def can_undo(places: Places) -> bool:
    """True when there is a run that was not undone yet."""
    return any(map(stands, read_records(Path(places.runs))))


def stands(record: Record) -> bool:
    """True for a run that can be undone; a way back is none: to undo it is to install again."""
    return record.state != ROLLED_BACK and record.plan["stack"] != WAY_BACK


def unfinished_run(places: Places) -> Record | None:
    """The newest run that stopped before its end and was not taken back."""
    records = read_records(Path(places.runs))
    waiting = (r for r in records if r.state == UNFINISHED and r.plan["stack"] != WAY_BACK)
    return next((r for r in waiting if way_back_begun(r, places) is None), None)


def half_back(places: Places) -> Record | None:
    """The newest run that was begun to be taken back, and is not yet."""
    # Roll back takes this one and no other.
    newest = next(filter(stands, read_records(Path(places.runs))), None)
    if newest is None:
        return None
    begun = newest.state == PARTLY_ROLLED_BACK or way_back_begun(newest, places) is not None
    return newest if begun else None


def way_back_begun(record: Record, places: Places, state: Path = STATE) -> Record | None:
    """The newest way back of this run's part in the system that did something already."""
    for each in read_records(Path(places.runs)):
        later = each.id > record.id and takes_back(each.plan, record.plan["id"])
        if later and (each.outcomes or begun_by_helper(each.id, state)):
            return each
    return None


def made_by_us(places: Places, folder: str) -> bool:
    """True for a folder in which a run of ours that still stands makes or made a venv."""
    here = os.path.realpath(folder)
    return any(
        record.state != ROLLED_BACK
        and os.path.realpath(record.plan["venv"]) == here
        and any(step["kind"] == "CreateVenv" for step in record.plan["steps"])
        for record in read_records(Path(places.runs))
    )


def absence(record: Record, folder: str) -> str:
    """Why a folder is not the one that the run worked in; ``""`` when it is."""
    root = Path(folder)
    # An empty folder may be where a disk is mounted at other times.
    if not root.is_dir() or not any(root.iterdir()):
        return f"{root} is not there"
    here, led = os.path.realpath(root), _led_to(record, folder)
    return f"{root} leads to {here} now, and led to {led}" if led not in ("", here) else ""


def _led_to(record: Record, folder: str) -> str:
    """Where the folder really was when the run changed it; ``""`` where nobody noted that."""
    steps = record.plan["steps"]
    noted = (n for number, n in record.intents.items() if steps[number - 1].get("root") == folder)
    return next((str(each["real"]) for each in noted if "real" in each), "")
