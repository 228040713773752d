"""Builds and fetches, as the user and into a folder of the user's, what no archive here has."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from wizard.apt.errors import explained
from wizard.apt.sources import AptSource
from wizard.core.trouble import Trouble
from wizard.host.prints import digest
from wizard.knowledge.releases import Repair
from wizard.plan.root_steps import LocalDeb
from wizard.preflight.apt_view import AptView
from wizard.preflight.programs import Programs
from wizard.preflight.repair import SUFFIX, VERSION, stand_in_control, without_dependency

UBUNTU_KEYS = "/usr/share/keyrings/ubuntu-archive-keyring.gpg"
UBUNTU = "http://archive.ubuntu.com/ubuntu"
SHORT_S, LONG_S = 120.0, 1800.0
SAME_BYTES = {"SOURCE_DATE_EPOCH": "1577836800"}
"""So that building twice gives one hash, and with it one plan."""


async def build_stand_in(
    folder: Path, repair: Repair, provides: Iterable[str], programs: Programs
) -> LocalDeb:
    """The empty package that provides these names."""
    tree = folder / "stand-in"
    shutil.rmtree(tree, ignore_errors=True)
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN" / "control").write_text(stand_in_control(repair, provides), "utf-8")
    deb = folder / f"{repair.name}_{VERSION}_all.deb"
    await _build(tree, deb, programs)
    return LocalDeb(str(deb), await asyncio.to_thread(digest, deb), repair.name, VERSION)


async def repacked(
    view: AptView, folder: Path, repair: Repair, version: str, programs: Programs
) -> LocalDeb:
    """The package without its dependency on the contended name; all else of it stays."""
    await _download(view, folder, (f"{repair.repack}={version}",), programs)
    original = await _newest(folder, f"{repair.repack}_*.deb", programs)
    tree = folder / "repacked"
    shutil.rmtree(tree, ignore_errors=True)
    await _must(("dpkg-deb", "--raw-extract", original.path, str(tree)), LONG_S, programs)
    control = tree / "DEBIAN" / "control"
    control.write_text(without_dependency(control.read_text("utf-8"), repair.contended), "utf-8")
    deb = folder / f"{repair.repack}{SUFFIX}.deb"
    await _build(tree, deb, programs)
    shutil.rmtree(tree)
    return LocalDeb(
        str(deb), await asyncio.to_thread(digest, deb), repair.repack, f"{original.version}{SUFFIX}"
    )


async def older_libraries(
    folder: Path,
    repair: Repair,
    names: Iterable[str],
    sources: tuple[AptSource, ...],
    programs: Programs,
) -> tuple[LocalDeb, ...]:
    """Libraries of an older Ubuntu, checked by apt with Ubuntu's own key.

    In a view of their own: were that Ubuntu among the sources, apt might take more from it.
    """
    if not _there(Path(UBUNTU_KEYS)):
        raise _no_keys(names)
    view = _older_view(folder / "older", repair.older_suite, _mirror(sources))
    answer = await programs.ask(view.update("older.list"), LONG_S)
    if answer.code != 0:
        raise explained(answer)
    wanted = tuple(sorted(names))
    await _download(view, view.folder, wanted, programs)
    return tuple([await _newest(view.folder, f"{name}_*.deb", programs) for name in wanted])


def _older_view(folder: Path, suite: str, mirror: str) -> AptView:
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("lists/partial", "cache/archives/partial", "sources.list.d", "preferences.d"):
        (folder / name).mkdir(parents=True)
    (folder / "status").touch()
    options = f"[arch=amd64 signed-by={UBUNTU_KEYS}]"
    lines = (f"deb {options} {mirror} {one} main universe\n" for one in (suite, f"{suite}-updates"))
    (folder / "sources.list.d" / "older.list").write_text("".join(lines), "utf-8")
    return AptView(folder)


def _mirror(sources: tuple[AptSource, ...]) -> str:
    """The Ubuntu mirror that this machine uses already."""
    usual = (uri for one in sources if one.enabled and not one.amd for uri in one.uris)
    found = (uri for uri in usual if re.fullmatch(r"https?://\S+/ubuntu/?", uri))
    return next((uri.rstrip("/") for uri in found if "security." not in uri), UBUNTU)


def _no_keys(names: Iterable[str]) -> Trouble:
    return Trouble(
        "The chosen set needs packages that this system no longer has: "
        f"{', '.join(sorted(names))}.",
        f"Ubuntu has these packages, but Ubuntu's key ({UBUNTU_KEYS}) is missing, so they cannot "
        "be checked. Nothing was changed.",
        "Install the package ubuntu-keyring or ubuntu-archive-keyring, or use the smallest set "
        "(--system-set smallest) or --footprint venv.",
    )


async def _download(
    view: AptView, folder: Path, names: tuple[str, ...], programs: Programs
) -> None:
    there = ("env", f"--chdir={folder}")  # apt-get downloads into the folder that it stands in
    await _must((*there, "apt-get", *view.options, "download", *names), LONG_S, programs)


async def _newest(folder: Path, pattern: str, programs: Programs) -> LocalDeb:
    deb = _last(folder, pattern)
    fields = ("dpkg-deb", "--field", str(deb), "Package", "Version")
    told = dict(line.split(": ", 1) for line in await _must(fields, SHORT_S, programs))
    return LocalDeb(
        str(deb), await asyncio.to_thread(digest, deb), told["Package"], told["Version"]
    )


async def _build(tree: Path, deb: Path, programs: Programs) -> None:
    argv = ("dpkg-deb", "--root-owner-group", "--build", str(tree), str(deb))
    answer = await programs.ask(argv, LONG_S, SAME_BYTES)
    if answer.code != 0 or not _there(deb):
        raise explained(answer)


async def _must(argv: tuple[str, ...], deadline_s: float, programs: Programs) -> tuple[str, ...]:
    answer = await programs.ask(argv, deadline_s)
    if answer.code != 0:
        raise explained(answer)
    return answer.lines


def _there(path: Path) -> bool:
    return path.is_file()


def _last(folder: Path, pattern: str) -> Path:
    return max(folder.glob(pattern), key=lambda path: path.stat().st_mtime_ns)
