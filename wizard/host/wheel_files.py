"""Where the files of a wheel go in a venv."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from wizard.host.prints import Print, prints
from wizard.host.venv_layout import site_packages


def wheel_files(root: Path, wheels: Iterable[Path], site: str = "") -> dict[str, Print]:
    """Files that installing these wheels leaves or would leave, as far as they are there now.

    This is how an installation that was cut off is told from the user's own files.
    """
    found: dict[str, Print] = {}
    for packages in site_packages(root, site):
        for wheel in wheels:
            found.update(prints(root, wheel_targets(root, packages, wheel)))
    return found


def contents(root: Path, wheel: Path, site: str = "") -> Iterator[tuple[Path, int]]:
    """Where each file of a wheel goes in a venv, with its size; its RECORD is written anew."""
    archive = _opened(wheel)
    if archive is None:
        return
    for packages in site_packages(root, site)[:1]:
        for path, size in _entries(root, packages, wheel, archive):
            if path.name != "RECORD":
                yield path, size


def version_of(wheel: Path) -> tuple[str, str]:
    """Name and version of a wheel, by its file name."""
    name, version, _, _ = parse_wheel_filename(wheel.name)
    return str(name), str(version)


def info_of(wheel: Path) -> str:
    """Name of the metadata folder that a wheel brings."""
    return f"{_base(wheel)}.dist-info"


def wheel_targets(root: Path, packages: Path, wheel: Path) -> Iterator[Path]:
    """Where the files of a wheel go when it is installed."""
    archive = _opened(wheel)
    if archive is None:
        return
    yield from (path for path, _ in _entries(root, packages, wheel, archive))
    for extra in ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json"):
        yield packages / info_of(wheel) / extra
    yield from (root / "bin" / script for script in _scripts(archive, info_of(wheel)))
    if version_of(wheel)[0] == "pip":  # no list of it names this one, which every installer makes
        yield root / "bin" / packages.parent.name.replace("python", "pip")


def _opened(wheel: Path) -> zipfile.ZipFile | None:
    """The archive; None for what is none, or has no name of a wheel."""
    try:
        parse_wheel_filename(wheel.name)
        return zipfile.ZipFile(wheel)
    except (InvalidWheelFilename, OSError, zipfile.BadZipFile):
        return None


def _entries(
    root: Path, packages: Path, wheel: Path, archive: zipfile.ZipFile
) -> Iterator[tuple[Path, int]]:
    base, name = _base(wheel), version_of(wheel)[0]
    targets = {
        "purelib": packages,
        "platlib": packages,
        "scripts": root / "bin",
        "data": root,
        "headers": root / "include" / "site" / packages.parent.name / name,
    }
    for entry in archive.infolist():
        if entry.is_dir():
            continue
        if entry.filename.startswith(f"{base}.data/"):
            kind, _, rest = entry.filename.removeprefix(f"{base}.data/").partition("/")
            yield targets.get(kind, packages) / rest, entry.file_size
        else:
            yield packages / entry.filename, entry.file_size


def _base(wheel: Path) -> str:
    """How the folders of a wheel's own begin: name and version as in its file name."""
    return "-".join(wheel.name.split("-")[:2])


def _scripts(archive: zipfile.ZipFile, info: str) -> Iterator[str]:
    try:
        text = archive.read(f"{info}/entry_points.txt").decode()
    except (KeyError, UnicodeDecodeError):
        return
    section = ""
    for line in text.splitlines():
        if line.startswith("["):
            section = line.strip()
        elif section in ("[console_scripts]", "[gui_scripts]") and "=" in line:
            yield line.split("=", 1)[0].strip()
