"""What a machine is: frozen facts, each known or unknown with its reason.

Small ones are named tuples: to define a dataclass takes ten times as long, in every start.
"""

from __future__ import annotations

from dataclasses import dataclass

from wizard.apt.packages import Package, PackageWork
from wizard.apt.sources import AptSource
from wizard.core.fact import Fact, Unknown
from wizard.host.host import Disk, SilentFileSystem
from wizard.machine.facts.hardware import Access, DeviceNode, Driver, Gpu, Link, Process
from wizard.machine.facts.packages import RocmTree, SystemFile
from wizard.machine.facts.pythons import (
    ChangedLibrary,
    Environment,
    FoundApplication,
    Interpreter,
    TorchInstall,
)
from wizard.machine.facts.settings import MiopenStore, Setting
from wizard.machine.facts.system import OwnRun, Surroundings, System

__all__ = [
    "Access",
    "AptSource",
    "ChangedLibrary",
    "DeviceNode",
    "Disk",
    "Driver",
    "Environment",
    "Fact",
    "FoundApplication",
    "Gpu",
    "Interpreter",
    "Link",
    "Machine",
    "MiopenStore",
    "OwnRun",
    "Package",
    "PackageWork",
    "Process",
    "RocmTree",
    "Setting",
    "SilentFileSystem",
    "Surroundings",
    "System",
    "SystemFile",
    "TorchInstall",
    "Unknown",
]


@dataclass(frozen=True, slots=True)
class Machine:
    """All that detection found, in one value."""

    recorded: str
    """Name of the recorded machine; ``""`` for this very machine."""
    gpus: tuple[Gpu, ...]
    driver: Driver
    system: System
    surroundings: Surroundings
    access: Access
    processes: Fact[tuple[Process, ...]]
    """Those that use the GPU, and those that no signal can end."""
    disks: tuple[Disk, ...]
    silent: tuple[SilentFileSystem, ...]
    """Mounted file systems that did not answer: what lies below them is unknown."""
    interpreters: tuple[Interpreter, ...]
    uv: Fact[str]
    environments: tuple[Environment, ...]
    rocm_trees: tuple[RocmTree, ...]
    rocm_packages: Fact[tuple[Package, ...]]
    package_work: PackageWork
    apt_sources: tuple[AptSource, ...]
    system_files: tuple[SystemFile, ...]
    settings: tuple[Setting, ...]
    applications: tuple[FoundApplication, ...]
    miopen: tuple[MiopenStore, ...]
    runs: tuple[OwnRun, ...]
    """What this wizard did here before, newest first."""
    unread: tuple[Unknown, ...]
    """Sources that could not be read at all, such as a profile file without permission."""
