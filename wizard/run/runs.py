"""Which runs there were, and how each stands: by what they wrote down."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from wizard.core.journal import (
    FILE,
    OLDER,
    PARTLY_ROLLED_BACK,
    ROLLED_BACK,
    UNFINISHED,
    Kind,
    OlderRun,
    Record,
    older_run_of,
    record_of,
)
from wizard.core.own_files import Places
from wizard.core.trouble import Trouble
from wizard.host.host import Host, places_of
from wizard.root.session import STATE, begun_by_helper, undo_script


def read_record(folder: Path) -> Record | None:
    """The run in a folder, or None when there is no usable journal in it."""
    return record_of(folder.name, str(folder), _complete_lines(folder))


def last_written_ns(folder: Path) -> int:
    """When the journal of a run was last added to, as the file system tells it."""
    return (folder / FILE).stat().st_mtime_ns


def read_records(runs: Path) -> tuple[Record, ...]:
    """Every run of ours, newest first."""
    found = map(read_record, _newest_first(runs))
    return tuple(record for record in found if record is not None)


def records_of(host: Host) -> tuple[Record, ...]:
    """Every run of ours on this machine, newest first; a recorded machine has none here."""
    return () if host.name else read_records(Path(places_of(host).runs))


def older_runs(runs: Path) -> tuple[OlderRun, ...]:
    """Every run that an older version of this program recorded, newest first."""
    folders = _newest_first(runs)
    found = (older_run_of(each.name, str(each), _complete_lines(each)) for each in folders)
    return tuple(run for run in found if run is not None)


def unreadable_runs(runs: Path) -> tuple[str, ...]:
    """Names of runs that began and whose journal is damaged or of a newer version, newest first."""
    older = {run.id for run in older_runs(runs)}
    return tuple(
        folder.name
        for folder in _newest_first(runs)
        if folder.name not in older and read_record(folder) is None and _complete_lines(folder)
    )


def _newest_first(runs: Path) -> list[Path]:
    try:
        return sorted((entry for entry in runs.iterdir() if entry.is_dir()), reverse=True)
    except OSError:
        return []


def _complete_lines(folder: Path) -> list[bytes]:
    """Whole lines only: while the first one is not, no step has acted."""
    try:
        return (folder / FILE).read_bytes().split(b"\n")[:-1]
    except OSError:
        return []


def can_undo(places: Places) -> bool:
    """True when there is a run that was not undone yet, also one of an older version: how to undo
    that one by hand is told."""
    runs = Path(places.runs)
    return any(map(undoable, read_records(runs))) or any(
        not r.rolled_back for r in older_runs(runs)
    )


def undoable(record: Record) -> bool:
    """True for a run that can be undone; a rollback is none: to undo it is to install again."""
    return record.state != ROLLED_BACK and record.kind is not Kind.ROLLBACK


def unfinished_run(places: Places) -> Record | None:
    """The newest run that stopped before its end and was not undone."""
    records = read_records(Path(places.runs))
    waiting = (r for r in records if r.state == UNFINISHED and r.kind is not Kind.ROLLBACK)
    return next((r for r in waiting if rollback_begun(r, places) is None), None)


def half_undone(places: Places) -> Record | None:
    """The newest run, where its rollback has begun and has not ended."""
    # Roll back is about this one and no other.
    newest = next(filter(undoable, read_records(Path(places.runs))), None)
    if newest is None:
        return None
    begun = newest.state == PARTLY_ROLLED_BACK or rollback_begun(newest, places) is not None
    return newest if begun else None


def rollback_begun(record: Record, places: Places, state: Path = STATE) -> Record | None:
    """The newest rollback of this run's part in the system that did something already."""
    for each in read_records(Path(places.runs)):
        its_own = each.kind is Kind.ROLLBACK and each.plan["takes_back"] == record.plan["id"]
        if its_own and each.id > record.id and (each.outcomes or begun_by_helper(each.id, state)):
            return each
    return None


def made_by_us(places: Places, folder: str) -> bool:
    """True for a folder in which a run of ours that still stands makes or made a venv."""
    here, runs = os.path.realpath(folder), Path(places.runs)
    records = read_records(runs)
    # What an older version made is refused as its own, and never taken for the user's.
    return older_run_in(folder, records, older_runs(runs)) is not None or any(
        record.state != ROLLED_BACK
        and os.path.realpath(record.plan["venv"]) == here
        and any(step["kind"] == "CreateEnvironment" for step in record.plan["steps"])
        for record in records
    )


