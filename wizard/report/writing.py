"""Writes a report into a new folder that only its owner may open: whole, or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import zipfile
from pathlib import Path

from wizard.core.lines import clean
from wizard.core.trouble import Trouble
from wizard.report.papers import Papers

FOLDER_MODE, FILE_MODE = 0o700, 0o600
NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS)
"""What a file system says that knows no links."""
ELSEWHERE = "Choose a path to a new folder inside an existing folder that belongs to you."


def require_new(folder: Path, *, zipped: bool = False) -> None:
    """Raises Trouble unless there is nothing at that place and a folder above it."""
    for path in (folder, zip_of(folder)) if zipped else (folder,):
        if os.path.lexists(path):
            raise _not_written(path, "it already exists and is not overwritten")
    if not folder.parent.is_dir():
        raise _not_written(folder, f"there is no folder {folder.parent}")


def zip_of(folder: Path) -> Path:
    """Where the folder goes as one file."""
    return folder.with_name(f"{folder.name}.zip")


def write_folder(papers: Papers, folder: Path, *, zipped: bool = False) -> tuple[Path, ...]:
    """Write the files, and one of all of them; gives the paths. Trouble leaves nothing behind."""
    require_new(folder, zipped=zipped)
    draft: Path | None = None
    try:
        draft = Path(tempfile.mkdtemp(prefix=f".{folder.name[:60]}.", dir=folder.parent))
        inside, packed = draft / "folder", draft / "zip"
        _fill(papers, inside)
        if zipped:
            _pack(papers, packed, folder.name)
            _name(packed, zip_of(folder))
        _put(inside, folder, zip_of(folder) if zipped else None)
    except OSError as error:
        raise _not_written(folder, error.strerror or str(error)) from None
    finally:
        if draft is not None:
            shutil.rmtree(draft, ignore_errors=True)
    return (folder, zip_of(folder)) if zipped else (folder,)


def _name(packed: Path, path: Path) -> None:
    """Give the file its name, over nothing; a disk without links, such as a USB stick, renames."""
    try:
        os.link(packed, path)
    except OSError as error:
        if error.errno not in NO_LINKS or os.path.lexists(path):
            raise
        packed.rename(path)


def _put(inside: Path, folder: Path, packed: Path | None) -> None:
    """Give the folder its name; what came there meanwhile stays, unless it is an empty folder."""
    try:
        inside.rename(folder)
    except OSError:
        if packed is not None:
            packed.unlink(missing_ok=True)
        raise


def _fill(papers: Papers, folder: Path) -> None:
    folder.mkdir(mode=FOLDER_MODE)
    for paper in papers.files:
        path = folder / paper.name
        path.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
        with os.fdopen(descriptor, "wb") as file:
            file.write(paper.raw)
            file.flush()
            os.fsync(file.fileno())


def _pack(papers: Papers, path: Path, name: str) -> None:
    """One file of all, without times and owners."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
    with os.fdopen(descriptor, "wb") as file, zipfile.ZipFile(file, "w") as packed:
        for paper in papers.files:
            entry = zipfile.ZipInfo(f"{name}/{paper.name}")
            entry.external_attr = FILE_MODE << 16
            packed.writestr(entry, paper.raw, zipfile.ZIP_DEFLATED)


def _not_written(path: Path, why: str) -> Trouble:
    return Trouble(f"{clean(str(path))} was not written: {why}.", "Nothing was changed.", ELSEWHERE)
