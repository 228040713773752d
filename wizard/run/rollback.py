"""Undoing a whole run, for the command and the wizard alike: root's part first, then its folder."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import count
from pathlib import Path

from wizard.core.events import (
    REMOVED,
    RESTORED,
    Event,
    Output,
    PlanFinished,
    Progress,
    StepFailed,
    StepFinished,
    StepStarted,
)
from wizard.core.journal import PARTLY_ROLLED_BACK, ROLLED_BACK, Kind, Record
from wizard.core.lines import clean
from wizard.core.own_files import Places
from wizard.core.time_left import TOLD_S
from wizard.core.trouble import Trouble, as_trouble
from wizard.host.environment import LAYOUT
from wizard.host.files import Print, listing, print_of
from wizard.host.host import Host
from wizard.operations.edit_lines import EditLines
from wizard.plan.form import operation_of
from wizard.plan.rollback import FOLDER_REASON
from wizard.root.session import undo_script
from wizard.run.executor import Executor, now
from wizard.run.journal import SCRATCH, Journal, Owned
from wizard.run.lock import only_one
from wizard.run.preflight import drop_preflight
from wizard.run.rollback_folder import (
    FolderRollback,
    Tell,
    find_folder_rollback,
    keep_aside,
    own_folders,
    put_back,
    set_aside_by,
    tell_nobody,
)
from wizard.run.rollback_system import SystemRollback, find_system_rollback, touched_system
from wizard.run.runs import (
    absence,
    older_runs,
    read_record,
    read_records,
    refusal_of_older,
    undoable,
    unreadable_runs,
)
from wizard.system.programs import wait_for_strays

SEE_LIST = "To see the list of runs, use `rdna1-setup rollback --list`."


@dataclass(frozen=True, slots=True)
class Undo:
    """What undoing a run would do, as it is now."""

    record: Record
    folder: FolderRollback
    """What is done last."""
    system: SystemRollback = SystemRollback()  # noqa: RUF009 - frozen, and says nothing
    """What root undoes first."""

    @property
    def left(self) -> tuple[str, ...]:
        """What stays as it is on the system, and why."""
        return (*map(_lost, self.system.lost), *self.system.changed)

    def __str__(self) -> str:
        gone = "".join(f"\nnot restored: {_lost(each)}" for each in self.system.lost)
        changed = "".join(f"\nleave unchanged: {each}" for each in self.system.changed)
        run = f"Undo run {self.record.id} ({self.record.name}):"
        return f"{run}\n{self.folder}{gone}{changed}"


def find_undo(places: Places, host: Host, wanted: str = "", *, wait: bool = True) -> Undo:
    """What undoing a run, or the newest one, would do; raises Trouble where there is none.

    With ``wait``, programs that a killed run left behind may end first: seconds.
    """
    record = _run_to_undo(Path(places.runs), wanted)
    try:
        if wait and record.plan["venv"]:
            wait_for_strays(Path(record.plan["venv"]))
        folder = find_folder_rollback(record)
    except OSError as error:
        raise as_trouble(error) from None
    return Undo(record, folder, find_system_rollback(record, host, places))


def _lost(package: tuple[str, str]) -> str:
    return f"{' '.join(package)} was removed permanently, and no package file was kept"


def _run_to_undo(runs: Path, wanted: str) -> Record:
    records = read_records(runs)
    standing = list(filter(undoable, records))
    chosen = [r for r in standing if r.id == wanted] if wanted else standing[:1]
    older = {run.id: run for run in older_runs(runs) if not run.rolled_back}
    unreadable = unreadable_runs(runs)
    # Without an ID the newest run is meant, also where it cannot be undone.
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
        # A later run may have replaced what was edited below its folder.
        same_folder = same_folder or (there != "" and _edits_below(record, there))
        if same_folder or (_of_system(other) and _of_system(record)):
            return other
    return None


def _place(record: Record) -> str:
    """Where the folder of a run really is; ``""`` for a run without one."""
    venv = record.plan["venv"]
    return os.path.realpath(venv) if venv else ""


def _edits_below(record: Record, folder: str) -> bool:
    """True for a run that edited files in that folder."""
    steps = map(operation_of, record.plan["steps"])
    paths = (os.path.realpath(step.path) for step in steps if isinstance(step, EditLines))
    return any(path.startswith(f"{folder}/") for path in paths)


def _of_system(record: Record) -> bool:
    return any(step.get("needs_root") for step in record.plan["steps"]) or not record.plan["venv"]


class Rollback:
    """Undoes a run as it was shown; the executor must be one that acts."""

    def __init__(
        self,
        shown: Undo,
        executor: Executor,
        places: Places,
        clock: Callable[[], datetime] = now,
    ) -> None:
        self._shown = shown
        self._executor = executor
        self._places = places
        self._clock = clock
        self._cancelled = False
        self._log = ""
        self._progress: Progress | None = None

    def cancel(self) -> None:
        """Stop between two steps."""
        self._cancelled = True
        self._executor.cancel()

    async def events(self) -> AsyncGenerator[Event, None]:
        """What happens, as of one plan; the folder is its last step."""
        system, before = self._shown.system.plan, 0
        if system is not None:
            before = len(system.steps)
            async with aclosing(self._executor.carry_out(system)) as events:
                async for event in events:
                    match event:
                        case StepStarted():
                            yield replace(event, total=before + 1)
                        case PlanFinished(ok=True):
                            self._log = event.log
                        case PlanFinished():
                            yield event
                            return
                        case _:
                            yield event
        if self._cancelled:
            yield self._end(ok=False)
            return
        async for event in self._folder_events(before + 1):
            yield event

    async def _folder_events(self, number: int) -> AsyncGenerator[Event, None]:
        run, venv, began = self._shown.record.id, self._shown.folder.venv, time.monotonic()
        text = f"undo run {run}{f' in {venv}' if venv else ''}"
        yield StepStarted(number, number, text, FOLDER_REASON)
        try:
            undoing = asyncio.ensure_future(asyncio.to_thread(self._undo))
            told = None
            while not undoing.done():
                await asyncio.wait((undoing,), timeout=TOLD_S)
                if self._progress is not None and self._progress is not told:
                    yield (told := self._progress)
            left = (*self._shown.left, *await undoing)
        except Trouble as trouble:
            yield StepFailed(number, trouble.happened, trouble.meaning, trouble.next_step)
            yield self._end(ok=False)
            return
        if left:
            yield Output(tuple(clean(line).replace("\n", "?") for line in left))
            yield self._not_all(number, left)
        else:
            yield StepFinished(number, time.monotonic() - began, False, "undone")
        yield self._end(ok=not left)

    def _undo(self) -> tuple[str, ...]:
        """Undo the folder's part; gives what could not be undone. Raises Trouble, with nothing
        done, when another run is at work, or something has changed since."""
        record, folder = self._shown.record, self._shown.folder
        try:
            with only_one(Path(self._places.state)):
                left = roll_back_folder(folder, record, self._clock(), self._tell)
                drop_preflight(self._places)
                return left
        except OSError as error:
            raise as_trouble(error) from None

    def _tell(self, done: int, total: int, unit: str) -> None:
        # From the thread that removes: whoever shows it looks a few times a second.
        self._progress = Progress(done, total, unit, "", None)

    def _not_all(self, number: int, left: tuple[str, ...]) -> StepFailed:
        record = read_record(Path(self._shown.record.folder))
        closed = record is not None and record.state == ROLLED_BACK
        count = "one thing" if len(left) == 1 else f"{len(left)} things"
        return StepFailed(
            number,
            f"The run was undone, except for {count}: {left[0]}",
            "Everything else is as it was before the run. "
            + (
                "The run is now listed as undone."
                if closed
                else "You can roll back this run again."
            ),
            "The lines above show what went wrong and why.",
        )

    def _end(self, *, ok: bool) -> PlanFinished:
        return PlanFinished(ok, self._cancelled and not ok, True, False, "", self._log)


def roll_back_folder(
    shown: FolderRollback, record: Record, time: datetime, tell: Tell = tell_nobody
) -> tuple[str, ...]:
    """Remove what was shown and move back what was set aside; gives what could not be, with the
    reason.

    Raises Trouble, and removes nothing, where the folder would give another answer by now. Call it
    with the lock held.
    """
    journal, now = Journal(Path(record.folder)), time.isoformat(timespec="seconds")
    if not shown.venv:  # a run about the system alone: nothing else of it is left
        shutil.rmtree(Path(record.folder) / SCRATCH, ignore_errors=True)
        journal.close(ROLLED_BACK, now)
        return ()
    wait_for_strays(Path(shown.venv))
    if find_folder_rollback(read_record(Path(record.folder)) or record, tell) != shown:
        raise Trouble(
            f"The contents of {shown.venv} have changed in the meantime.",
            "The files are no longer the ones you were shown. Nothing was removed.",
            "Run the same command again, and check what it shows.",
        )
    journal.close(PARTLY_ROLLED_BACK, now)
    coming = sum(len(each.awaited) for each in shown.set_aside)
    total, unit = len(shown.remove) + coming, RESTORED if coming else REMOVED
    left: list[str] = []

    def not_removed(
        _function: object, path: str, why: tuple[object, BaseException, object]
    ) -> None:
        left.append(f"not removed: {path}: {getattr(why[1], 'strerror', None) or why[1]}")

    for number, path in enumerate(shown.remove, 1):
        left += _remove_unchanged(Path(shown.venv, path), shown.seen[path])
        tell(number, total, unit)
    left += keep_aside(Path(shown.venv), shown.in_the_way)
    _drop_empty(shown, {*Owned(Path(record.folder)).read(), *shown.remove})
    back = count(len(shown.remove) + 1)
    moved = [put_back(each, lambda: tell(next(back), total, unit)) for each in shown.set_aside]
    left += [problem for each in moved for problem in each.left]
    for folder in shown.folders:
        shutil.rmtree(folder, onerror=not_removed)
    for parent in shown.parents:
        with contextlib.suppress(OSError):
            Path(parent).rmdir()  # only when empty
    shutil.rmtree(Path(record.folder) / SCRATCH, ignore_errors=True)
    journal.close(PARTLY_ROLLED_BACK if left else ROLLED_BACK, now)
    # No second try would fix those: they do not keep the run open.
    told = [word for each in moved for word in each.told]
    return (*left, *told, *(word for each in shown.set_aside for word in each.told()))


def _remove_unchanged(path: Path, seen: Print) -> Iterator[str]:
    """Remove a file that nobody changed since it was looked at; gives why it was left."""
    if print_of(path) not in (None, seen):
        yield f"not removed, because it was changed: {path}"
        return
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        yield f"not removed: {path}: {error.strerror or error}"


def _drop_empty(shown: FolderRollback, ours: Iterable[str]) -> None:
    """Remove folders that are empty now, deepest first: of the venv's own layout, or only those
    that held files of ours where the environment was there before."""
    lowest = {os.path.dirname(path) for path in ours}  # noqa: PTH120 - tens of thousands of paths
    held = {*lowest, *shown.emptied, *(str(at) for path in lowest for at in Path(path).parents)}
    for folder in sorted(listing(Path(shown.venv)).folders, key=len, reverse=True):
        ours_too = folder in held or (folder.split("/", 1)[0] in LAYOUT and not shown.set_aside)
        if ours_too and folder not in shown.folders_before:
            with contextlib.suppress(OSError):
                Path(shown.venv, folder).rmdir()


def find_forgettable(places: Places, wanted: str) -> tuple[Record, tuple[str, ...]]:
    """A run whose folder is gone for good, and what forgetting it leaves as it is; raises Trouble
    where undoing it can do better."""
    record = _run_to_undo(Path(places.runs), wanted)
    if touched_system(record):
        raise Trouble(
            f"Run {record.id} also changed system packages, or files outside its folder.",
            "If you take the run off the list, its changes to the system can no longer be undone.",
            f"Run `rdna1-setup rollback {record.id}` in a terminal. It shows both parts and asks "
            "you to confirm. To undo the system part without this program, run as root: sh "
            f"{undo_script(record.id)}",
        )
    return record, left_by(record)


def forget_run(record: Record, places: Places, time: datetime) -> None:
    """Mark the run as undone, and touch nothing else."""
    try:
        with only_one(Path(places.state)):
            left_by(record)
            Journal(Path(record.folder)).close(ROLLED_BACK, time.isoformat(timespec="seconds"))
            drop_preflight(places)
    except OSError as error:
        raise as_trouble(error) from None


def left_by(record: Record) -> tuple[str, ...]:
    """What forgetting a run leaves as it is; raises Trouble where undoing it can do better."""
    venv = record.plan["venv"]
    if not absence(record, venv):
        raise Trouble(
            f"{venv} still exists, so run {record.id} can be undone.",
            "If you take the run off the list, its files and its backup can no longer be restored.",
            f"Undo it instead: rdna1-setup rollback {record.id}",
        )
    waiting = [each for each in set_aside_by(record, ()) if each.awaited]
    if waiting:
        raise Trouble(
            f"{waiting[0].backup} contains your packages, which can still be restored.",
            "If you take the run off the list, your packages can no longer be restored.",
            f"First undo as much of it as possible: rdna1-setup rollback {record.id}",
        )
    folders = (folder for folder in own_folders(record) if Path(folder).is_dir())
    return (f"{venv} (with everything in it, wherever it is now)", *folders)
