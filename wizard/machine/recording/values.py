"""The ``record.json`` of a record: everything that files cannot hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from wizard import __version__
from wizard.machine.facts import Disk, Fact, Machine, Unknown
from wizard.machine.recording.disguise import Disguise
from wizard.machine.recording.packages import kept_rows
from wizard.machine.recording.recorder import Kept, place_of
from wizard.machine.recording.rules import VARIABLES
from wizard.machine.recording.watch import Asked, RecordingHost
from wizard.machine.shell import is_wanted
from wizard.redaction.values import told_value

T = TypeVar("T")
SOURCE = f"Recorded with report --record by rdna1-setup {__version__}; the owner is anonymized."
SYSTEM_PATH = frozenset(
    {"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"}
)


def values_of(
    host: RecordingHost, name: str, kept: Kept, machine: Machine, disguise: Disguise
) -> dict[str, Any]:
    """The data of a record with this name."""
    asked = host.asked
    return {
        "schema": 1,
        "name": disguise.text(name),
        "sources": [SOURCE],
        "user": disguise.user_name(host.user),
        "uid": host.uid,
        "home": disguise.new_home,
        "prefix": disguise.path(host.prefix),
        "architecture": host.architecture,
        "glibc": _known(host.glibc(), ""),
        "environ": _environ(host, kept, disguise),
        "groups_in_force": sorted(map(disguise.group, _known(host.groups_in_force(), ()))),
        "links": _placed(kept.links, kept, last=False),
        "access": sorted(map(disguise.path, asked.usable)),
        "unreadable": sorted(kept.unreadable),
        "failures": dict(sorted({**kept.failures, **_silent(asked, disguise)}.items())),
        "silent": {disguise.path(one.path): one.kind for one in asked.silent},
        "groups": {
            disguise.path(path): disguise.group(group)
            for path, group in sorted(asked.groups.items())
            if isinstance(group, str)
        },
        "memory_bytes": _known(host.memory_bytes(), 0),
        "sizes": _placed(kept.sizes, kept),
        "inodes": _placed(kept.inodes, kept),
        "disks": list(_disks(list(asked.disks.values()), disguise)),
        "answers": {
            query.name: kept_rows(answer, machine, disguise)
            for query, answer in list(asked.answers.items())
            if isinstance(answer, str)
        },
    }


def _placed(values: dict[str, T], kept: Kept, *, last: bool = True) -> dict[str, T]:
    """The values by the places at which the record has these paths."""
    placed = {place_of(path, kept.links, last=last): value for path, value in values.items()}
    return dict(sorted(placed.items()))


def _known(fact: Any, otherwise: Any) -> Any:
    return otherwise if isinstance(fact, Unknown) else fact


def _silent(asked: Asked, disguise: Disguise) -> dict[str, str]:
    """Queries without an answer; that a program is missing is what a record says by itself."""
    return {
        query.name: disguise.text(answer.because)
        for query, answer in list(asked.answers.items())
        if isinstance(answer, Unknown) and not answer.because.endswith(" is not installed")
    }


def _environ(host: RecordingHost, kept: Kept, disguise: Disguise) -> dict[str, str]:
    values = {
        name: disguise.text(told_value(name, value) if is_wanted(name) else value)
        for name, value in sorted(host.environ.items())
        if name in VARIABLES or is_wanted(name)
    }
    if "USER" in values:
        values["USER"] = disguise.owner
    if "PATH" in values:
        values["PATH"] = _search_path(values["PATH"], kept)
    return values


def _search_path(value: str, kept: Kept) -> str:
    """The folders of the system, and those below which the record holds something."""
    places = (*kept.files, *kept.links)
    return ":".join(
        folder
        for folder in value.split(":")
        if folder in SYSTEM_PATH
        or any(place.startswith(f"{folder.rstrip('/')}/") for place in places)
    )


def _disks(disks: Iterable[Fact[Disk]], disguise: Disguise) -> Iterable[dict[str, Any]]:
    for disk in disks:
        if isinstance(disk, Disk):
            yield {
                "path": disguise.path(disk.path),
                "filesystem": disguise.path(disk.filesystem),
                "total_bytes": disk.total_bytes,
                "free_bytes": disk.free_bytes,
            }