def older_run_in(
    folder: str, records: Iterable[Record], older: Iterable[OlderRun]
) -> OlderRun | None:
    """The newest run in a folder that is still in use, where an older version recorded that run."""
    here = os.path.realpath(folder)
    standing = (run for run in older if run.venv and not run.rolled_back)
    found = [run for run in standing if os.path.realpath(run.venv) == here]
    placed = (record for record in records if record.plan["venv"])
    later = [record.id for record in placed if os.path.realpath(record.plan["venv"]) == here]
    newest = max(found, key=lambda run: run.id, default=None)
    if newest is None or newest.id < max(later, default="") or not _in_use(Path(folder)):
        return None
    return newest


def _in_use(folder: Path) -> bool:
    try:
        return any(folder.iterdir())
    except OSError as error:  # what may not be looked at is taken for full
        return isinstance(error, PermissionError)


def refusal_of_older(run: OlderRun) -> Trouble:
    """Why a run that an older version recorded is neither continued nor undone."""
    system = (
        f"To undo the run's changes to the system, run as root: sh {undo_script(run.id)} (if "
        "that file does not exist, the run made no such "
        "changes). "
    )
    folder = (
        f"If the run created {run.venv} and nothing in it is yours, delete that folder yourself. "
    )
    return Trouble(
        f"Run {run.id} was {OLDER}.",
        "This version of rdna1-setup can neither continue nor undo that run. Nothing was changed.",
        f"{system if run.needs_root else ''}{folder if run.venv else ''}The record of the run is "
        f"in {run.folder}. To take the run off the list, delete that folder when you no longer "
        "need it.",
    )


def absence(record: Record, folder: str) -> str:
    """Why a folder is not the one that the run worked in; ``""`` when it is."""
    root = Path(folder)
    # An empty folder may be where a disk is mounted at other times.
    if not root.is_dir() or not any(root.iterdir()):
        return f"{root} does not exist"
    here, led = os.path.realpath(root), _led_to(record, folder)
    return (
        (f"{root} now points to {here}, but pointed to {led} before")
        if led not in ("", here)
        else ""
    )


def _led_to(record: Record, folder: str) -> str:
    """Where the folder really was when the run changed it; ``""`` where nobody noted that."""
    steps = record.plan["steps"]
    noted = (n for number, n in record.intents.items() if steps[number - 1].get("root") == folder)
    return next((str(each["real"]) for each in noted if "real" in each), "")


BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
NOTE = "boot"
"""What the journal calls the boot in which a step began that takes out a driver."""
WAITS = (
    "Restart this machine, then start rdna1-setup again. Run {0} removed AMD's kernel driver, "
    "but the kernel keeps using the loaded driver until the restart."
)
RESTARTED = (
    "This machine has been restarted since run {0} removed AMD's kernel driver. Next, use "
    "Diagnose to see whether the kernel's own driver runs the card, then use Start to set up "
    "PyTorch."
)


def this_boot() -> str:
    """A digest that is another one after each restart; ``""`` where the kernel gives none."""
    try:
        return hashlib.sha256(BOOT_ID.read_bytes()).hexdigest()[:12]
    except OSError:
        return ""


def restart_waits(intents: Mapping[int, Mapping[str, Any]]) -> bool:
    """True while the kernel that runs may still hold a driver that a run with these intents took
    out."""
    boot = this_boot()
    return bool(boot) and any(noted.get(NOTE) == boot for noted in intents.values())


def restart_words(places: Places) -> str:
    """That a restart waits, or that it has happened and what comes next; ``""`` for neither.

    The next step is told until another run begins.
    """
    standing = [r for r in read_records(Path(places.runs)) if undoable(r) and r.state != UNFINISHED]
    for record in standing:
        if restart_waits(record.intents):
            return WAITS.format(record.id)
    newest = standing[0] if standing else None
    if newest is not None and any(NOTE in noted for noted in newest.intents.values()):
        return RESTARTED.format(newest.id)
    return ""
