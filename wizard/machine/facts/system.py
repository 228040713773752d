"""The operating system, what it runs inside of, and its disks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from wizard.core.fact import Fact


@dataclass(frozen=True, slots=True)
class System:
    """The operating system and the board below it."""

    distribution: Fact[str]
    """``ID`` of os-release, for example ``ubuntu``."""
    release: Fact[str]
    """``VERSION_ID`` of os-release, for example ``24.04``."""
    pretty_name: Fact[str]
    kernel: Fact[str]
    glibc: Fact[str]
    """For example ``2.39``."""
    architecture: Fact[str]
    cpu: Fact[str]
    memory_bytes: Fact[int]


class Surroundings(NamedTuple):
    """What this system runs inside of, and what stands around the wizard."""

    secure_boot: Fact[bool]
    container: str
    """For example ``docker``, ``podman`` or ``lxc``; ``""`` outside of containers."""
    wsl: bool
    """True below Windows (WSL)."""
    virtual_machine: str
    """Its maker, for example ``QEMU``; ``""`` on real hardware."""
    confined: str
    """``snap`` or ``flatpak`` when our terminal runs in one: it sees other files and devices."""
    seat_in_use: Fact[bool]
    """True when somebody is logged in at the screen of this machine."""
    snapshots: tuple[str, ...]
    """``timeshift`` and ``snapper``, where they are set up."""


class OwnRun(NamedTuple):
    """A run of this wizard that its journal tells of."""

    id: str
    folder: str
    """The environment that it makes or made."""
    name: str
    """What its plan is called."""
    stack: str
    """What it installs; ``""`` for a run that installs nothing."""
    state: str
    """``finished``, ``unfinished``, ``undone`` or ``partly undone``."""
