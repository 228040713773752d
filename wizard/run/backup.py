"""What a run set aside: a list of every file with its hash, and the files under the backup."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from wizard.machine.contents import BEFORE, LIST
from wizard.run.partial import HASH_CHUNK, sync
from wizard.run.prints import straight
from wizard.run.trouble import Trouble
from wizard.run.whole_file import draft_of, write_whole

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

    def rows(self) -> tuple[Row, ...]:
        """The list, folders first; empty when there is none."""
        try:
            lines = self.manifest.read_text("utf-8", "surrogateescape").splitlines()
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise Trouble(
                f"{self.manifest} cannot be read: {error.strerror}.",
                "It says where each file that was set aside belongs; nothing was changed.",
                "Make it readable again (is its disk well?) and run the same command once more.",
            ) from None
        try:
            return tuple(Row(**json.loads(line)) for line in lines)
        except (ValueError, TypeError, RecursionError):
            raise Trouble(
                f"{self.manifest} is damaged.",
                "It says where each file that was set aside belongs; nothing was moved.",
                f"Move the files below {self.folder / FILES} back by hand, to the same paths "
                f"below {self.root}, then remove {self.folder}.",
            ) from None

    def things(self) -> tuple[Row, ...]:
        """Files and links of the list."""
        return tuple(row for row in self.rows() if row.kind != FOLDER)


def seen_row(root: Path, path: str, progress: Callable[[int], None]) -> Row:
    """A file or link as it is now; ``progress`` is told the bytes that were read."""
    place = root / path
    found = place.lstat()
    link = stat.S_ISLNK(found.st_mode)
    content = os.readlink(place) if link else _digest(place, progress)  # noqa: PTH115 - raw target
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


def move_back(aside: Backup) -> list[str]:
    """Move everything back; gives what could not be, or is not what it was, with the reason."""
    left: list[str] = []
    folders: list[Row] = []
    for row in aside.rows():
        if row.kind == FOLDER:
            folders.append(row)
        elif aside.is_kept(row):
            left += [problem] if (problem := _back(aside, row)) else []
    for row in folders:
        left += [problem] if (problem := _folder_back(aside, row)) else []
    if not left:
        _discard(aside)
    return left


def _folder_back(aside: Backup, row: Row) -> str:
    place = aside.place(row)
    if not straight(aside.root, row.path):
        return f"{place}: a link leads elsewhere; remove the link, then go back once more"
    try:
        place.mkdir(parents=True, exist_ok=True)
        if stat.S_IMODE(place.stat().st_mode) != row.mode:
            place.chmod(row.mode)
    except OSError as error:
        return f"{place}: {error.strerror}"
    return ""


def _back(aside: Backup, row: Row) -> str:
    place = aside.place(row)
    if not straight(aside.root, os.path.dirname(row.path)):  # noqa: PTH120 - a relative text
        return f"{place}: a link leads elsewhere; it stays in {aside.kept(row)}"
    if os.path.lexists(place):
        return f"{place}: something else is in its place; it stays in {aside.kept(row)}"
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        aside.kept(row).rename(place)
        same = seen_row(aside.root, row.path, lambda _: None).content == row.content
    except OSError as error:
        return f"{place}: {error.strerror}"
    return "" if same else f"{place}: it is back, but is not what it was: somebody changed it"


def _discard(aside: Backup) -> None:
    """Remove the backup, which holds no file any more, the list last."""
    for folder, _, _ in os.walk(aside.folder / FILES, topdown=False):
        _rmdir(Path(folder))
    if os.path.lexists(aside.folder / FILES):
        return  # something lies there that the list does not name: without it nobody would know
    for ours in (aside.root / BEFORE, aside.manifest):
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


def _digest(path: Path, progress: Callable[[int], None]) -> str:
    total = sha256()
    with path.open("rb") as file:
        while chunk := file.read(HASH_CHUNK):
            total.update(chunk)
            progress(len(chunk))
    return total.hexdigest()
