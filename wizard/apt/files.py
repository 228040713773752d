"""Files of installed packages, as dpkg lists them: where they are, which somebody changed."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from assets.root.packages import INFO
from wizard.core.fact import Unknown
from wizard.host.host import Host

HEAD_BYTES = 4096
"""Enough: a list begins with folders, and that of rocm-llvm alone holds thousands of files."""
OPT_FOLDER = re.compile(r"^/opt/(?:rocm|amdgpu)[^/\n]*(?=[/\n])", re.MULTILINE)
MOST_BYTES = 4 << 30
"""No more is hashed for a plan; root hashes all of it."""
LIST_LIMIT = 4 * 1024 * 1024
"""No more of a file is read: a list of that length may be cut off."""
ENTRY_LIMIT = 10_000
"""No more names of one folder are told."""


@dataclass(frozen=True, slots=True)
class TreeContent:
    """A folder of ROCm below ``/opt``, and whose its files are."""

    path: str
    owners: frozenset[str]
    """Packages with something in it."""
    stray: bool
    """True when something in it belongs to no package: that is what is left when they go."""


@dataclass(frozen=True, slots=True)
class Belongings:
    """What dpkg says belongs to the ROCm packages that are not the distribution's."""

    owners: Mapping[str, str]
    """Their files below ``/etc``, each with its package: these go and come with it."""
    trees: Mapping[str, TreeContent]
    """By path; those that could not be looked through are not among them."""


def _lists_of(package: str) -> tuple[str, ...]:
    """Where dpkg may have the list of a package's files."""
    base, _, architecture = package.partition(":")
    return (f"{INFO}/{base}:{architecture or 'amd64'}.list", f"{INFO}/{base}.list")


def opt_folders(host: Host, package: str) -> frozenset[str]:
    """Folders of ROCm and AMD's driver directly below ``/opt`` that hold a package's files."""
    for path in _lists_of(package):
        head = host.head(path, HEAD_BYTES)
        if isinstance(head, bytes):
            return frozenset(OPT_FOLDER.findall(head.decode("utf-8", "replace")))
    return frozenset()


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
    for file in _lists_of(name):
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


def belongings(host: Host, names: Iterable[str], folders: Iterable[str]) -> Belongings | None:
    """What of ``/etc`` and of these folders belongs to these packages.

    None where that cannot be told for all of them.
    """
    lists: dict[str, frozenset[str]] = {}
    for name in names:
        paths = _list(host, name)
        if paths is None:
            return None
        lists[name] = paths
    owners = {
        path: name for name, paths in lists.items() for path in paths if path.startswith("/etc/")
    }
    trees = (_content(host, folder, lists) for folder in folders)
    return Belongings(owners, {tree.path: tree for tree in trees if tree is not None})


def _list(host: Host, name: str) -> frozenset[str] | None:
    for file in _lists_of(name):
        text = host.read(file)
        if isinstance(text, str):
            return frozenset(text.splitlines()) if len(text) < LIST_LIMIT else None
    return None


def _content(host: Host, tree: str, lists: Mapping[str, frozenset[str]]) -> TreeContent | None:
    """Whose a folder is; None where it cannot be looked through."""
    below = f"{tree}/"
    owned = {path for paths in lists.values() for path in paths if path.startswith(below)}
    owners = frozenset(
        name for name, paths in lists.items() if any(path.startswith(below) for path in paths)
    )
    try:
        stray = next((path for path in _files(host, tree) if path not in owned), None)
    except _Hidden:
        return None
    return TreeContent(tree, owners, stray is not None)


class _Hidden(Exception):
    """A folder cannot be looked into, or not wholly."""


def _files(host: Host, folder: str) -> Iterator[str]:
    """Everything below a folder that is no folder itself."""
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        names, folders = host.names(here), host.folders(here)
        if isinstance(names, Unknown) or isinstance(folders, Unknown) or len(names) >= ENTRY_LIMIT:
            raise _Hidden
        waiting += [f"{here}/{name}" for name in folders]
        inside = set(folders)
        yield from (f"{here}/{name}" for name in names if name not in inside)
