"""The way back of an environment that existed: what returns, and what has to make room."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wizard.run.backup import Backup, move_back
from wizard.run.journal import PARTLY_ROLLED_BACK, Record
from wizard.run.trouble import Trouble

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
    files: int
    """Files and links that lie in the backup."""
    in_place: frozenset[str]
    """Paths that are the first state already: never moved, or moved back."""
    awaited: frozenset[str]
    """Paths whose file lies in the backup."""
    lost: tuple[str, ...] = ()
    """Paths of which neither is true any more: somebody removed them from the backup."""

    def __str__(self) -> str:
        names = ", ".join(self.packages[:6]) + (", ..." if len(self.packages) > 6 else "")
        of = f" of {names}" if names else ""
        return f"put back {self.files} files{of} below {self.root}, as they were"


def find_returns(record: Record) -> tuple[Return, ...]:
    """What the run set aside, with its state now; reads only."""
    return tuple(
        _return(step)
        for number, step in enumerate(record.plan["steps"], 1)
        if step["kind"] == "SetAsidePackages" and _require_there(step, number, record)
    )


def _require_there(step: Mapping[str, Any], number: int, record: Record) -> bool:
    """True, or Trouble where what was set aside is not to be found: undone would be a lie."""
    backup = Backup(Path(step["root"]), Path(step["backup"]))
    if number not in record.outcomes or record.state == PARTLY_ROLLED_BACK:
        return True  # nothing was moved for sure, or it is partly back already
    if not os.path.lexists(backup.manifest):
        raise Trouble(
            f"{backup.manifest} is not there: it lists what run {record.id} set aside.",
            "Without it the old packages cannot come back; nothing was changed.",
            f"If {step['root']} was moved, or its disk is not mounted, put it back and run the "
            "same command again. If you removed the backup yourself, install what you need anew.",
        )
    return True


def existed(record: Record) -> bool:
    """True for a run in an environment that was there before it."""
    return any(step["kind"] == "SetAsidePackages" for step in record.plan["steps"])


def put_back(found: Return) -> list[str]:
    """Move the files back; gives what could not be, with the reason."""
    return move_back(Backup(Path(found.root), Path(found.backup)))


def keep_aside(root: Path, paths: Iterable[str]) -> list[str]:
    """Move changed files out of the way, into a folder of their own; gives what could not be."""
    left = []
    for path in paths:
        target = _free(root / KEPT / path)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            (root / path).rename(target)
        except OSError as error:
            left.append(f"{root / path}: {error.strerror}")
    return left


def _return(step: Mapping[str, Any]) -> Return:
    aside = Backup(Path(step["root"]), Path(step["backup"]))
    things = aside.things()
    awaited = frozenset(row.path for row in things if aside.is_kept(row))
    others = [row for row in things if row.path not in awaited]
    in_place = frozenset(row.path for row in others if aside.is_in_place(row))
    return Return(
        root=step["root"],
        site=step["site"],
        backup=step["backup"],
        packages=tuple(f"{name} {version}" for name, version in step["packages"]),
        files=len(awaited),
        in_place=in_place,
        awaited=awaited,
        lost=tuple(row.path for row in others if row.path not in in_place),
    )


def _free(path: Path) -> Path:
    names = (path, *(path.with_name(f"{path.name}-{number}") for number in range(2, 1000)))
    return next(name for name in names if not os.path.lexists(name))
