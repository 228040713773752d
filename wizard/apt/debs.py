"""Package files that no archive of this system has: built here, or fetched from an older Ubuntu.

As the ordinary user, into a folder of the user's.
"""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Collection, Iterable
from enum import Enum
from pathlib import Path

from wizard.apt.dependencies import Unmet
from wizard.apt.packages import LocalDeb, without_architecture
from wizard.apt.programs import Programs, ask_or_raise
from wizard.apt.sources import APT, AptSource
from wizard.apt.view import DOWNLOAD_S, AptView, make_view
from wizard.core.trouble import Trouble
from wizard.host.files import digest
from wizard.knowledge.stacks import Repair

UBUNTU_KEYS = "/usr/share/keyrings/ubuntu-archive-keyring.gpg"
UBUNTU = "http://archive.ubuntu.com/ubuntu"
OLDER = f"{APT}/sources.list.d/older.list"
FIELD_S = 120.0
SAME_BYTES = {"SOURCE_DATE_EPOCH": "1577836800"}
"""So that building twice gives one hash, and with it one plan."""
VERSION = "1.0"
SUFFIX = "+rdna1.1"
"""After the version of a package that is packed again: to apt it is newer, so it stays."""
CONTROL = """\
Package: {name}
Version: {version}
Architecture: all
Maintainer: rdna1-setup on this machine <root@localhost>
Section: misc
Priority: optional
Provides: {provides}
Description: empty package in place of packages that this system no longer has
 ROCm depends on these packages, but does not use their contents. Made by
 rdna1-setup. It is removed together with the ROCm release it was made for.
"""


class Remedy(Enum):
    """How a dependency is met that no archive of this system meets."""

    STAND_IN = "the empty package provides it"
    OLDER = "an older Ubuntu has it"
    REPACK = "the package is packed again without it"


Remedies = frozenset[tuple[Remedy, str]]
"""Each with the name that the empty package provides, the library, or the package."""


def remedies(unmet: Iterable[Unmet], repair: Repair, installed: Collection[str]) -> Remedies:
    """What can be made good, each by the first of its alternatives for which there is a way."""
    found: list[tuple[Remedy, str]] = []
    for one in unmet:
        if all(missing.nowhere for missing in one.missing):
            ways = (_remedy(each.name, one.package, repair, installed) for each in one.missing)
            found += [way for way in ways if way][:1]
    return frozenset(found)


def _remedy(
    name: str, package: str, repair: Repair, installed: Collection[str]
) -> tuple[Remedy, str] | None:
    contended = name == repair.contended
    if name in repair.stand_in or (contended and repair.contender not in installed):
        return Remedy.STAND_IN, name
    if name in repair.older:
        return Remedy.OLDER, name
    if contended and without_architecture(package) == repair.repack:
        return Remedy.REPACK, repair.repack
    return None


async def made_good(
    need: Remedies, repair: Repair, sources: tuple[AptSource, ...], view: AptView
) -> tuple[LocalDeb, ...]:
    """Package files that meet all of it; raises Trouble."""
    names = {way: sorted(name for each, name in need if each is way) for way in Remedy}
    debs: list[LocalDeb] = []
    if older := names[Remedy.OLDER]:
        debs += await _older_libraries(older, repair.older_suite, sources, view)
    if provides := names[Remedy.STAND_IN]:
        debs.append(await _stand_in(repair.name, provides, view))
    for name in names[Remedy.REPACK]:
        debs.append(await _repacked(name, repair.contended, view))
    return tuple(debs)


