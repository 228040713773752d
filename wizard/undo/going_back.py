"""The way back: removes what a run of ours made, and nothing else."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable
from datetime import datetime
from itertools import count
from pathlib import Path

from wizard.core.events import REMOVED, RESTORED
from wizard.core.trouble import Trouble
from wizard.host.environment import LAYOUT
from wizard.host.files import listing
from wizard.journalform import PARTLY_ROLLED_BACK, ROLLED_BACK, Kind, Record
from wizard.operations.remove import Remove
from wizard.plan.steps import USER_EDITS
from wizard.run.environment.ownership import Owned
from wizard.run.environment.strays import wait_for_strays
from wizard.run.journal import Journal
from wizard.run.records import read_record
from wizard.run.run_folder import SCRATCH
from wizard.system.system import System
from wizard.undo.returns import keep_aside, put_back
from wizard.undo.way_back import Tell, WayBack, find_way_back, tell_nobody


def newer_run(record: Record, records: Iterable[Record]) -> Record | None:
    """A later run that still stands, in the same folder or on the system: it must go first."""
    here = _place(record)
    for other in records:
        if other.id == record.id:
            return None
        if other.state == ROLLED_BACK or other.kind is Kind.ROLLBACK:
            continue
        there = _place(other)
        same_folder = here != "" and (there == here or _edits_below(other, here))
        # What was exchanged below a folder may have gone with what a later run replaced there.
        same_folder = same_folder or (there != "" and _edits_below(record, there))
        if same_folder or (_of_system(other) and _of_system(record)):
            return other
    return None


def _place(record: Record) -> str:
    """Where the folder of a run really is; ``""`` for a run without one."""
    venv = record.plan["venv"]
    return os.path.realpath(venv) if venv else ""


def _edits_below(record: Record, folder: str) -> bool:
    """True for a run that edited files in that folder, or exchanged some."""
    kinds = {kind.__name__ for kind in USER_EDITS}
    edits = (step for step in record.plan["steps"] if step["kind"] in kinds)
    return any(os.path.realpath(step["path"]).startswith(f"{folder}/") for step in edits)


def _of_system(record: Record) -> bool:
    return any(step.get("needs_root") for step in record.plan["steps"]) or not record.plan["venv"]


def go_back(
    way: WayBack, record: Record, time: datetime, tell: Tell = tell_nobody
) -> tuple[str, ...]:
    """Remove what the way back names; gives what could not be removed, with the reason.

    Raises Trouble, and removes nothing, when the way back is another one by now. Call it with the
    lock held.
    """
    if not way.venv:
        return _without_folder(record, time)
    wait_for_strays(Path(way.venv))
    if find_way_back(read_record(Path(record.folder)) or record, tell) != way:
        raise Trouble(
            f"The contents of {way.venv} have changed in the meantime.",
            "The files are no longer the ones you were shown. Nothing was removed.",
            "Run the same command again, and check what it shows.",
        )
    venv, journal = Path(way.venv), Journal(Path(record.folder))
    journal.close(PARTLY_ROLLED_BACK, time.isoformat(timespec="seconds"))
    coming = sum(len(each.awaited) for each in way.returns)
    total, unit = len(way.remove) + coming, RESTORED if coming else REMOVED
    left: list[str] = []
    removal = Remove("", "", way.venv, {path: way.seen[path] for path in way.remove})
    for number, problem in enumerate(removal.removing(System({}, "", lambda: False)), 1):
        left += [problem] if problem else []
        tell(number, total, unit)
    left += keep_aside(venv, way.in_the_way)
    _drop_empty(way, {*Owned(Path(record.folder)).read(), *way.remove})
    back = count(len(way.remove) + 1)
    moved = [put_back(each, lambda: tell(next(back), total, unit)) for each in way.returns]
    left += [problem for each in moved for problem in each.left]
    for folder in way.folders:
        shutil.rmtree(folder, onerror=lambda _f, path, why: left.append(_problem(path, why[1])))
    for parent in way.parents:
        with contextlib.suppress(OSError):
            Path(parent).rmdir()  # only when empty
    shutil.rmtree(Path(record.folder) / SCRATCH, ignore_errors=True)
    state = PARTLY_ROLLED_BACK if left else ROLLED_BACK
    journal.close(state, time.isoformat(timespec="seconds"))
    # No second try would mend those: they do not keep the run open.
    told = [word for each in moved for word in each.told]
    return (*left, *told, *(word for each in way.returns for word in each.told()))


def _without_folder(record: Record, time: datetime) -> tuple[str, ...]:
    """Nothing of ours is left of a run about the system alone, once that is back."""
    shutil.rmtree(Path(record.folder) / SCRATCH, ignore_errors=True)
    Journal(Path(record.folder)).close(ROLLED_BACK, time.isoformat(timespec="seconds"))
    return ()


def _problem(path: object, error: BaseException) -> str:
    return f"not removed: {path}: {getattr(error, 'strerror', None) or error}"


def _drop_empty(way: WayBack, ours: Iterable[str]) -> None:
    """Remove folders that are empty now, deepest first: of the venv's own layout, or only those
    that held files of ours where the environment was there before."""
    lowest = {os.path.dirname(path) for path in ours}  # noqa: PTH120 - tens of thousands of paths
    held = {*lowest, *way.emptied, *(str(at) for path in lowest for at in Path(path).parents)}
    for folder in sorted(listing(Path(way.venv)).folders, key=len, reverse=True):
        ours_too = folder in held or (folder.split("/", 1)[0] in LAYOUT and not way.returns)
        if ours_too and folder not in way.folders_before:
            with contextlib.suppress(OSError):
                Path(way.venv, folder).rmdir()
