"""The way back of an environment that existed: what returns, and what has to make room."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wizard.core.lines import clean
from wizard.core.sizes import counted
from wizard.core.trouble import Trouble
from wizard.host.distributions import named_in
from wizard.journalform import Record
from wizard.run.environment.backup import Backup, State
from wizard.run.environment.moving import MovedBack, move_back
from wizard.run.standing import absence

KEPT = "rdna1-setup-kept"
"""Folder for files that the user changed in the meantime."""


@dataclass(frozen=True, slots=True)
class Return:
    """What one step set aside, and how it comes back."""

    root: str
    site: str
    """The site folder of these packages."""
    backup: str
    packages: tuple[str, ...]
    """Name and version of each distribution that returns."""
    awaited: frozenset[str] = frozenset()
    """Paths whose file lies in the backup."""
    in_place: frozenset[str] = frozenset()
    """Paths that are the first state already: never moved, or moved back."""
    changed: frozenset[str] = frozenset()
    """Paths at which something else stands, that is not ours."""
    lost: tuple[str, ...] = ()
    """Paths, or packages where the list is gone too, that were removed from the backup."""
    unlisted: bool = False
    """True where the list is gone, or was never written."""
    absent: str = ""
    """Why the environment cannot be reached now; ``""`` when it can."""

    def __str__(self) -> str:
        names = ", ".join(self.packages[:6]) + (", ..." if len(self.packages) > 6 else "")
        of = f" of {names}" if names else ""
        return f"restore {counted(len(self.awaited), 'file')}{of} in {self.root}"

    def told(self) -> tuple[str, ...]:
        """What does not come back, and no second try would bring."""
        lost = f"cannot be restored, because it is no longer in {self.backup}: {some(self.lost)}"
        return (f"{lost}. Install it again.",) if self.lost else ()


def find_returns(record: Record, ours: Collection[str]) -> tuple[Return, ...]:
    """What the run set aside, with its state now; ``ours`` are paths below the venv. Reads only.

    Raises Trouble where nothing can come back because its environment is not there now: it may
    be moved or unmounted, and undone would be a lie.
    """
    found = states_of(record, ours)
    absent = next((each for each in found if each.absent), None)
    if absent and not any(each.awaited for each in found):
        raise Trouble(
            f"{absent.absent}. The backup of run {record.id} is in that environment.",
            "Without the backup, the old packages cannot be restored. Nothing was changed.",
            f"If it was moved, or its disk is not mounted, restore {absent.root} and run the same "
            f"command again. If it is lost, run: rdna1-setup rollback --forget {record.id}",
        )
    return found


def states_of(record: Record, ours: Collection[str]) -> tuple[Return, ...]:
    """The state of each step that sets packages aside, whether it can be gone back on or not."""
    steps = [(n, s) for n, s in enumerate(record.plan["steps"], 1) if _sets_aside(s)]
    return tuple(_return(number, step, record, ours) for number, step in steps)


def existed(record: Record) -> bool:
    """True for a run in an environment that was there before it."""
    return any(map(_sets_aside, record.plan["steps"]))


def put_back(found: Return, tell: Callable[[], None]) -> MovedBack:
    """Move the files back; ``tell`` hears of each."""
    if found.absent:
        return MovedBack((f"not restored: {found.absent}. Roll back again when it exists.",), ())
    return move_back(Backup(Path(found.root), Path(found.backup)), tell)


def keep_aside(root: Path, paths: Collection[str]) -> list[str]:
    """Move changed files out of the way, into a folder of their own; gives what could not be."""
    if (root / KEPT).is_symlink() and paths:
        return [f"not moved: {root / KEPT} is a link. Remove the link, then roll back again."]
    left = []
    for path in paths:
        target = _free(root / KEPT / path)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            (root / path).rename(target)
        except OSError as error:
            left.append(f"not moved to {root / KEPT}: {root / path}: {error.strerror}")
    return left


def some(paths: Collection[str]) -> str:
    """The first paths of many, each fit for one line."""
    shown = ", ".join(clean(path).replace("\n", "?") for path in sorted(paths)[:3])
    return f"{shown} and {len(paths) - 3} more" if len(paths) > 3 else shown


def _sets_aside(step: Mapping[str, Any]) -> bool:
    return bool(step["kind"] == "SetAsidePackages")


def _return(number: int, step: Mapping[str, Any], record: Record, ours: Collection[str]) -> Return:
    packages = tuple(f"{name} {version}" for name, version in step["packages"])
    back = Return(step["root"], step["site"], step["backup"], packages)
    if number not in record.intents:
        return back  # nothing was moved; a backup there is another run's
    if absent := absence(record, back.root):
        return replace(back, absent=absent)
    aside = Backup(Path(back.root), Path(back.backup))
    if not os.path.lexists(aside.manifest):
        return replace(back, unlisted=True, lost=_missing(back, step, ours))
    states = {row.path: aside.state(row) for row in aside.things()}
    mine = ours if back.root == record.plan["venv"] else ()
    otherwise = _in(states, State.OTHERWISE)
    return replace(
        back,
        awaited=_in(states, State.WAITS),
        in_place=_in(states, State.IN_PLACE),
        changed=otherwise.difference(mine),
        lost=tuple(sorted(_in(states, State.GONE) | otherwise.intersection(mine))),
    )


def _in(states: Mapping[str, State], state: State) -> frozenset[str]:
    return frozenset(path for path, seen in states.items() if seen is state)


def _missing(back: Return, step: Mapping[str, Any], ours: Collection[str]) -> tuple[str, ...]:
    """Packages that were set aside, or were to be, and of which no version of the user's stands."""
    # A folder without METADATA is what a move that was cut off has left.
    infos = (info.parent for info in Path(back.site).glob("[!~]*.dist-info/METADATA"))
    theirs = (i for i in infos if os.path.relpath(i / "METADATA", back.root) not in ours)
    there = {named_in(info)[0] for info in theirs}
    return tuple(f"{name} {version}" for name, version in step["packages"] if name not in there)


def _free(path: Path) -> Path:
    names = (path, *(path.with_name(f"{path.name}-{number}") for number in range(2, 1000)))
    return next(name for name in names if not os.path.lexists(name))
