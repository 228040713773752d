"""Reads how much room there is where the wizard, pip and apt put things."""

from __future__ import annotations

from wizard.core.sizes import size_text
from wizard.host.host import Host
from wizard.machine.facts import Disk, Unknown
from wizard.machine.part import Found, Part

ALWAYS = ("/tmp", "/opt", "/var/cache/apt/archives")  # noqa: S108 - only looked at
"""pip's unpacking, system ROCm, apt's downloads."""


def read_disks(host: Host) -> Found[tuple[Disk, ...]]:
    """The file systems below the folders that matter."""
    temporary = host.environ.get("TMPDIR", "")
    folders = dict.fromkeys(
        (host.home, *([temporary] if temporary.startswith("/") else []), *ALWAYS)
    )
    disks = tuple(host.disk(folder) for folder in folders)
    return Found(
        tuple(disk for disk in disks if isinstance(disk, Disk)),
        tuple(disk for disk in disks if isinstance(disk, Unknown)),
    )


def _tell(disks: tuple[Disk, ...]) -> tuple[str, tuple[str, ...]]:
    lines = tuple(_line(disk) for disk in disks)
    if not disks:
        return "unknown", lines
    return f"{size_text(disks[0].free_bytes)} free for {disks[0].path}", lines


def _line(disk: Disk) -> str:
    room = f"{size_text(disk.free_bytes)} free of {size_text(disk.total_bytes)}"
    return f"{disk.path}: {room} on {disk.filesystem}"


DISKS: Part[tuple[Disk, ...]] = Part(
    title="Disks",
    source="statvfs(3)",
    read=read_disks,
    without=lambda _: (),
    tell=_tell,
)
"""Room on the file systems that matter."""
