"""Whether what a plan brings, and what it keeps for the way back, fits on the disks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from wizard.core.sizes import size_text
from wizard.host.host import Host
from wizard.machine.facts import Disk
from wizard.preflight.refusal import Refusal

ARCHIVES = "/var/cache/apt/archives"
BACKUP = "/var/lib/rdna1-setup"
SPARE = 200 * 10**6
"""Left free on each file system: lists, logs and the journal grow too."""


@dataclass(frozen=True, slots=True)
class Need:
    """So many bytes in a folder, and what for."""

    folder: str
    bytes: int
    what: str


def without_room(needs: Iterable[Need], host: Host) -> tuple[Refusal, ...]:
    """One refusal for each file system that is too full; needs on the same one add up."""
    told: dict[str, tuple[Disk, list[Need]]] = {}
    for need in needs:
        disk = host.disk(need.folder)
        if need.bytes and isinstance(disk, Disk):
            told.setdefault(disk.filesystem, (disk, []))[1].append(need)
    return tuple(
        _refusal(disk, wanted)
        for disk, wanted in told.values()
        if sum(need.bytes for need in wanted) + SPARE > disk.free_bytes
    )


def _refusal(disk: Disk, needs: list[Need]) -> Refusal:
    whole = sum(need.bytes for need in needs) + SPARE
    parts = ", ".join(f"{size_text(need.bytes)} {need.what} ({need.folder})" for need in needs)
    return Refusal(
        f"{disk.filesystem} has only {size_text(disk.free_bytes)} free, but {size_text(whole)} is "
        f"needed: {parts}, and {size_text(SPARE)} in reserve.",
        "The disk would fill up during the installation. Nothing was changed.",
        f"Free up {size_text(whole - disk.free_bytes)} on that disk, for example with `sudo "
        "apt-get clean`, which empties apt's cache. Or use the smallest set (--system-set "
        "smallest).",
    )
