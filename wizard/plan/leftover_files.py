"""What a ROCm set-up leaves in the system's folders, and the steps that clear it away."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from wizard.apt.files import Belongings, belongings, changed_files
from wizard.apt.sources import (
    AMD_WORDS,
    OURS,
    AptSource,
    entries_of,
    paragraphs,
)
from wizard.core.fact import Unknown, known
from wizard.host.host import Host
from wizard.machine.facts import Machine, RocmTree, SystemFile
from wizard.operations.edit_lines import Lines, sha256, without_lines
from wizard.operations.system_files import SetSystemPathAside, WriteSystemFile

KEY_FOLDERS = ("/etc/apt/keyrings/", "/etc/apt/trusted.gpg.d/")
PIN_FOLDER = "/etc/apt/preferences.d/"
LOADER_FOLDER = "/etc/ld.so.conf.d/"
DRIVER_RULES = ("/etc/udev/rules.d/70-kfd.rules", "/etc/udev/rules.d/70-amdgpu.rules")
BLACKLIST = re.compile(r"/etc/modprobe\.d/blacklist-radeon[^/]*")
GRAPHICS_SOURCE = re.compile(r"/(?:amdgpu|graphics)(?:/|$)")
GONE = "which does not exist"
"""How detection tells of an alternative that leads nowhere."""

REPLACED = "\N{REPLACEMENT CHARACTER}"
EXCHANGED = re.compile(r"libMIOpen\.so[.\d]*\.(?:original|orig|bak|backup)")
_NONE: Mapping[str, str] = MappingProxyType({})

Edit = SetSystemPathAside | WriteSystemFile
Leftover = Edit | str
"""A step for what is left, or a note on what is left alone."""


@dataclass(frozen=True, slots=True)
class FilesNow:
    """Files that a plan edits or replaces, as they are now."""

    texts: Mapping[str, str] = field(default_factory=lambda: _NONE)
    """By path; those that could not be read, or are no UTF-8, are not among them."""
    exchanged: tuple[str, ...] = ()
    """What somebody kept of a library below ``/opt`` before exchanging it."""
    belongings: Belongings | None = None
    """None where dpkg's lists could not all be read: then it is found out while it is done."""
    changed: Mapping[str, str] = field(default_factory=lambda: _NONE)
    """Files of ROCm packages that somebody changed, each with its package."""


def files_now(host: Host, machine: Machine) -> FilesNow:
    """The files as they are; what is no UTF-8 is left out, because it could not be put back."""
    paths = (
        *files_with_settings(machine),
        *(one.file for one in machine.apt_sources if one.amd),
        *(one.path for one in machine.system_files if one.kind == "pin"),
        *OURS,
    )
    read = {path: host.read(path) for path in dict.fromkeys(paths)}
    texts = {p: text for p, text in read.items() if isinstance(text, str) and REPLACED not in text}
    exchanged = tuple(_exchanged(host, machine))
    packages = machine.rocm_packages
    if isinstance(packages, Unknown):
        return FilesNow(texts, exchanged)
    names = (one.name for one in packages if one.origin != "distribution")
    folders = (tree.path for tree in machine.rocm_trees if tree.link_to is None)
    # Of a recorded machine there are no files to hash.
    changed = {} if host.name else changed_files(one.name for one in packages)
    return FilesNow(texts, exchanged, belongings(host, names, folders), changed)


def _exchanged(host: Host, machine: Machine) -> Iterator[str]:
    for tree in machine.rocm_trees:
        names = host.names(f"{tree.path}/lib") if tree.link_to is None else ()
        for name in known(names, ()):
            if EXCHANGED.fullmatch(name):
                yield f"{tree.path}/lib/{name}"


def files_with_settings(machine: Machine) -> tuple[str, ...]:
    """Files that every login reads and that set something for ROCm, ours not among them."""
    paths = dict.fromkeys(one.file for one in machine.settings if one.file and not one.within)
    return tuple(path for path in paths if path not in OURS)


def source_leftovers(
    machine: Machine, files: FilesNow, *, driver_stays: bool
) -> Iterator[Leftover]:
    """AMD's apt sources but our own, their pins, and the keys that nothing else needs."""
    foreign = [one for one in machine.apt_sources if one.file not in OURS]
    going = [
        one
        for one in foreign
        if one.amd and not (driver_stays and any(map(GRAPHICS_SOURCE.search, one.uris)))
    ]
    staying = [one for one in foreign if one not in going]
    for file in dict.fromkeys(one.file for one in going):
        lines = frozenset(one.line for one in going if one.file == file)
        rest = any(one.file == file for one in staying)
        yield _source(file, lines, files.texts.get(file), rest=rest)
    if not any(one.amd for one in staying):
        yield from (_pin(pin, files.texts.get(pin.path)) for pin in _of_kind(machine, "pin"))
        yield from _keys(machine, staying)


def _source(file: str, lines: frozenset[int], text: str | None, *, rest: bool) -> Leftover:
    why = (
        "This is AMD's apt source. No remaining package comes from it, and it would interfere "
        "with another source of ROCm."
    )
    if not rest and file.startswith("/etc/apt/sources.list.d/"):
        return SetSystemPathAside(why, file)
    if text is None:
        return (
            f"{file} contains AMD's apt sources as well as others. Edit it yourself to remove "
            "AMD's entries."
        )
    out = _entries(file, text, lines)
    why = f"{why} The other sources in this file are kept."
    return WriteSystemFile(why, file, without_lines(text, out), sha256(text), lines=out)


