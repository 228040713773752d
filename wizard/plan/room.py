"""Room on the disk for a stack."""

from __future__ import annotations

from wizard.knowledge.stacks import Stack
from wizard.machine.facts import Disk, Machine
from wizard.sizes import size_text

GIGABYTE = 10**9
SMALLEST_ROCM_WHEEL = 1_300_000_000
"""torch 1.13.1+rocm5.2: every other ROCm wheel whose size is known is larger."""
LARGEST_KNOWN = 9 * GIGABYTE
"""Download and installed files of the largest road whose sizes are known."""


def home_disk(machine: Machine) -> Disk | None:
    """The file system of the home folder, as far as it was read."""
    home = machine.access.home.rstrip("/") + "/"
    holding = [d for d in machine.disks if home.startswith(d.path.rstrip("/") + "/")]
    return max(holding, key=lambda disk: len(disk.path), default=None)


def disk_full(machine: Machine, stack: Stack) -> str:
    """Why the stack does not fit on the disk of the home folder, ``""`` when nothing says so."""
    disk = home_disk(machine)
    parts = ((stack.download_bytes, "to download"), (stack.installed_bytes, "installed"))
    known = [(count, word) for count, word in parts if count is not None]
    if not known and stack.gfx:
        known = [(SMALLEST_ROCM_WHEEL, "at the very least (its size is not known)")]
    if disk is None or sum(count for count, _ in known) <= disk.free_bytes:
        return ""
    words = " and ".join(f"{size_text(count)} {word}" for count, word in known)
    free = f"{disk.filesystem} has {size_text(disk.free_bytes)} free"
    return f"it takes {words}; {free}: make room, or choose a folder elsewhere"


def unsure_size(machine: Machine, stack: Stack) -> str:
    """What to keep free where nobody knows how much the stack takes and the disk is rather full."""
    disk = home_disk(machine)
    if disk is None or disk.free_bytes > LARGEST_KNOWN:
        return ""
    if stack.download_bytes is not None and stack.installed_bytes is not None:
        return ""
    free = f"{disk.filesystem} has {size_text(disk.free_bytes)} free"
    return f"room on the disk: how much is not known, and {free}"
