"""Python distributions on disk: what is installed, its files and needs, and what a wheel holds."""

from __future__ import annotations

import csv
import json
import re
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

from packaging.markers import UndefinedComparison, UndefinedEnvironmentName
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import (
    InvalidWheelFilename,
    canonicalize_name,
    canonicalize_version,
    parse_wheel_filename,
)
from packaging.version import InvalidVersion, Version

from wizard.core.fact import Unknown
from wizard.host.environment import site_packages
from wizard.host.files import Print, prints
from wizard.host.host import Host

_NAME = re.compile(r"[!-9;-~]+:")
_GOES_ON = re.compile(r"\r?\n[ \t]+")


def header(text: str, name: str) -> str:
    """The first value of a header; ``""`` where there is none."""
    return next(header_values(text, name), "")


def header_values(text: str, name: str) -> Iterator[str]:
    """All values of a header in their order; what follows the headers is a description."""
    for line in takewhile(_NAME.match, _GOES_ON.sub(" ", text).split("\n")):
        key, _, value = line.partition(":")
        if key.lower() == name.lower():
            yield value.strip()


TORCH_FAMILY = ("torch", "torchvision", "torchaudio")


@dataclass(frozen=True, slots=True)
class Distribution:
    """One installed distribution, as its metadata tells it."""

    name: str
    """In its canonical form, for example ``typing-extensions``."""
    version: str
    requires: tuple[str, ...]
    """Its ``Requires-Dist`` lines."""
    requested: bool
    """True when somebody asked for it by name."""
    installer: str
    """``pip``, ``uv``, ``conda`` or what else its INSTALLER file says; ``""`` without one."""
    recorded: bool
    """True when its RECORD lists its files."""
    source: str
    """Where it came from when that was no index: a folder or an address; ``""`` otherwise."""
    twice: bool = False
    """True when another version of it is installed beside."""


def read_distributions(host: Host, site: str) -> tuple[Distribution, ...]:
    """Every distribution of a site folder, by name; one that names itself twice is taken once."""
    names = host.names(site) if site else ()
    # What begins with ~ is what an interrupted pip has left of an older one: installed no more.
    known = [name for name in (() if isinstance(names, Unknown) else names) if name[0] != "~"]
    found = (_distribution(host, f"{site}/{i}") for i in known if i.endswith(".dist-info"))
    by_name: dict[str, Distribution] = {}
    for each in found:
        if each is not None:
            by_name[each.name] = replace(each, twice=each.name in by_name)
    return (*by_name.values(), *_unlisted(host, site, known, by_name))


def _unlisted(
    host: Host, site: str, names: Collection[str], listed: Collection[str]
) -> Iterator[Distribution]:
    """torch and its siblings as older tools installed them: they load, and no list tells their
    files. Of other packages that need not be known, for they stay."""
    for torch in (name for name in TORCH_FAMILY if name not in listed):
        eggs = [name for name in names if re.fullmatch(rf"{torch}(-.+)?\.egg-(info|link)", name)]
        if eggs or host.is_file(f"{site}/{torch}/__init__.py"):
            info = "".join(_text(host, f"{site}/{egg}/PKG-INFO") for egg in eggs[:1])
            version = header(info, "Version") or "?"
            yield Distribution(torch, version, (), True, "", False, "")


def _distribution(host: Host, info: str) -> Distribution | None:
    headers = _text(host, f"{info}/METADATA")
    name, version = header(headers, "Name"), header(headers, "Version")
    if not name or not version:
        return None
    installer = _text(host, f"{info}/INSTALLER").strip()
    return Distribution(
        name=canonicalize_name(name),
        version=version,
        requires=tuple(header_values(headers, "Requires-Dist")),
        # uv writes it for every package, also for those that nobody named.
        requested=installer != "uv" and host.is_file(f"{info}/REQUESTED"),
        installer=installer,
        recorded=host.is_file(f"{info}/RECORD"),
        source=_source(_text(host, f"{info}/direct_url.json")),
    )


def _source(text: str) -> str:
    try:
        found = json.loads(text)["url"] if text else ""
    except (ValueError, LookupError, TypeError, RecursionError):
        return ""
    return str(found)


def _text(host: Host, path: str) -> str:
    text = host.read(path)
    return "" if isinstance(text, Unknown) else text


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


def conflicts(
    stay: Iterable[Distribution],
    go: Iterable[Distribution],
    come: Mapping[str, str],
    python: str,
) -> tuple[str, ...]:
    """A sentence for each requirement that holds now and would be broken.

    ``come`` gives the new versions by name; what goes and does not come back counts as missing.
    """
    before = {each.name: each.version for each in go}
    return tuple(
        text
        for each in stay
        for need in needs_of(each)
        if counts(need, python) and (text := _broken(each, need, before, come))
    )


def limits(
    stay: Iterable[Distribution], go: Iterable[Distribution], python: str
) -> Iterator[tuple[str, str]]:
    """What each package that stays asks of one that does not, and who asks it, as far as that
    holds now."""
    staying, before = tuple(stay), {each.name: each.version for each in go}
    names = {each.name for each in staying}
    for each in staying:
        for need in needs_of(each):
            name = str(canonicalize_name(need.name))
            holds = name not in before or contains(need.specifier, before[name])
            if name not in names and need.specifier and holds and counts(need, python):
                limit = f"{name}{need.specifier}"
                yield limit, f"{each.name} {each.version} needs {limit}"


def _broken(
    asking: Distribution, need: Requirement, before: Mapping[str, str], come: Mapping[str, str]
) -> str:
    name = str(canonicalize_name(need.name))
    if name not in before and name not in come:
        return ""  # it stays: nothing changes for whoever asks for it
    if name in before and not contains(need.specifier, before[name]):
        return ""  # broken already
    wish = f"{asking.name} {asking.version} needs {name}{need.specifier}"
    if name not in come:
        return f"{wish}, which would be removed"
    if contains(need.specifier, come[name]):
        return ""
    return f"{wish}, but {name} {come[name]} would be installed"


def counts(need: Requirement, python: str) -> bool:
    """True unless its marker speaks of an extra, or of another Python or system."""
    if need.marker is None:
        return True
    # The least of what a marker may ask; the rest is as on the machine that runs this.
    minor = ".".join(python.split(".")[:2])
    this = {"python_version": minor, "python_full_version": f"{minor}.0", "extra": ""}
    try:
        return need.marker.evaluate(this)
    except (UndefinedComparison, UndefinedEnvironmentName):
        return True


def needs_of(distribution: Distribution) -> Iterable[Requirement]:
    """What a distribution requires; lines that are none are passed over."""
    for line in distribution.requires:
        try:
            yield Requirement(line)
        except InvalidRequirement:
            continue


def contains(specifier: SpecifierSet, version: str) -> bool:
    """True when the version is allowed; one that is no version allows nothing to be said: True."""
    try:
        return specifier.contains(Version(version), prereleases=True)
    except InvalidVersion:
        return True


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
