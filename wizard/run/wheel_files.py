"""Where the files of a wheel go in a venv."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from wizard.run.prints import Print, prints
from wizard.run.venv_layout import site_packages


def wheel_files(root: Path, wheels: Iterable[Path]) -> dict[str, Print]:
    """Files that installing these wheels leaves or would leave, as far as they are there now.

    This is how an installation that was cut off is told from the user's own files.
    """
    found: dict[str, Print] = {}
    for packages in site_packages(root):
        for wheel in wheels:
            found.update(prints(root, _unpacked(root, packages, wheel)))
    return found


def _unpacked(root: Path, packages: Path, wheel: Path) -> Iterator[Path]:
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
