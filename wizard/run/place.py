"""Whether there is a place for a new folder, by its permissions, and then by trying."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from wizard.core.lines import clean
from wizard.core.trouble import Trouble


def require_open_place(folder: Path) -> None:
    """Raise Trouble where permissions tell already that no files can be put there; reads only."""
    nearest = next(path for path in (folder, *folder.parents) if os.path.lexists(path))
    if nearest != folder and not nearest.is_dir():
        raise _no_place(folder, os.strerror(errno.ENOTDIR))
    if nearest.is_dir() and not os.access(nearest, os.W_OK | os.X_OK):
        raise _no_place(folder, os.strerror(errno.EACCES))


def require_place(folder: Path) -> None:
    """Raise Trouble unless files can be put there; leaves nothing behind.

    Tried, for only the file system itself knows.
    """
    missing = [path for path in (folder, *folder.parents) if not os.path.lexists(path)]
    tried = missing[-1] if missing else folder / ".rdna1-setup-tries"
    try:
        tried.mkdir()
        tried.rmdir()
    except OSError as error:
        raise _no_place(folder, error.strerror or str(error)) from None


def _no_place(folder: Path, why: str) -> Trouble:
    return Trouble(
        f"The folder {clean(str(folder))} cannot be created: {why}.",
        "You cannot write to the parent folder. It belongs to another user, is read-only or full, "
        "is really a file, or belongs to the kernel, as /proc does.",
        "Choose a folder of your own with --venv DIR.",
    )
