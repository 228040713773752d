"""What is installed in a venv, by the records of its distributions."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

from packaging.utils import canonicalize_name, canonicalize_version

from wizard.host.metadata_headers import header
from wizard.host.prints import Print, prints
from wizard.host.venv_layout import site_packages


def installed(root: Path, pins: Mapping[str, str], site: str = "") -> dict[str, Print]:
    """Files of these distributions in a venv, from their RECORD, with their bytecode.

    By version too: another one of the same name beside it is somebody else's.
    """
    found: dict[str, Print] = {}
    for packages in site_packages(root, site):
        infos = [(info, named_in(info)) for info in packages.glob("*.dist-info")]
        for name, version in pins.items():
            for info, (named, stands) in infos:
                if named == name and _same(stands, version):
                    found.update(prints(root, recorded(packages, info)))
    return found


def others_installed(root: Path, pins: Mapping[str, str], site: str = "") -> tuple[str, ...]:
    """``name version`` of what stands under a name of these pins in another version."""
    return tuple(
        f"{name} {version}"
        for packages in site_packages(root, site)
        for name, version in sorted(named_in(info) for info in packages.glob("*.dist-info"))
        if name in pins and not _same(version, pins[name])
    )


def named_in(info: Path) -> tuple[str, str]:
    """Canonical name and version of a dist-info folder, or of what older tools wrote.

    The folder may spell the version otherwise than its METADATA, which is what pip goes by.
    """
    name, _, version = info.name.rpartition(".")[0].partition("-")
    try:
        stated = header((info / "METADATA").read_text("utf-8", "replace"), "Version")
    except OSError:
        stated = ""  # half removed: then its name is all that is left
    return canonicalize_name(name), stated or version or "?"


def _same(one: str, other: str) -> bool:
    return canonicalize_version(one) == canonicalize_version(other)


def missing_files(root: Path, lock: Path, site: str = "") -> tuple[str, ...]:
    """What the distributions in a lock should have put into the venv and is not there."""
    missing: list[str] = []
    for name in lock_pins(lock):
        records = [
            info / "RECORD"
            for packages in site_packages(root, site)
            for info in packages.glob("*.dist-info")
            if named_in(info)[0] == name
        ]
        missing += [name] if not records else []
        for record in records:
            paths = recorded(record.parents[1], record.parent)
            required = (p for p in paths if p.name not in _OPTIONAL and p.suffix != ".pyc")
            missing += [str(path) for path in required if not path.exists()]
    return tuple(missing)


_OPTIONAL = ("INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json")
"""Files that pip or uv write only at times."""


def installed_versions(root: Path, site: str = "") -> dict[str, str]:
    """Versions by canonical name, from the names of the dist-info folders of a venv."""
    return dict(
        named_in(info)
        for packages in site_packages(root, site)
        for info in packages.glob("*.dist-info")
    )


def lock_pins(lock: Path) -> dict[str, str]:
    """Versions by canonical name in a requirements file of ours; empty without the file."""
    try:
        lines = lock.read_text("utf-8").splitlines()
    except OSError:
        return {}
    pairs = (line.split("==", 1) for line in lines if "==" in line)
    return {
        canonicalize_name(name.strip()): rest.split()[0] for name, rest in pairs if rest.split()
    }


def record_of(packages: Path, name: str, version: str) -> Path | None:
    """The metadata folder of a distribution in a site folder; None when it is not there."""
    infos = packages.glob("*.dist-info")
    named = ((info, named_in(info)) for info in infos)
    return next((i for i, (n, v) in named if n == name and _same(v, version)), None)


def recorded(packages: Path, info: Path) -> tuple[Path, ...]:
    """Every path that the RECORD of a distribution names, and its own files.

    One that is missing or damaged names nothing: half a list would be worse than none.
    """
    own = (info / name for name in ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json"))
    return (*own, *(_named_by_record(packages, info) or ()))


def has_readable_record(packages: Path, info: Path) -> bool:
    """True when the list of its files can be read to its end."""
    return _named_by_record(packages, info) is not None


def _named_by_record(packages: Path, info: Path) -> tuple[Path, ...] | None:
    try:
        # A name that is no UTF-8 is a name all the same.
        with (info / "RECORD").open(encoding="utf-8", errors="surrogateescape", newline="") as file:
            return tuple(packages / row[0] for row in csv.reader(file) if row)
    except (OSError, csv.Error):
        return None
