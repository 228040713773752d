"""Reads which files of ROCm packages somebody changed, so that Review names them.

What the user may not read is left to root, which looks at all of them before anything goes.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from wizard.machine.dpkg_files import info_files

MOST_BYTES = 4 << 30
"""No more is hashed for a plan; root hashes all of it."""


def changed_files(names: Iterable[str], root: Path = Path("/")) -> dict[str, str]:
    """Paths that are not as their packages brought them, each with its package."""
    left = MOST_BYTES
    found: dict[str, str] = {}
    for name in names:
        for path, size, changed in _looked_at(name, root):
            left -= size
            if left < 0:
                return found
            if changed:
                found[path] = name
    return found


def _looked_at(name: str, root: Path) -> Iterator[tuple[str, int, bool]]:
    """Paths that were touched after dpkg had unpacked them, bytes that were read, the finding."""
    for file in info_files(name, "list"):
        list_file = root / file.lstrip("/")
        try:
            unpacked = list_file.stat().st_mtime
            paths = os.fsdecode(list_file.read_bytes()).split("\n")
            sums = _sums(list_file.with_suffix(".md5sums"))
            settings = _lines(list_file.with_suffix(".conffiles"))
        except OSError:
            continue
        for path in paths:
            if path.startswith("/") and path not in settings:
                yield from _one(path, root / path.lstrip("/"), sums.get(path), unpacked)
        return


def _one(
    path: str, place: Path, md5: str | None, unpacked: float
) -> Iterator[tuple[str, int, bool]]:
    try:
        seen = place.lstat()
        if stat.S_ISLNK(seen.st_mode):
            # dpkg gives links the time that they have in the package.
            yield path, 0, md5 is not None or seen.st_mtime > unpacked + 1
        elif stat.S_ISREG(seen.st_mode) and md5 is None:
            yield path, 0, True
        elif stat.S_ISREG(seen.st_mode) and seen.st_ctime > unpacked + 1:
            yield path, seen.st_size, _md5(place) != md5
    except OSError:
        return


def _sums(file: Path) -> dict[str, str]:
    rows = (line.split("  ", 1) for line in _lines(file))
    return {f"/{row[1]}": row[0] for row in rows if len(row) == 2}


def _lines(file: Path) -> frozenset[str]:
    try:
        return frozenset(os.fsdecode(file.read_bytes()).split("\n"))
    except FileNotFoundError:
        return frozenset()


def _md5(file: Path) -> str:
    found = hashlib.md5(usedforsecurity=False)
    with file.open("rb") as opened:
        for chunk in iter(lambda: opened.read(1 << 20), b""):
            found.update(chunk)
    return found.hexdigest()
