"""Whether a plan can be begun here and now: asked by Review, and again by Apply itself."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from wizard.core.trouble import Trouble, as_trouble
from wizard.host.host import Host
from wizard.host.live import LiveHost
from wizard.host.mounts import MOUNTS, mounts_in
from wizard.journalform import Record
from wizard.machine.facts import Disk
from wizard.operations.fetch_wheels import FetchWheels
from wizard.operations.install_wheels import InstallWheels
from wizard.places import Places
from wizard.plan.room import needs_of, shortage
from wizard.plan.steps import Plan
from wizard.run.in_the_way import run_to_resume
from wizard.run.place import require_open_place
from wizard.run.records import older_runs, read_records
from wizard.run.resume import done_steps
from wizard.run.standing import rollback_begun

WITHOUT_HARD_LINKS = frozenset({"afs", "cifs", "exfat", "smb3", "vboxsf", "vfat"})
"""File systems on which uv copies from its cache, so that all files are there twice."""


def run_to_go_on_with(plan: Plan, places: Places) -> Record | None:
    """The run of this very plan that waits, None for a new one; raises Trouble where neither can
    be. Reads only."""
    if plan.venv:
        require_open_place(Path(plan.venv))  # first: what may not be entered cannot be looked at
    runs = Path(places.runs)
    found = run_to_resume(plan, read_records(runs), older_runs(runs))
    _refuse_unsettled(plan)
    _refuse_full_disks(plan, found)
    if found is not None:
        _refuse_taken_back(found, places)
    else:
        for step in plan.steps:
            step.refuse()
    return found


def obstacle(plan: Plan, places: Places) -> Trouble | None:
    """Why the plan would be refused before its first step; None when it would begin."""
    try:
        run_to_go_on_with(plan, places)
    except (Trouble, OSError) as error:
        return as_trouble(error)
    return None


def _refuse_taken_back(record: Record, places: Places) -> None:
    if rollback_begun(record, places) is not None:
        raise Trouble(
            f"Run {record.id} is being undone. At least some of its changes to the system have "
            "already been undone.",
            "Continuing it would skip steps that have since been undone.",
            f"Finish undoing that run first: rdna1-setup rollback {record.id}. Then start over.",
        )


def _refuse_full_disks(plan: Plan, found: Record | None) -> None:
    """Raise Trouble where what is still to come does not fit on a file system that is written."""
    host = LiveHost()
    done = set(done_steps(plan, found)) if found is not None else set[int]()
    begun = found.intents.keys() if found is not None else ()
    # What an interrupted installation has left is removed before it begins again.
    done |= {n for n in begun if isinstance(plan.steps[n - 1], InstallWheels)}
    needs = needs_of(plan, done, copies=_without_hard_links(host, plan.venv))
    staging = [step.staging for step in plan.steps if isinstance(step, FetchWheels)]
    here = {folder: _bytes_in(folder) for folder in staging}
    left = (replace(each, bytes=max(0, each.bytes - here.get(each.folder, 0))) for each in needs)
    if full := shortage(left, host.disk):
        raise full


def _without_hard_links(host: Host, folder: str) -> bool:
    disk = host.disk(folder)
    kinds = {mount.path: mount.kind for mount in mounts_in(host.read(MOUNTS))}
    return isinstance(disk, Disk) and kinds.get(disk.filesystem) in WITHOUT_HARD_LINKS


def _bytes_in(folder: str) -> int:
    """What was downloaded before."""
    try:
        with os.scandir(folder) as entries:
            return sum(entry.stat(follow_symlinks=False).st_size for entry in entries)
    except OSError:
        return 0


def _refuse_unsettled(plan: Plan) -> None:
    if not plan.settled:
        raise Trouble(
            "The exact system packages are not known yet.",
            "The repository was not queried, so the changes to the system are unknown.",
            "Make the plan again on this machine while it is online. Or use --footprint venv, "
            "which does not need root.",
        )
