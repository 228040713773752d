"""Moves the files of a list into its backup, and back."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wizard.host.files import straight
from wizard.machine.contents import BEFORE
from wizard.run.environment.backup import FILES, FOLDER, Backup, Row, seen_row
from wizard.system.whole_file import draft_of


@dataclass(frozen=True, slots=True)
class MovedBack:
    """What moving back came to."""

    left: tuple[str, ...]
    """What could not be moved back, each with the reason: it may be tried again."""
    told: tuple[str, ...]
    """What is back, but is not what it was: no second try would mend that."""


def move_aside(aside: Backup) -> int:
    """Move what is still in its place, as it was, into the backup; gives the number of files.

    What stands there otherwise came later: in the backup it would pass for the first state.
    """
    moved = 0
    for row in aside.things():
        if not aside.is_kept(row) and aside.is_in_place(row):
            aside.kept(row).parent.mkdir(parents=True, exist_ok=True)
            aside.place(row).rename(aside.kept(row))
            moved += 1
    _drop_emptied(aside)
    return moved


def move_back(aside: Backup, tell: Callable[[], None] = lambda: None) -> MovedBack:
    """Move everything back; the backup goes when nothing is left in it. ``tell`` hears of each."""
    left: list[str] = []
    told: list[str] = []
    known: dict[str, bool] = {}
    for row in aside.things():
        if aside.is_kept(row):
            folder = os.path.dirname(row.path)  # noqa: PTH120 - a relative text
            if folder not in known:  # once for all files of a folder: there are thousands
                known[folder] = straight(aside.root, folder)
            problem, moved = _back(aside, row, reached=known[folder])
            (told if moved else left).extend([problem] if problem else [])
            tell()
    left += [problem for row in _needed_folders(aside) if (problem := _folder_back(aside, row))]
    if not left:
        _discard(aside)
    return MovedBack(tuple(left), tuple(told))


def _needed_folders(aside: Backup) -> list[Row]:
    """Folders of what stands in its place: pip takes an empty dist-info for a package."""
    there = (row.path for row in aside.things() if os.path.lexists(aside.place(row)))
    needed = {str(folder) for path in there for folder in Path(path).parents}
    return [row for row in aside.rows() if row.kind == FOLDER and row.path in needed]


def _folder_back(aside: Backup, row: Row) -> str:
    place = aside.place(row)
    if not straight(aside.root, row.path):
        return (
            f"not restored: {place}: a link points elsewhere. Remove the link, then roll "
            "back again."
        )
    try:
        if stat.S_IMODE(place.stat().st_mode) != row.mode:
            place.chmod(row.mode)
    except OSError as error:
        return f"not restored: {place}: {error.strerror}"
    return ""


def _back(aside: Backup, row: Row, *, reached: bool) -> tuple[str, bool]:
    """What is to be told of a row, and whether it was moved; its folder is ``reached`` straight."""
    place = aside.place(row)
    waits = f"the old file is kept in {aside.kept(row)}"
    if not reached:
        return f"not restored: {place}: a link points elsewhere; {waits}", False
    if os.path.lexists(place):
        return f"not restored: {place}: another file is in its place; {waits}", False
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        aside.kept(row).rename(place)
    except OSError as error:
        return f"not restored: {place}: {error.strerror}; {waits}", False
    try:
        same = seen_row(aside.root, row.path, lambda _: None).content == row.content
    except OSError as error:
        return f"{place}: restored, but it cannot be read: {error.strerror}", True
    return ("" if same else f"{place}: restored, but it was changed in the meantime"), True


def _discard(aside: Backup) -> None:
    """Remove the backup, which holds no file any more, the list last."""
    for folder, _, _ in os.walk(aside.folder / FILES, topdown=False):
        _rmdir(Path(folder))
    if os.path.lexists(aside.folder / FILES):
        return  # something lies there that the list does not name: without it nobody would know
    # By this name in the backup itself: another run's may lie in the usual folder.
    for ours in (aside.folder / Path(BEFORE).name, aside.manifest):
        for path in (draft_of(ours), ours):
            path.unlink(missing_ok=True)
    _rmdir(aside.folder)


def _drop_emptied(aside: Backup) -> None:
    # pip takes an empty dist-info folder for an installed package.
    for row in reversed(aside.rows()):
        if row.kind == FOLDER:
            _rmdir(aside.place(row))


def _rmdir(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        return  # not empty, or gone
