"""The way back: removes what a run of ours made, and nothing else."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from wizard.run.installed_since import installed_since
from wizard.run.journal import PARTLY_ROLLED_BACK, ROLLED_BACK, Journal, Record, read_record
from wizard.run.ownership import Owned
from wizard.run.prints import Listing, Print, bytecode, listing, prints
from wizard.run.put_back import KEPT, Return, find_returns, keep_aside, put_back
from wizard.run.remains import notes_of_the_venv, remains
from wizard.run.strays import wait_for_strays
from wizard.run.trouble import Trouble
from wizard.run.venv_layout import LAYOUT

SCRATCH = "scratch"
"""Folder of a run for the temporary files of its programs."""


@dataclass(frozen=True, slots=True)
class WayBack:
    """What undoing one run would remove, and what it would leave."""

    run: str
    venv: str
    remove: tuple[str, ...]
    """Files of ours below the venv, relative to it, unchanged since we wrote them."""
    changed: tuple[str, ...]
    """Files of ours that somebody changed since: kept."""
    kept: int
    """Files below the venv that are not ours."""
    kept_bytes: int
    folders: tuple[str, ...]
    """Folders of ours elsewhere, such as the downloads: removed whole."""
    parents: tuple[str, ...]
    """Folders that were made to hold the venv, deepest first: removed when empty."""
    folders_before: tuple[str, ...]
    """Folders that were in the venv's folder before us: kept."""
    returns: tuple[Return, ...] = ()
    """What was set aside in an environment that existed, and comes back."""
    in_the_way: tuple[str, ...] = ()
    """Files below such an environment that the user changed in between: kept aside."""

    def __str__(self) -> str:
        lines = [f"remove {len(self.remove)} files of ours below {self.venv}"]
        if self.returns:
            lines += [str(each) for each in self.returns if each.files]
            lines += [_told_lost(each) for each in self.returns if each.lost]
        if self.in_the_way:
            lines.append(f"keep {_some(self.in_the_way)}, changed by you, in {self.venv}/{KEPT}")
        elif self.changed:
            shown = ", ".join(self.changed[:3]) + (", ..." if len(self.changed) > 3 else "")
            lines.append(f"keep {len(self.changed)} files of ours that were changed: {shown}")
        if self.kept:
            lines.append(f"keep {self.kept} files ({self.kept_bytes} bytes) that are yours")
        lines += [f"remove {folder}" for folder in self.folders]
        return "\n".join(lines)


def find_way_back(record: Record) -> WayBack:
    """What undoing a run would do now; reads only."""
    plan = record.plan
    venv = Path(plan["venv"])
    returns = find_returns(record)
    now = _without_backups(listing(venv), venv, returns)
    # A cut-off step may have written anew what an earlier one had noted as ours.
    ours = {**Owned(Path(record.folder)).read(), **_left_by_interrupted(record)}
    inside = [each for each in returns if Path(each.root) == venv]
    first = {path for each in inside for path in each.in_place}
    ours = {path: seen for path, seen in ours.items() if path not in first}
    ours = {**ours, **_compiled(venv, ours)}
    theirs = installed_since(record, returns, ours)
    ours = {path: seen for path, seen in ours.items() if path not in theirs}
    there = {path: seen for path, seen in ours.items() if path in now.files}
    remove = tuple(sorted(path for path, seen in there.items() if now.files[path] == seen))
    changed = tuple(sorted(set(there) - set(remove)))
    in_the_way = _in_the_way(inside, now, frozenset(remove), changed)
    kept = set(now.files) - set(there) - in_the_way
    before = notes_of_the_venv(record)
    return WayBack(
        run=record.id,
        venv=str(venv),
        remove=remove,
        changed=changed,
        kept=len(kept),
        kept_bytes=sum(now.files[path][0] for path in kept),
        folders=tuple(folder for folder in _own_folders(record) if Path(folder).is_dir()),
        parents=tuple(before.get("made_folders", ())),
        folders_before=tuple(before.get("folders_before", ())),
        returns=returns,
        in_the_way=tuple(sorted(in_the_way)),
    )


