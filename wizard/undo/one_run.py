"""Undoing a run, for the command and the wizard alike: which one, what it would do, doing it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from wizard.core.trouble import Trouble, as_trouble
from wizard.journalform import Record
from wizard.places import Places
from wizard.run.lock import only_one
from wizard.run.preflight_folder import drop_preflight
from wizard.run.records import older_runs, read_records, unreadable_runs
from wizard.run.standing import refusal_of_older, stands
from wizard.system.programs import wait_for_strays
from wizard.undo.forgetting import forget, left_by
from wizard.undo.going_back import go_back, newer_run
from wizard.undo.system import refuse_half
from wizard.undo.way_back import Tell, WayBack, find_way_back, tell_nobody

SEE_LIST = "To see the list of runs, use `rdna1-setup rollback --list`."


@dataclass(frozen=True, slots=True)
class Undo:
    """A run that can be undone, and the way back as it is now."""

    record: Record
    way: WayBack

    def __str__(self) -> str:
        return f"Undo run {self.record.id} ({self.record.name}):\n{self.way}"


def find_undo(places: Places, wanted: str = "", *, wait: bool = True) -> Undo:
    """What undoing a run, or the newest one, would do; raises Trouble when it cannot be undone.

    With ``wait``, programs that a killed run left behind may end first: seconds.
    """
    record = _run_to_undo(Path(places.runs), wanted)
    try:
        if wait and record.plan["venv"]:
            wait_for_strays(Path(record.plan["venv"]))
        return Undo(record, find_way_back(record))
    except OSError as error:
        raise as_trouble(error) from None


def undo(
    shown: Undo,
    places: Places,
    time: datetime,
    *,
    system_is_back: bool = False,
    tell: Tell = tell_nobody,
) -> tuple[str, ...]:
    """Go back as it was shown; gives what could not be removed. Raises Trouble, with nothing done,
    when another run is at work, the way back has changed since, or the system's part stands."""
    if not system_is_back:
        refuse_half(shown.record)
    try:
        with only_one(Path(places.state)):
            left = go_back(shown.way, shown.record, time, tell)
            drop_preflight(places)
            return left
    except OSError as error:
        raise as_trouble(error) from None


def find_forgettable(places: Places, wanted: str) -> tuple[Record, tuple[str, ...]]:
    """A run whose folder is gone for good, and what forgetting it leaves; else raises Trouble."""
    record = _run_to_undo(Path(places.runs), wanted)
    refuse_half(record)
    return record, left_by(record)


def forget_run(record: Record, places: Places, time: datetime) -> None:
    """Mark the run as undone, and touch nothing else."""
    try:
        with only_one(Path(places.state)):
            forget(record, time.isoformat(timespec="seconds"))
            drop_preflight(places)
    except OSError as error:
        raise as_trouble(error) from None


def _run_to_undo(runs: Path, wanted: str) -> Record:
    records = read_records(runs)
    standing = list(filter(stands, records))
    chosen = [r for r in standing if r.id == wanted] if wanted else standing[:1]
    older = {run.id: run for run in older_runs(runs) if not run.rolled_back}
    unreadable = unreadable_runs(runs)
    # Without an ID the newest run is meant, also where it cannot be taken back.
    first = max((*older, *unreadable), default="")
    meant = wanted or (first if not chosen or first > chosen[0].id else "")
    if meant in older:
        raise refusal_of_older(older[meant])
    if meant in unreadable:
        raise Trouble(
            f"The journal of run {meant} is damaged or was written by a newer version.",
            "Without a readable journal, the run's files cannot be told apart from yours. "
            "Nothing was changed.",
            f"Name another run by its ID. {SEE_LIST}",
        )
    if not chosen and not wanted:
        raise Trouble(
            "There is no run to undo.",
            "This program has not installed anything, or everything has already been undone.",
            "There is nothing to do. But if an environment contains a .rdna1-setup folder, the "
            "journal of its run was deleted. `rdna1-setup apply` for that environment explains "
            "how to undo the run.",
        )
    if not chosen:
        raise Trouble(f"There is no run {wanted} to undo.", "Nothing was changed.", SEE_LIST)
    if newer := newer_run(chosen[0], records):
        raise Trouble(
            f"Run {newer.id} is newer, and it either uses the same folder or made system changes "
            "too.",
            "Undoing the older run first would remove files that the newer one uses.",
            f"Undo the newer one first: rdna1-setup rollback {newer.id}",
        )
    return chosen[0]
