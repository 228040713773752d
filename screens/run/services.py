"""Carrying plans out for the screens: the one executor, the rehearsal, and the way back."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from screens.rights import LentTerminal
from screens.services import Rehearsing, WayBack

if TYPE_CHECKING:
    from wizard.machine.host import Host
    from wizard.places import Places
    from wizard.plan.steps import Plan
    from wizard.run.executor import Executor


def executor(live: bool, places: Places, lent: LentTerminal) -> Executor:
    """The one that acts, or the one that cannot."""
    if not live:
        from wizard.run.rehearsal import Rehearsal

        return Rehearsal()
    from wizard.run.live import Live

    return Live(places, os.environ, ask_for_rights=lent)


def rehearsal(lent: LentTerminal) -> Rehearsing:
    """A rehearsal by root, in an overlay of the system."""
    from wizard.overlay.rehearsing import OverlayRehearsal

    return OverlayRehearsal(os.environ, lent)


def way_back(host: Host, places: Places, executor: Executor) -> WayBack:
    """How the last run would be taken back. Raises Trouble."""
    from wizard.undo.whole_run import TakingBack, find_whole_undo

    found = find_whole_undo(places, host)
    taking = TakingBack(found, executor, places)
    return WayBack(str(found), found.system, taking.events, taking.cancel)


def log_of(places: Places, plan: Plan) -> str:
    """Path of the whole log of the newest run of a plan; ``""`` where none is saved."""
    from wizard.run.log import log_of
    from wizard.run.records import read_records

    records = read_records(Path(places.runs))
    return next((log_of(record) for record in records if record.plan["id"] == plan.id), "")
