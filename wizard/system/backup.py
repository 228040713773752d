"""A backup of files that a run moved: the list with their hashes, and the way there and back."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from enum import Enum
from pathlib import Path

from wizard.core.trouble import Trouble
from wizard.host.contents import BEFORE, LIST
from wizard.host.files import digest, straight
from wizard.system.whole_file import draft_of, sync, write_whole

MANIFEST = Path(LIST).name
FILES = "files"

FILE, LINK, FOLDER = "file", "link", "folder"


@dataclass(frozen=True, slots=True)
class Row:
    """One file, link or folder as it was before."""

    path: str
    """Relative to the root."""
    kind: str
    mode: int
    size: int
    time_ns: int
    content: str
    """SHA-256 of a file, target of a link, ``""`` for a folder."""


class State(Enum):
    """Where a file of the list is now."""

    WAITS = "it is in the backup"
    IN_PLACE = "it is in its place, unchanged"
    OTHERWISE = "another file is in its place"
    GONE = "it is neither in its place nor in the backup"


@dataclass(frozen=True, slots=True)
class Backup:
    """One backup, with the folder that its files belong to."""

    root: Path
    folder: Path

    @property
    def manifest(self) -> Path:
        """The list; while it is not there, nothing was moved."""
        return self.folder / MANIFEST

    def kept(self, row: Row) -> Path:
        """Where a row's file lies in the backup."""
        return self.folder / FILES / row.path

    def place(self, row: Row) -> Path:
        """Where it belongs."""
        return self.root / row.path

    def is_kept(self, row: Row) -> bool:
        """True while the file lies in the backup: not moved yet and moved back are False."""
        return os.path.lexists(self.kept(row))

    def is_in_place(self, row: Row) -> bool:
        """True while the file or link stands where it belongs, as it was."""
        place = self.place(row)
        try:
            found = place.lstat()
            if stat.S_ISLNK(found.st_mode):
                return row.kind == LINK and os.readlink(place) == row.content  # noqa: PTH115
        except OSError:
            return False
        seen = (FILE, found.st_size, found.st_mtime_ns)
        return stat.S_ISREG(found.st_mode) and seen == (row.kind, row.size, row.time_ns)

    def state(self, row: Row) -> State:
        """Where a row's file is now."""
        if self.is_kept(row):
            return State.WAITS
        if self.is_in_place(row):
            return State.IN_PLACE
        return State.OTHERWISE if os.path.lexists(self.place(row)) else State.GONE

    def rows(self) -> tuple[Row, ...]:
        """The list, folders first; empty when there is none."""
        try:
            lines = self.manifest.read_text("utf-8", "surrogateescape").splitlines()
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise Trouble(
                f"{self.manifest} cannot be read: {error.strerror}.",
                "This list says where each backed-up file belongs. Nothing was changed.",
                "Make the file readable again (check its disk), then run the same command again.",
            ) from None
        try:
            return tuple(Row(**json.loads(line)) for line in lines)
        except (ValueError, TypeError, RecursionError):
            raise Trouble(
                f"{self.manifest} is damaged.",
                "This list says where each backed-up file belongs. Nothing was moved.",
                f"Move the files in {self.folder / FILES} back to the same paths in {self.root} "
                f"yourself, then delete {self.folder}.",
            ) from None

    def things(self) -> tuple[Row, ...]:
        """Files and links of the list."""
        return tuple(row for row in self.rows() if row.kind != FOLDER)


def seen_row(root: Path, path: str) -> Row:
    """A file or link as it is now."""
    place = root / path
    found = place.lstat()
    link = stat.S_ISLNK(found.st_mode)
    content = os.readlink(place) if link else digest(place)  # noqa: PTH115 - raw target
    kind = LINK if link else FILE
    return Row(path, kind, stat.S_IMODE(found.st_mode), found.st_size, found.st_mtime_ns, content)


def folder_rows(root: Path, paths: Iterable[str]) -> Iterator[Row]:
    """The folders between the root and these files, shallow ones first."""
    folders = {str(folder) for path in paths for folder in Path(path).parents} - {"."}
    for folder in sorted(folders):
        mode = stat.S_IMODE((root / folder).lstat().st_mode)
        yield Row(folder, FOLDER, mode, 0, 0, "")


def write_manifest(aside: Backup, rows: Iterable[Row]) -> None:
    """Write the list whole and wait until it is on the disk: from here on files may move."""
    write_whole(aside.manifest, "".join(f"{json.dumps(asdict(row))}\n" for row in rows))
    sync(aside.folder)


@dataclass(frozen=True, slots=True)
class MovedBack:
    """What moving back came to."""

    left: tuple[str, ...]
    """What could not be moved back, each with the reason: it may be tried again."""
    told: tuple[str, ...]
    """What is back, but is not what it was: no second try would fix that."""


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
        same = seen_row(aside.root, row.path).content == row.content
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
