"""Reads the files that a plan of root steps edits, replaces or counts on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wizard.core.fact import Unknown
from wizard.host.host import Host
from wizard.machine.facts import Machine
from wizard.operations.root_step import OURS
from wizard.plan.clean_up import files_with_settings
from wizard.plan.prepared import FilesNow
from wizard.preflight.changed_files import changed_files
from wizard.preflight.ownership import belongings

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
        belongings=belongings(host, machine),
        # Of a recorded machine there are no files to hash.
        changed={} if host.name else changed_files(_names(machine)),
    )


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
