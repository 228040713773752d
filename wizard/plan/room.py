"""Room on the disk for a stack."""

from __future__ import annotations

from wizard.knowledge.applications import Application
from wizard.knowledge.stacks import Stack
from wizard.machine.facts import Disk, Machine
from wizard.plan.obstacle import Obstacle
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


def disk_full(machine: Machine, stack: Stack) -> Obstacle | None:
    """Why the stack does not fit on the disk of the home folder, None when nothing says so."""
    disk = home_disk(machine)
    parts = ((stack.download_bytes, "to download"), (stack.installed_bytes, "installed"))
    known = [(count, word) for count, word in parts if count is not None]
    if not known and stack.gfx:
        known = [(SMALLEST_ROCM_WHEEL, "at the very least (its size is not known)")]
    if disk is None or sum(count for count, _ in known) <= disk.free_bytes:
        return None
    words = " and ".join(f"{size_text(count)} {word}" for count, word in known)
    why = f"it takes {words}, and {_free(disk)}"
    return Obstacle(why, "make room, or choose a folder elsewhere")


def unsure_size(machine: Machine, stack: Stack) -> str:
    """What to keep free where nobody knows how much the stack takes or how much is left."""
    disk = home_disk(machine)
    if disk is None:
        return "room on the disk: how much is free below your home folder could not be read"
    if disk.free_bytes > LARGEST_KNOWN or stack.sizes_known:
        return ""
    return f"room on the disk: how much is not known, and {_free(disk)}"


def room_for(machine: Machine, application: Application, stack: Stack) -> str:
    """What an application asks of the disk beside the stack; ``""`` where there is enough."""
    disk, asked = home_disk(machine), application.disk_bytes
    stack_takes = sum(size or 0 for size in (stack.download_bytes, stack.installed_bytes))
    if not asked or disk is None or asked + stack_takes <= disk.free_bytes:
        return ""
    return f"{size_text(asked)} of disk for itself and its models; {_free(disk)}"


def _free(disk: Disk) -> str:
    return f"{disk.filesystem} has {size_text(disk.free_bytes)} free"
