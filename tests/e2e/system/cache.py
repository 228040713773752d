"""What is costly to make and kept between tests and sessions: roots as tars, the stand-in archive.

Everything lies in one folder of ours that nobody else may enter, because root unpacks from it.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from tests.e2e.system.outside import run_outside

MAKING = ".making"
TAR = ("tar", "--numeric-owner", "--xattrs", "--xattrs-include=*", "--one-file-system")
MEMORY = Path("/dev/shm")
ROOM_BYTES = 4 * 1024**3
YOUNG_S = 2 * 3600


def cache_folder() -> Path:
    """``RDNA1_SETUP_ROOTS``, else a folder of ours below the system's temporary one."""
    return _own("RDNA1_SETUP_ROOTS", tempfile.gettempdir())


def worlds_folder() -> Path:
    """Where copies are unpacked: ``RDNA1_SETUP_WORLDS``, else memory where there is enough of it.

    A copy is twelve thousand files; ext4 has been seen to take ten times as long as memory.
    """
    roomy = (
        MEMORY.is_dir()
        and psutil.disk_usage(str(MEMORY)).free > ROOM_BYTES
        and psutil.virtual_memory().available > 2 * ROOM_BYTES
    )
    return _own("RDNA1_SETUP_WORLDS", str(MEMORY) if roomy else tempfile.gettempdir(), "worlds")


def _own(variable: str, above: str, kind: str = "roots") -> Path:
    named = os.environ.get(variable)
    folder = Path(named or f"{above}/rdna1-setup-{kind}-{os.getuid()}")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    seen = folder.lstat()
    # In /tmp anybody could have made it first, to have root unpack a tar of theirs.
    if not stat.S_ISDIR(seen.st_mode) or seen.st_uid != os.getuid() or seen.st_mode & 0o077:
        raise PermissionError(f"{folder} is not a folder that only user {os.getuid()} can enter")
    return folder


def kept(name: str, make: Callable[[Path], None], *, family: str = "") -> Path:
    """The file or folder of this name, made once; others of its ``family`` are then removed.

    ``make`` must not ask for another kept thing: the lock is held while it works.
    """
    place = cache_folder() / name
    if place.exists():
        return place
    with _lock(place.parent):
        if not place.exists():
            _sweep(place.parent, family)
            draft = place.with_name(f"{name}{MAKING}")
            make(draft)
            draft.rename(place)
    return place


def _sweep(folder: Path, family: str) -> None:
    """What an interrupted making left, and the predecessors of what is made now.

    Not the young ones: another session, started before a change, may be at work with them.
    """
    young = time.time() - YOUNG_S
    for path in folder.iterdir():
        old = bool(family) and path.name.startswith(family) and path.lstat().st_mtime < young
        if old or path.name.endswith(MAKING):
            remove(path)


def remove(path: Path) -> None:
    """Remove a file or a tree; nothing is mounted in it, since mounts live in namespaces."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def pack(folder: Path, tar: Path) -> None:
    """A tree with owners, modes and attributes as one file."""
    _tar("-C", str(folder), "-c", "-f", str(tar), ".")


def unpack(tar: Path, folder: Path) -> None:
    """A packed tree into an empty folder."""
    _tar("-C", str(folder), "-p", "-x", "-f", str(tar))


def _tar(*arguments: str) -> None:
    # zstd -1 is faster than the disk; without it the tar is only larger.
    packer = ("-I", "zstd -q -1 -T2") if shutil.which("zstd") else ()
    run_outside(*TAR, *packer, *arguments)
