"""Disk space for downloads, and failures to write, with the file system that they concern."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

from wizard.core.amounts import size_text
from wizard.core.trouble import Trouble
from wizard.host.files import mount_point

_FULL = frozenset((errno.ENOSPC, errno.EDQUOT))


def free_bytes(folder: Path) -> int:
    """What this user may still write there."""
    return shutil.disk_usage(folder).free


def require(needed: int, folder: Path) -> None:
    """Raise Trouble unless that many bytes fit."""
    if (missing := needed - free_bytes(folder)) > 0:
        raise full(folder, missing)


def full(folder: Path, missing: int | None) -> Trouble:
    """The disk-full Trouble for the file system of a folder."""
    lacks = f"; {size_text(missing)} more are needed" if missing and missing > 0 else ""
    return Trouble(
        f"The file system {mount_point(folder)} is full{lacks}.",
        f"Everything is downloaded to {folder} before anything is installed.",
        "Free up some disk space, or choose a folder on a larger disk, then run the same command "
        "again. Anything already downloaded is kept.",
    )


def write_failure(error: OSError, folder: Path, missing: int | None) -> Trouble:
    """A failed write as Trouble."""
    if error.errno in _FULL:
        return full(folder, missing)
    return Trouble(
        f"{error.filename or folder} could not be written: {error.strerror or error}.",
        f"The folder belongs to another user, or the file system {mount_point(folder)} is "
        "read-only or failing.",
        "Choose a folder of your own, or fix the cause, then run the same command again.",
    )