def _entries(file: str, text: str, starts: frozenset[int]) -> Lines:
    """The lines of those entries of a file that begin at these numbers."""
    gone = {entry.line for entry in entries_of(file, text)} & starts
    folded = file.endswith(".sources")
    found, out = [], False
    for number, row in enumerate(text.split("\n"), 1):
        out = number in gone or (folded and out and bool(row.strip("\r")))
        if out:
            found.append((number, row))
    return tuple(found)


def _pin(pin: SystemFile, text: str | None) -> Leftover:
    if not pin.path.startswith(PIN_FOLDER):
        return f"{pin.path} gives AMD's packages priority ({pin.detail}). Edit it yourself."
    if text is not None and not _only_amd_pins(text):
        return f"{pin.path} also pins other packages. Edit it yourself to remove AMD's pins."
    why = f"This file makes apt prefer AMD's packages: {pin.detail}."
    return SetSystemPathAside(why, pin.path)


def _only_amd_pins(text: str) -> bool:
    pins = [fields for _, fields in paragraphs(text) if "pin-priority" in fields]
    return all(AMD_WORDS.search(f"{one.get('pin', '')} {one.get('package', '')}") for one in pins)


def _keys(machine: Machine, staying: list[AptSource]) -> Iterator[Edit]:
    needed = {word for one in staying for word in re.split(r"[\s,]+", one.signed_by)}
    for key in _of_kind(machine, "key"):
        movable = key.path.startswith(KEY_FOLDERS[0]) or (
            key.path.startswith(KEY_FOLDERS[1]) and "rocm" in key.path
        )
        if movable and key.path not in needed:
            yield SetSystemPathAside(f"This is AMD's key: {key.detail}.", key.path)


def file_leftovers(machine: Machine, *, driver_stays: bool) -> Iterator[Leftover]:
    """What is of no use once no ROCm of AMD's is installed."""
    for file in machine.system_files:
        why = _useless(file, driver_stays=driver_stays)
        if why and file.path not in OURS:
            yield SetSystemPathAside(why, file.path)


def _useless(file: SystemFile, *, driver_stays: bool) -> str:
    """Why a file is of no use any more; ``""`` for one that stays."""
    match file.kind:
        case "loader path" if file.path.startswith(LOADER_FOLDER) and _all_rocm(file.detail):
            return f"This file makes the loader search ROCm's folders: {file.detail}."
        case "opencl vendor":
            return f"This file registers AMD's OpenCL, which will be removed: {file.detail}."
        case "udev rule" if file.path in DRIVER_RULES and not driver_stays:
            return "This rule for device files comes from AMD's packages or guides."
        case "module option" if BLACKLIST.fullmatch(file.path):
            return "This file stops a kernel driver from loading."
        case _:
            return ""


def _all_rocm(detail: str) -> bool:
    return all("/opt/rocm" in part for part in detail.split("; "))


def alternative_leftovers(machine: Machine) -> Iterator[Leftover]:
    """Alternatives that lead nowhere, with what dpkg notes of them.

    Only where no package of theirs goes: it takes its alternative away itself.
    """
    files = [file for file in machine.system_files if file.kind == "alternative"]
    lost = {file.path.rpartition("/")[2] for file in files if GONE in file.detail}
    why = "This ROCm link points to a file that does not exist."
    for file in files:
        if file.path.rpartition("/")[2] in lost:
            yield SetSystemPathAside(why, file.path)


def tree_leftovers(
    machine: Machine,
    releases: frozenset[str],
    names: frozenset[str],
    known: Belongings | None = None,
) -> Iterator[Leftover]:
    """Folders below ``/opt`` that are left when packages of these releases and names went."""
    trees = [one for one in machine.rocm_trees if one.path.startswith("/opt/rocm")]
    gone = {one.path for one in trees if one.link_to is None and _goes(one, releases, names)}
    for tree in trees:
        content = known.trees.get(tree.path) if known else None
        if tree.link_to in gone:
            why = f"This link points to {tree.link_to}, which will be removed."
            yield SetSystemPathAside(why, tree.path)
        elif tree.path not in gone:
            continue
        elif content and (others := sorted(content.owners - names)):
            yield f"{tree.path} is kept, because it contains files from {', '.join(others)}."
        elif not content or content.stray:
            why = (
                "Once the packages that use this folder are removed, no package owns the files "
                "that remain in it."
            )
            yield SetSystemPathAside(why, tree.path)


def strangers(machine: Machine, steps: Iterable[object]) -> tuple[str, ...]:
    """What these steps leave below ``/opt`` that belongs to no package, for the user to know."""
    moved = {step.path for step in steps if isinstance(step, SetSystemPathAside)}
    folders = (one for one in machine.rocm_trees if one.link_to is None and one.owner == "")
    return tuple(
        f"{folder.path} belongs to no package and is kept."
        for folder in folders
        if folder.path.startswith("/opt/rocm") and folder.path not in moved
    )


def _goes(tree: RocmTree, releases: frozenset[str], names: frozenset[str]) -> bool:
    if isinstance(tree.owner, str) and tree.owner:
        return tree.owner in names
    return tree.path.removeprefix("/opt/rocm-") in releases


def _of_kind(machine: Machine, kind: str) -> list[SystemFile]:
    return [file for file in machine.system_files if file.kind == kind and file.path not in OURS]
