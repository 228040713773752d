"""Which files below a venv are ours, so that undo removes those and no others."""

from __future__ import annotations

import csv
import glob
import json
import os
import re
import stat
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import cache_from_source
from pathlib import Path

from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename

from wizard.run.journal import append_lines

Print = tuple[int, int]
"""Size in bytes and modification time in ns: what tells that a file is still as we left it."""

_VENV_LAYOUT = re.compile(
    r"pyvenv\.cfg|\.gitignore|lib64|bin/(python[\d.]*t?|𝜋thon|activate(\.\w+)?|Activate\.ps1|"
    r"pip[\d.]*|easy_install[-\d.]*|wheel)|lib/python[\d.]+/site-packages/(pip|setuptools|"
    r"pkg_resources|_distutils_hack|wheel|(pip|setuptools|wheel)-[^/]+|~[^/]+)/.*|"
    r"lib/python[\d.]+/site-packages/distutils-precedence\.pth"
)
"""What making a venv and upgrading its pip write, on Python 3.8 to 3.14.

``~ip`` and the like are folders that pip moves its old self into, and forgets when it is killed.
"""


LAYOUT = ("bin", "include", "lib", "share")
"""Where a venv's own folders lie: only there are emptied folders removed."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Everything in a folder, by path relative to it."""

    files: Mapping[str, Print]
    """Files and links, each with its print."""
    folders: frozenset[str]


def listing(root: Path) -> Listing:
    """What is in a folder now; empty when there is no such folder. Links are not followed."""
    files: dict[str, Print] = {}
    folders: set[str] = set()
    for folder, names, plain in os.walk(root):
        for name in (*names, *plain):
            path = Path(folder, name)
            relative = os.path.relpath(path, root)
            if (seen := _seen(path)) is not None:
                files[relative] = seen
            elif path.is_dir():
                folders.add(relative)
    return Listing(files, frozenset(folders))


def made_with_venv(root: Path, before: Iterable[str]) -> dict[str, Print]:
    """Files that making the venv left in a folder that held ``before``."""
    known = frozenset(before)
    found = listing(root).files
    return {p: s for p, s in found.items() if p not in known and _VENV_LAYOUT.fullmatch(p)}


def installed(root: Path, names: Iterable[str]) -> dict[str, Print]:
    """Files of the named distributions in a venv, from their RECORD, with their bytecode."""
    wanted = {canonicalize_name(name) for name in names}
    found: dict[str, Print] = {}
    for packages in site_packages(root):
        for info in packages.glob("*.dist-info"):
            if canonicalize_name(info.name.split("-", 1)[0]) in wanted:
                found.update(prints(root, recorded(packages, info)))
    return found


def missing_files(root: Path, lock: Path) -> tuple[str, ...]:
    """What the distributions in a lock should have put into the venv and is not there."""
    missing: list[str] = []
    for name in lock_names(lock):
        records = [
            info / "RECORD"
            for packages in site_packages(root)
            for info in packages.glob("*.dist-info")
            if canonicalize_name(info.name.split("-", 1)[0]) == canonicalize_name(name)
        ]
        missing += [name] if not records else []
        for record in records:
            paths = recorded(record.parents[1], record.parent)
            required = (p for p in paths if p.name not in _OPTIONAL and p.suffix != ".pyc")
            missing += [str(path) for path in required if not path.exists()]
    return tuple(missing)


_OPTIONAL = ("INSTALLER", "REQUESTED", "direct_url.json")
"""Files that pip writes only at times."""


def site_packages(root: Path) -> tuple[Path, ...]:
    """The site-packages folders of a venv (one, unless its Python was changed)."""
    return tuple(sorted((root / "lib").glob("python3.*/site-packages")))


def installed_versions(root: Path) -> dict[str, str]:
    """Versions by canonical name, from the names of the dist-info folders of a venv."""
    found: dict[str, str] = {}
    for packages in site_packages(root):
        for info in packages.glob("*.dist-info"):
            name, _, version = info.name.removesuffix(".dist-info").partition("-")
            found[canonicalize_name(name)] = version
    return found


def wheel_files(root: Path, wheels: Iterable[Path]) -> dict[str, Print]:
    """Files that installing these wheels leaves or would leave, as far as they are there now.

    This is how an installation that was cut off is told from the user's own files.
    """
    found: dict[str, Print] = {}
    for packages in site_packages(root):
        for wheel in wheels:
            found.update(prints(root, wheel_targets(root, packages, wheel)))
    return found


def lock_names(lock: Path) -> tuple[str, ...]:
    """Names of the distributions in a requirements file of ours; empty without the file."""
    try:
        lines = lock.read_text("utf-8").splitlines()
    except OSError:
        return ()
    return tuple(line.split("==", 1)[0].strip() for line in lines if "==" in line)


