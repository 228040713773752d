"""Which environments are ours, as the journals tell; reads only."""

from __future__ import annotations

import os
from pathlib import Path

from wizard.places import Places
from wizard.run.journal import ROLLED_BACK, read_records


def made_by_us(places: Places, folder: str) -> bool:
    """True for a folder in which a run of ours that still stands makes or made a venv."""
    here = os.path.realpath(folder)
    return any(
        record.state != ROLLED_BACK
        and os.path.realpath(record.plan["venv"]) == here
        and any(step["kind"] == "CreateVenv" for step in record.plan["steps"])
        for record in read_records(Path(places.runs))
    )
