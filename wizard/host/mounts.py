"""Finds mounted file systems that do not answer, without touching one ourselves.

Whoever waits for such a file system may not be ended by any signal, and a thread of ours that does
keeps our process from ending. So each is asked by a child that can be left behind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from wizard.core.fact import Fact
from wizard.host.host import FILE_SYSTEM_ASKER, SilentFileSystem

MOUNTS = "/proc/self/mountinfo"
KINDS = frozenset(
    {"9p", "acfs", "afs", "beegfs", "ceph", "cifs", "coda", "fuse", "fuseblk", "gfs2", "glusterfs",
     "gpfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs", "panfs", "pvfs2", "smb3",
     "smbfs", "vboxsf", "virtiofs"}
)  # fmt: skip
"""Served by another machine or by a program. autofs is not among them: to ask it is to mount."""
FUSE = "fuse."
DESKTOP = "/run/user/"
"""Portals and shares of the desktop: nothing of ours looks there unless a variable says so."""
ESCAPED = re.compile(r"\\([0-7]{3})")
LIMIT = 100
"""File systems asked, each by a child of its own."""
DEADLINE_S = 2.0

Answering = Callable[[list[tuple[str, ...]], float], tuple[bool, ...]]
"""Which of these programs ended in time."""


@dataclass(frozen=True, slots=True)
class Mount:
    """A line of the mount table."""

    device: str
    """Number of the file system: mounted at several places, it is asked once."""
    path: str
    kind: str


def silent_file_systems(
    table: Fact[str], environ: Mapping[str, str], answering: Answering
) -> tuple[SilentFileSystem, ...]:
    """Those of the mount table that did not answer within two seconds, the outermost only."""
    mounts = [one for one in mounts_in(table) if _can_hang(one) and _is_met(one, environ)]
    places: dict[str, str] = {}
    for one in mounts:
        places.setdefault(one.device, one.path)
    devices = list(places)[:LIMIT]
    if not devices:
        return ()
    asked: list[tuple[str, ...]] = [(*FILE_SYSTEM_ASKER, places[one]) for one in devices]
    answers = dict(zip(devices, answering(asked, DEADLINE_S), strict=True))
    silent = {one.path: one.kind for one in mounts if not answers.get(one.device, True)}
    return tuple(
        SilentFileSystem(path, kind)
        for path, kind in sorted(silent.items())
        if not any(path.startswith(f"{other}/") for other in silent)
    )


def mounts_in(table: Fact[str]) -> Iterator[Mount]:
    """Every mount that a mount table tells."""
    for line in table.splitlines() if isinstance(table, str) else ():
        place, _, source = line.partition(" - ")
        fields, kind = place.split(" "), source.split(" ")[0]
        if len(fields) >= 5 and kind:
            yield Mount(fields[2], _path(fields[4]), kind)


def _path(escaped: str) -> str:
    """The kernel writes blanks and backslashes as octal numbers."""
    return ESCAPED.sub(lambda match: chr(int(match[1], 8)), escaped)


def _can_hang(mount: Mount) -> bool:
    """The root is left out: were it silent, we would not run."""
    return mount.path != "/" and (mount.kind in KINDS or mount.kind.startswith(FUSE))


def _is_met(mount: Mount, environ: Mapping[str, str]) -> bool:
    return not mount.path.startswith(DESKTOP) or any(
        mount.path in value for value in environ.values()
    )