class Owned:
    """The record of what is ours below one venv, kept in the folder of its run."""

    def __init__(self, run: Path) -> None:
        self._file = run / "owned.jsonl"

    def add(self, files: Mapping[str, Print]) -> None:
        """Note files as ours; a later note of the same path replaces the earlier one."""
        append_lines(self._file, [json.dumps([path, *files[path]]) for path in sorted(files)])

    def read(self) -> dict[str, Print]:
        """Everything noted so far; a line cut off by a crash, or damaged, is left out."""
        try:
            lines = self._file.read_bytes().splitlines()
        except OSError:
            return {}
        return dict(note for note in map(_note, lines) if note is not None)


def _note(line: bytes) -> tuple[str, Print] | None:
    try:
        path, size, time = json.loads(line)
    except (ValueError, TypeError):
        return None
    return (path, (size, time)) if isinstance(path, str) else None


def record_of(packages: Path, name: str, version: str) -> Path | None:
    """The metadata folder of a distribution in a site folder; None when it is not there."""
    for info in packages.glob("*.dist-info"):
        named, _, numbered = info.name.removesuffix(".dist-info").partition("-")
        if canonicalize_name(named) == name and numbered == version:
            return info
    return None


def recorded(packages: Path, info: Path) -> Iterator[Path]:
    """Every path that the RECORD of a distribution names, and its own files."""
    yield from (info / name for name in ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json"))
    try:
        with (info / "RECORD").open(encoding="utf-8", newline="") as file:
            for row in csv.reader(file):
                if row:
                    yield packages / row[0]
    except (OSError, ValueError, csv.Error):
        return  # missing, or no text: it names nothing


def wheel_targets(root: Path, packages: Path, wheel: Path) -> Iterator[Path]:
    """Where the files of a wheel go when it is installed."""
    try:
        name, _, _, _ = parse_wheel_filename(wheel.name)
        names = zipfile.ZipFile(wheel).namelist()
    except (InvalidWheelFilename, OSError, zipfile.BadZipFile):
        return
    base = f"{wheel.name.split('-')[0]}-{wheel.name.split('-')[1]}"
    targets = {
        "purelib": packages,
        "platlib": packages,
        "scripts": root / "bin",
        "data": root,
        "headers": root / "include" / "site" / packages.parent.name / str(name),
    }
    for entry in names:
        if entry.endswith("/"):
            continue
        if entry.startswith(f"{base}.data/"):
            kind, _, rest = entry.removeprefix(f"{base}.data/").partition("/")
            yield targets.get(kind, packages) / rest
        else:
            yield packages / entry
    for extra in ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json"):
        yield packages / f"{base}.dist-info" / extra
    yield from (root / "bin" / script for script in _scripts(wheel, base))


def _scripts(wheel: Path, base: str) -> Iterator[str]:
    try:
        text = zipfile.ZipFile(wheel).read(f"{base}.dist-info/entry_points.txt").decode()
    except (KeyError, UnicodeDecodeError):
        return
    section = ""
    for line in text.splitlines():
        if line.startswith("["):
            section = line.strip()
        elif section in ("[console_scripts]", "[gui_scripts]") and "=" in line:
            yield line.split("=", 1)[0].strip()


def prints(root: Path, paths: Iterable[Path]) -> dict[str, Print]:
    """The paths that are there, below the root, with the bytecode of sources among them.

    A RECORD may name paths outside of the venv, and a folder in the venv may have become a link
    to one elsewhere: such files are never ours.
    """
    found: dict[str, Print] = {}
    straight: dict[str, bool] = {}
    for each in (each for path in paths for each in (path, *bytecode(path))):
        relative = os.path.relpath(os.path.normpath(each), root)
        folder = relative.rpartition("/")[0]
        if folder not in straight:
            straight[folder] = _straight(root, folder)
        if straight[folder] and (seen := _seen(each)) is not None:
            found[relative] = seen
    return found


def _straight(root: Path, folder: str) -> bool:
    """True when no link and no ``..`` lies between the root and the folder below it."""
    try:
        return os.path.realpath(root / folder) == f"{os.path.realpath(root)}/{folder}".rstrip("/")
    except ValueError:
        return False  # a NUL in a RECORD


def _seen(path: Path) -> Print | None:
    """The print of a file or link; None for a folder and for nothing."""
    try:
        seen = path.lstat()
    except (OSError, ValueError):
        return None
    return None if stat.S_ISDIR(seen.st_mode) else (seen.st_size, seen.st_mtime_ns)


def bytecode(source: Path) -> tuple[Path, ...]:
    """Bytecode files that Python made from a source file."""
    if source.suffix != ".py":
        return ()
    folder = Path(cache_from_source(str(source))).parent
    if not folder.is_dir():
        return ()
    return tuple(folder.glob(f"{glob.escape(source.stem)}.cpython-*.pyc"))