async def _older_libraries(
    names: list[str], suite: str, sources: tuple[AptSource, ...], view: AptView
) -> list[LocalDeb]:
    """Libraries of an older Ubuntu, checked by apt with Ubuntu's own key.

    In a view of their own: were that Ubuntu among the sources, apt might take more from it.
    """
    if not Path(UBUNTU_KEYS).is_file():  # noqa: ASYNC240 - one look, where nothing else waits
        raise Trouble(
            f"The chosen set needs packages that this system no longer has: {', '.join(names)}.",
            f"Ubuntu has these packages, but Ubuntu's key ({UBUNTU_KEYS}) is missing, so they "
            "cannot be checked. Nothing was changed.",
            "Install the package ubuntu-keyring or ubuntu-archive-keyring, or use the smallest "
            "set (--system-set smallest) or --footprint venv.",
        )
    folder = view.folder / "older"
    shutil.rmtree(folder, ignore_errors=True)
    options, mirror = f"[arch=amd64 signed-by={UBUNTU_KEYS}]", _mirror(sources)
    lines = (f"deb {options} {mirror} {one} main universe\n" for one in (suite, f"{suite}-updates"))
    older = make_view(folder, view.programs, {OLDER: "".join(lines)}, root=folder / "no system")
    await older.update(OLDER)
    await older.download(names)
    return [await _local_deb(_newest(folder, name), view.programs) for name in names]


def _mirror(sources: tuple[AptSource, ...]) -> str:
    """The Ubuntu mirror that this machine uses already."""
    usual = (uri for one in sources if one.enabled and not one.amd for uri in one.uris)
    found = (uri for uri in usual if re.fullmatch(r"https?://\S+/ubuntu/?", uri))
    return next((uri.rstrip("/") for uri in found if "security." not in uri), UBUNTU)


async def _stand_in(name: str, provides: list[str], view: AptView) -> LocalDeb:
    """The empty package that provides these names."""
    tree = view.folder / "stand-in"
    shutil.rmtree(tree, ignore_errors=True)
    (tree / "DEBIAN").mkdir(parents=True)
    text = CONTROL.format(name=name, version=VERSION, provides=", ".join(provides))
    (tree / "DEBIAN" / "control").write_text(text, "utf-8")
    return await _built(tree, view.folder / f"{name}_{VERSION}_all.deb", view.programs)


async def _repacked(name: str, dependency: str, view: AptView) -> LocalDeb:
    """The package without one dependency; all else of it stays."""
    await view.download((name,))
    original = _newest(view.folder, name)
    tree = view.folder / "repacked"
    shutil.rmtree(tree, ignore_errors=True)
    extract = ("dpkg-deb", "--raw-extract", str(original), str(tree))
    await ask_or_raise(view.programs, extract, DOWNLOAD_S)
    control = tree / "DEBIAN" / "control"
    control.write_text(without_dependency(control.read_text("utf-8"), dependency), "utf-8")
    deb = await _built(tree, view.folder / f"{name}{SUFFIX}.deb", view.programs)
    shutil.rmtree(tree)
    return deb


def without_dependency(control: str, name: str) -> str:
    """A control file that depends on the name no more, its version marked as ours."""
    fields = re.sub(r"(?m)^(Version: \S+)$", rf"\1{SUFFIX}", control, count=1)
    return re.sub(r"(?m)^Depends:(?:.*)(?:\n[ \t].*)*$", lambda m: _shorter(m[0], name), fields)


def _shorter(field: str, name: str) -> str:
    parts = [part.strip() for part in field.removeprefix("Depends:").replace("\n", " ").split(",")]
    kept = [part for part in parts if part and part.split()[0].partition(":")[0] != name]
    return f"Depends: {', '.join(kept)}"


async def _built(tree: Path, deb: Path, programs: Programs) -> LocalDeb:
    argv = ("dpkg-deb", "--root-owner-group", "--build", str(tree), str(deb))
    await ask_or_raise(programs, argv, DOWNLOAD_S, SAME_BYTES)
    return await _local_deb(deb, programs)


async def _local_deb(deb: Path, programs: Programs) -> LocalDeb:
    fields = ("dpkg-deb", "--field", str(deb), "Package", "Version")
    answer = await ask_or_raise(programs, fields, FIELD_S)
    found = dict(line.split(": ", 1) for line in answer.lines)
    sha256 = await asyncio.to_thread(digest, deb)
    return LocalDeb(str(deb), sha256, found["Package"], found["Version"])


def _newest(folder: Path, name: str) -> Path:
    return max(folder.glob(f"{name}_*.deb"), key=lambda path: path.stat().st_mtime_ns)
