"""Reads the files that a plan of root steps edits, replaces or counts on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wizard.apt.files import Belongings, belongings, changed_files
from wizard.apt.sources import OURS
from wizard.host.host import Host
from wizard.machine.facts import Machine, Unknown
from wizard.plan.clean_up import files_with_settings
from wizard.plan.prepared import FilesNow

REPLACED = "\N{REPLACEMENT CHARACTER}"
EXCHANGED = re.compile(r"libMIOpen\.so[.\d]*\.(?:original|orig|bak|backup)")


def files_now(host: Host, machine: Machine) -> FilesNow:
    """The files as they are; what is no UTF-8 is left out, because it could not be put back."""
    texts = {path: host.read(path) for path in dict.fromkeys(_paths(machine))}
    return FilesNow(
        texts={
            path: text
            for path, text in texts.items()
            if isinstance(text, str) and REPLACED not in text
        },
        exchanged=tuple(_exchanged(host, machine)),
        belongings=_belongings(host, machine),
        # Of a recorded machine there are no files to hash.
        changed={} if host.name else changed_files(_names(machine)),
    )


def _belongings(host: Host, machine: Machine) -> Belongings | None:
    if isinstance(machine.rocm_packages, Unknown):
        return None
    names = (one.name for one in machine.rocm_packages if one.origin != "distribution")
    folders = (tree.path for tree in machine.rocm_trees if tree.link_to is None)
    return belongings(host, names, folders)


def _names(machine: Machine) -> tuple[str, ...]:
    packages = machine.rocm_packages
    return () if isinstance(packages, Unknown) else tuple(one.name for one in packages)


def _paths(machine: Machine) -> Iterator[str]:
    yield from files_with_settings(machine)
    yield from (one.file for one in machine.apt_sources if one.amd)
    yield from (one.path for one in machine.system_files if one.kind == "pin")
    yield from OURS


def _exchanged(host: Host, machine: Machine) -> Iterator[str]:
    for tree in machine.rocm_trees:
        names = host.names(f"{tree.path}/lib") if tree.link_to is None else ()
        for name in () if isinstance(names, Unknown) else names:
            if EXCHANGED.fullmatch(name):
                yield f"{tree.path}/lib/{name}"
