"""Small files of ours, written whole: after a kill there is the old one or the new one."""

from __future__ import annotations

import errno
import os
from pathlib import Path

READABLE = 0o644
"""The mode of a file that is no program."""


def draft_of(path: Path) -> Path:
    """Where a file of ours is written before it takes its name."""
    return path.with_name(f".{path.name}.rdna1-setup")


def write_whole(path: Path, text: str, mode: int = READABLE, *, like: Path | None = None) -> None:
    """Write a text with exactly this mode; a link at its place gives way to the file.

    ``like``: a file whose group and attributes (ACLs among them) the new one gets.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = draft_of(path)
    draft.unlink(missing_ok=True)  # left by a kill, or a link that must not be written through
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            if like is not None:
                _take_after(file.fileno(), like)
            os.fchmod(file.fileno(), mode)  # the umask has a say in open
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def _take_after(descriptor: int, like: Path) -> None:
    group = like.stat().st_gid
    if os.fstat(descriptor).st_gid != group:
        os.fchown(descriptor, -1, group)
    try:
        wanted, there = os.listxattr(like), os.listxattr(descriptor)
    except OSError as error:
        if error.errno == errno.ENOTSUP:  # a file system without them
            return
        raise
    for name in set(there) - set(wanted):  # of an ACL that the folder gives to new files
        if name.startswith("system."):
            os.removexattr(descriptor, name)
    for name in wanted:
        value = os.getxattr(like, name)
        if name not in there or os.getxattr(descriptor, name) != value:
            os.setxattr(descriptor, name, value)


def sync(path: Path) -> None:
    """Wait until a file or folder is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
