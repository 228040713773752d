"""Our own files: where they lie, after the XDG base directory specification, and ours alone."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

NAME = "rdna1-setup"


@dataclass(frozen=True, slots=True)
class Places:
    """Folders of ours below one home folder."""

    home: str
    state: str
    """Journals, logs and verdicts: kept until the user removes them."""
    cache: str
    """Downloads under way: safe to remove when nothing runs."""
    data: str
    """Pythons that uv brought."""

    @property
    def runs(self) -> str:
        """One folder a run, with its journal, its log and what it owns."""
        return f"{self.state}/runs"

    @property
    def conv2d(self) -> str:
        """Journals of Conv2d sweeps."""
        return f"{self.state}/conv2d"


def places(environ: Mapping[str, str], home: str) -> Places:
    """Our folders for a user; a relative XDG variable is ignored, as the specification asks."""

    def base(variable: str, fallback: str) -> str:
        value = environ.get(variable, "")
        return f"{value if value.startswith('/') else f'{home}/{fallback}'}/{NAME}"

    return Places(
        home=home,
        state=base("XDG_STATE_HOME", ".local/state"),
        cache=base("XDG_CACHE_HOME", ".cache"),
        data=base("XDG_DATA_HOME", ".local/share"),
    )


FOLDER_MODE = 0o700
FILE_MODE = 0o600
OTHERS = 0o077


def private_folder(path: Path) -> Path:
    """The folder, made where it is missing. Raises ``OSError`` for a link and for another's."""
    path.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise _refused(path, "it is a link or a file, not a folder")
    _require_own(path, found)
    if found.st_mode & OTHERS:
        path.chmod(FOLDER_MODE)
    return path


def open_private(path: Path, flags: int) -> int:
    """A descriptor of a file of ours. Raises ``OSError`` for a link, a device, and another's."""
    try:
        # Without waiting: the open of a pipe in its place would, for somebody at its other end.
        flags |= os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        descriptor = os.open(path, flags, FILE_MODE)
    except OSError as error:
        raise (_refused(path, "it is a link") if error.errno == errno.ELOOP else error) from None
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise _refused(path, "it is not a file")
        _require_own(path, found)
        if found.st_mode & OTHERS and flags & os.O_ACCMODE != os.O_RDONLY:
            os.fchmod(descriptor, FILE_MODE)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def read_private(path: Path, most: int) -> bytes:
    """The first bytes of a file of ours. Raises ``OSError``."""
    with os.fdopen(open_private(path, os.O_RDONLY), "rb") as file:
        return file.read(most)


def _require_own(path: Path, found: os.stat_result) -> None:
    if found.st_uid != os.geteuid():
        raise _refused(path, "it belongs to another user")


def _refused(path: Path, why: str) -> OSError:
    return PermissionError(errno.EPERM, why, str(path))
