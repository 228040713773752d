"""What a run set aside: a list of every file with its hash, and the files under the backup."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from enum import Enum
from hashlib import sha256
from pathlib import Path

from wizard.core.trouble import Trouble
from wizard.host.files import HASH_CHUNK
from wizard.machine.contents import LIST
from wizard.system.whole_file import sync, write_whole

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


def _digest(path: Path, progress: Callable[[int], None]) -> str:
    total = sha256()
    with path.open("rb") as file:
        while chunk := file.read(HASH_CHUNK):
            total.update(chunk)
            progress(len(chunk))
    return total.hexdigest()
