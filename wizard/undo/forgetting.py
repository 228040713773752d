"""Marks a run as undone whose folder is gone for good; removes nothing."""

from __future__ import annotations

from pathlib import Path

from wizard.core.trouble import Trouble
from wizard.journalform import ROLLED_BACK, Record
from wizard.run.journal import Journal
from wizard.run.standing import absence
from wizard.undo.returns import states_of
from wizard.undo.way_back import own_folders


def left_by(record: Record) -> tuple[str, ...]:
    """What forgetting this run leaves as it is; raises Trouble where undoing it can do better."""
    venv = record.plan["venv"]
    if not absence(record, venv):
        raise Trouble(
            f"{venv} still exists, so run {record.id} can be undone.",
            "If you take the run off the list, its files and its backup can no longer be restored.",
            f"Undo it instead: rdna1-setup rollback {record.id}",
        )
    waiting = [each for each in states_of(record, ()) if each.awaited]
    if waiting:
        raise Trouble(
            f"{waiting[0].backup} contains your packages, which can still be restored.",
            "If you take the run off the list, your packages can no longer be restored.",
            f"First undo as much of it as possible: rdna1-setup rollback {record.id}",
        )
    folders = own_folders(record)
    return (f"{venv} (with everything in it, wherever it is now)", *filter(_is_there, folders))


def forget(record: Record, time: str) -> None:
    """Mark the run as undone."""
    left_by(record)
    Journal(Path(record.folder)).close(ROLLED_BACK, time)


def _is_there(folder: str) -> bool:
    return Path(folder).is_dir()
