"""Reads how much room there is where the wizard, uv and apt put things."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from wizard.core.fact import Fact
from wizard.core.sizes import size_text
from wizard.host.host import Host
from wizard.machine.facts import Disk, Machine, Unknown
from wizard.machine.part import Found, Part

ALWAYS = ("/tmp", "/opt", "/var/cache/apt/archives")  # noqa: S108 - only looked at
"""Temporary files of programs, system ROCm, apt's downloads."""


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


def with_disks(machine: Machine, host: Host, folders: Iterable[str]) -> Machine:
    """The machine, with the file systems of these folders too."""
    found = tuple(disk for each in folders if isinstance(disk := host.disk(each), Disk))
    return replace(machine, disks=(*machine.disks, *found))


def disk_in(machine: Machine, folder: str) -> Fact[Disk]:
    """The file system of a folder, as far as it or a folder around it was looked at."""
    holding = [disk for disk in machine.disks if is_below(folder, disk.path)]
    unknown = Unknown(f"the file system of {folder} was not looked at")
    return max(reversed(holding), key=lambda disk: len(disk.path), default=unknown)


def is_below(path: str, folder: str) -> bool:
    """True for the folder itself too."""
    return f"{path.rstrip('/')}/".startswith(f"{folder.rstrip('/')}/")


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