def newer_run(record: Record, records: Iterable[Record]) -> Record | None:
    """A later run in the same folder that still stands; its files must go first."""
    here = os.path.realpath(record.plan["venv"])
    for other in records:
        if other.id == record.id:
            return None
        if other.state != ROLLED_BACK and os.path.realpath(other.plan["venv"]) == here:
            return other
    return None


def go_back(way: WayBack, record: Record, time: datetime) -> tuple[str, ...]:
    """Remove what the way back names; gives what could not be removed, with the reason.

    Raises Trouble, and removes nothing, when the way back is another one by now. Call it with the
    lock held.
    """
    wait_for_strays(Path(way.venv))
    if find_way_back(read_record(Path(record.folder)) or record) != way:
        raise Trouble(
            f"Something changed below {way.venv} meanwhile.",
            "What would be removed is no longer what was shown; nothing was removed.",
            "Run the same command again, and look at what it shows.",
        )
    venv, journal = Path(way.venv), Journal(Path(record.folder))
    journal.close(PARTLY_ROLLED_BACK, time.isoformat(timespec="seconds"))
    left = [problem for path in way.remove if (problem := _removed(venv / path))]
    left += keep_aside(venv, way.in_the_way)
    held = frozenset(str(Path(path).parent) for path in way.remove) - {"."}
    if not way.returns or way.folders_before:  # else that environment was not touched yet
        _drop_empty(venv, held, frozenset(way.folders_before))
    left += [problem for each in way.returns for problem in put_back(each)]
    for folder in way.folders:
        shutil.rmtree(folder, onerror=lambda _f, path, why: left.append(f"{path}: {why[1]}"))
    for parent in way.parents:
        with contextlib.suppress(OSError):
            Path(parent).rmdir()  # only when empty
    shutil.rmtree(Path(record.folder) / SCRATCH, ignore_errors=True)
    state = PARTLY_ROLLED_BACK if left else ROLLED_BACK
    journal.close(state, time.isoformat(timespec="seconds"))
    # No second try would bring those: they do not keep the run open.
    return (*left, *(_told_lost(each) for each in way.returns if each.lost))


def _in_the_way(
    returns: list[Return], now: Listing, remove: frozenset[str], changed: Iterable[str]
) -> set[str]:
    """What lies where something comes back and was not written by us, or was changed since."""
    awaited = {path for each in returns for path in each.awaited}
    return (awaited & set(now.files) - remove) | set(changed) if returns else set()


def _told_lost(back: Return) -> str:
    return (
        f"{len(back.lost)} files below {back.root} cannot come back, for they are in "
        f"{back.backup} no more: {_some(back.lost)}; install what they belong to anew"
    )


def _some(paths: tuple[str, ...]) -> str:
    more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
    return f"{', '.join(paths[:3])}{more}"


def _without_backups(found: Listing, venv: Path, returns: tuple[Return, ...]) -> Listing:
    """The listing without the backups themselves: they are neither ours to remove nor theirs."""
    inside = tuple(
        f"{os.path.relpath(each.backup, venv)}/" for each in returns if Path(each.root) == venv
    )
    files = {p: seen for p, seen in found.files.items() if not p.startswith(inside)}
    return Listing(files, found.folders)


def _removed(path: Path) -> str:
    try:
        path.unlink()
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f"{path}: {error.strerror}"
    return ""


def _drop_empty(venv: Path, held: frozenset[str], before: frozenset[str]) -> None:
    """Remove folders of the venv's own layout that are empty now, deepest first."""
    folders = (listing(venv).folders | held) - before
    for folder in sorted(folders, key=len, reverse=True):
        if folder in held or folder.split("/", 1)[0] in LAYOUT:
            with contextlib.suppress(OSError):
                (venv / folder).rmdir()


def _left_by_interrupted(record: Record) -> dict[str, Print]:
    """Files of steps that were begun and never finished, told by what they would write."""
    return {p: seen for number in record.interrupted for p, seen in remains(record, number).items()}


def _compiled(venv: Path, ours: Iterable[str]) -> dict[str, Print]:
    """Bytecode that Python made later from sources of ours."""
    found: dict[str, Print] = {}
    for path in ours:
        found.update(prints(venv, bytecode(venv / path)))
    return found


def _own_folders(record: Record) -> tuple[str, ...]:
    return tuple(
        s["folder"] for s in record.plan["steps"] if s["kind"] == "DropDownloads" and "folder" in s
    )
