"""Looks at files without opening what is no file, and says in words why a look failed."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

CHUNK = 64 * 1024
TEXT_LIMIT = 4 << 20
"""No fact is further down in a file."""


def text_of(path: str) -> str:
    """The first 4 MiB of a regular file, bad bytes replaced."""
    return head_of(path, TEXT_LIMIT).decode("utf-8", "replace")


def head_of(path: str, count: int) -> bytes:
    """The first bytes of a regular file."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    head = b""
    try:
        # In chunks: files in /proc/sys refuse a read of megabytes.
        while chunk := os.read(descriptor, min(CHUNK, count - len(head))):
            head += chunk
    finally:
        os.close(descriptor)
    return head


def mount_point(path: str | Path) -> str:
    """Where the file system that holds a path is mounted."""
    here = Path(path).resolve()
    while not here.is_mount():
        here = here.parent
    return str(here)


def is_text(name: str) -> bool:
    """True for a name that is UTF-8 and can be shown."""
    return name.isascii() or readable(name) == name


def readable(text: str) -> str:
    """The text without the marks that Python puts in for bytes that are no UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def why(path: str, error: OSError | ValueError) -> str:
    """Why a look at a path failed, in words fit to show."""
    if isinstance(error, PermissionError):
        return f"no permission to read {path}"
    if isinstance(error, FileNotFoundError):
        return f"there is no {path}"
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return f"{path} could not be read: {reason or error}"


Print = tuple[int, int]
"""Size in bytes and modification time in ns: what tells that a file is still as we left it."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Everything in a folder, by path relative to it."""

    files: Mapping[str, Print]
    """Files and links, each with its print."""
    folders: frozenset[str]


def listing(root: Path, tell: Callable[[int, int], None] | None = None) -> Listing:
    """What is in a folder now; empty when there is no such folder. Links are not followed.

    ``tell`` hears how many files of how many were looked at. Paths are texts here: there are tens
    of thousands.
    """
    inner: list[str] = []
    plain: list[str] = []
    for folder, *found in os.walk(root):
        for paths, names in zip((inner, plain), found, strict=True):
            paths.extend(f"{folder}/{name}" for name in names)
    files: dict[str, Print] = {}
    folders: set[str] = set()
    before = len(f"{root}/")
    for number, path in enumerate((*plain, *inner), 1):
        try:
            seen = os.lstat(path)
        except OSError:
            continue  # gone in between
        if stat.S_ISDIR(seen.st_mode):
            folders.add(path[before:])
        else:
            files[path[before:]] = (seen.st_size, seen.st_mtime_ns)
        if tell is not None and number <= len(plain):
            tell(number, len(plain))
    return Listing(files, frozenset(folders))


def prints(root: Path, paths: Iterable[Path]) -> dict[str, Print]:
    """The paths that are there, below the root, with the bytecode of sources among them.

    A RECORD may name paths outside of the venv, and a folder in the venv may have become a link
    to one elsewhere: such files are never ours.
    """
    found: dict[str, Print] = {}
    known: dict[str, bool] = {}
    paths, top = tuple(paths), f"{root}/"
    for each in (*paths, *bytecode(paths)):
        path = os.path.normpath(each)
        relative = path[len(top) :] if path.startswith(top) else os.path.relpath(path, root)
        folder = relative.rpartition("/")[0]
        if folder not in known:
            known[folder] = straight(root, folder)
        if known[folder] and (seen := print_of(each)) is not None:
            found[relative] = seen
    return found


def straight(root: Path, folder: str) -> bool:
    """True when no link and no ``..`` lies between the root and the folder below it."""
    try:
        return os.path.realpath(root / folder) == f"{os.path.realpath(root)}/{folder}".rstrip("/")
    except ValueError:
        return False  # a NUL in a RECORD


def print_of(path: Path) -> Print | None:
    """The print of a file or link; None for a folder and for nothing."""
    try:
        seen = path.lstat()
    except (OSError, ValueError):
        return None
    return None if stat.S_ISDIR(seen.st_mode) else (seen.st_size, seen.st_mtime_ns)


def source_of(path: str) -> str:
    """The source that a file of bytecode was made from; ``""`` for any other file."""
    folder, compiled, name = f"/{path}".rpartition("/__pycache__/")
    stem, of_python, rest = name.rpartition(".cpython-")
    return f"{folder}/{stem}.py"[1:] if compiled and of_python and ".pyc" in rest else ""


def bytecode(sources: Iterable[Path]) -> Iterator[Path]:
    """Bytecode files that Python made from these files, or was making when it was killed."""
    known: dict[Path, Mapping[str, list[Path]]] = {}
    for source in sources:
        if source.suffix == ".py":
            folder = source.parent / "__pycache__"
            if folder not in known:  # once for all: torch has hundreds of sources in a folder
                known[folder] = _compiled_in(folder)
            yield from known[folder].get(source.stem, ())


def _compiled_in(folder: Path) -> Mapping[str, list[Path]]:
    found: dict[str, list[Path]] = {}
    for path in folder.glob("*.cpython-*.pyc*"):
        found.setdefault(path.name.rpartition(".cpython-")[0], []).append(path)
    return found


HASH_CHUNK = 1 << 20


def digest(path: Path, cancelled: Callable[[], bool] = lambda: False) -> str:
    """SHA-256 of a file; ``""`` when cancelled meanwhile."""
    total = sha256()
    with path.open("rb") as file:
        while chunk := file.read(HASH_CHUNK):
            if cancelled():
                return ""
            total.update(chunk)
    return total.hexdigest()


def has_text(path: Path, text: str) -> bool:
    """True for a file with exactly this text."""
    try:
        return path.read_text("utf-8") == text
    except (OSError, UnicodeDecodeError):
        return False
