"""What a machine is: frozen facts, each known or unknown with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar, Union

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Unknown:
    """A fact that could not be read, and why, in words fit to show."""

    because: str


Fact = Union[T, Unknown]  # noqa: UP007 - a generic alias needs Union on Python 3.10


@dataclass(frozen=True, slots=True)
class Gpu:
    """One PCI display function (class 0300, 0302 or 0380)."""

    pci_address: str
    """For example ``0000:0b:00.0``."""
    pci_id: str
    """Vendor and device, for example ``1002:731f``."""
    pci_class: str
    """``0300`` (VGA), ``0302`` (3D) or ``0380`` (other display)."""
    revision: str
    """Two hex digits, lower case; tells an RX 5600 XT (``ca``) from an RX 5700 XT (``c1``)."""
    name: str
    gfx: Fact[str]
    """The real instruction set, for example ``gfx1010``; overrides do not change it."""
    gfx_source: str
    """``kfd`` (the kernel said so), ``table`` (by PCI id), or ``""`` when unknown."""
    rdna1: bool
    """True for gfx1010, gfx1011 and gfx1012."""
    integrated: bool
    """True for the graphics part of a processor, as far as the tables know."""
    vram_bytes: Fact[int]
    driver: Fact[str]
    """Kernel driver bound to it, for example ``amdgpu``; ``""`` when none is bound."""
    drives_screen: Fact[bool]
    """True when a connector of this card is connected."""
    render_node: Fact[str]
    """For example ``/dev/dri/renderD128``."""
    kfd_node: int | None
    """Number of its KFD topology node, or None without one."""
    note: str
    """What its owner should know of this very card; ``""`` when nothing."""


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


@dataclass(frozen=True, slots=True)
class DeviceNode:
    """A device file and whether this process may open it for reading and writing."""

    path: str
    present: bool
    usable: bool
    """By ``access(2)`` for reading and writing; nothing was opened."""
    group: Fact[str]


@dataclass(frozen=True, slots=True)
class Access:
    """Who we are and which devices we may open."""

    user: str
    uid: int
    home: str
    groups_in_force: Fact[tuple[str, ...]]
    """Groups of this process: what counts until the next login."""
    groups_in_file: Fact[tuple[str, ...]]
    """Groups of the user in ``/etc/group``: what counts after the next login."""
    kfd: DeviceNode
    render_nodes: tuple[DeviceNode, ...]


@dataclass(frozen=True, slots=True)
class Disk:
    """A folder of interest and the file system that it is on."""

    path: str
    filesystem: str
    """Mount point, for example ``/home``."""
    total_bytes: int
    free_bytes: int


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python that can be the base of a venv."""

    path: str
    version: str
    """``3.10`` or, where a file tells, ``3.10.13``."""
    makes_venvs: bool
    """True when ``venv`` and ``ensurepip`` lie beside it (Debian splits them off)."""


@dataclass(frozen=True, slots=True)
class TorchInstall:
    """torch as found in a site-packages folder, read from its dist-info."""

    version: str
    """For example ``2.2.2+rocm5.7``."""
    build: str
    """``rocm``, ``cuda``, ``cpu`` or ``unknown``."""
    rocm: str | None
    """The bundled ROCm release, for example ``5.7``; None when not a ROCm build."""
    numpy: str | None
    """Version of the numpy that this torch will import; None without one."""
    native_gfx: tuple[str, ...]
    """Targets of ``amd-torch-device-gfx*`` packages beside it; empty for official wheels."""


@dataclass(frozen=True, slots=True)
class Environment:
    """A place that Python imports from: venv, conda environment, user site or dist-packages."""

    path: str
    kind: str
    """``venv``, ``conda``, ``user-site`` or ``dist-packages``."""
    python: Fact[str]
    torch: TorchInstall | None


@dataclass(frozen=True, slots=True)
class Package:
    """An installed distribution package."""

    name: str
    version: str
    origin: str
    """``amd`` or ``distribution``, told by version pattern and maintainer."""


@dataclass(frozen=True, slots=True)
class RocmTree:
    """A ROCm folder such as ``/opt/rocm-5.7.1``."""

    path: str
    version: Fact[str]
    link_to: str | None
    """Target when the path is a link (``/opt/rocm`` usually is)."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A variable that ROCm, MIOpen or the loader reads, and where it was set."""

    name: str
    value: str
    file: str
    """``""`` for the live environment."""
    line: int
    """1-based; 0 for the live environment."""
    effect: str
    """What it really does (``assets/variables.toml``); ``""`` when not known to us."""


@dataclass(frozen=True, slots=True)
class Machine:
    """All that detection found, in one value."""

    recorded: str
    """Name of the recorded machine; ``""`` for this very machine."""
    gpus: tuple[Gpu, ...]
    system: System
    access: Access
    disks: tuple[Disk, ...]
    interpreters: tuple[Interpreter, ...]
    uv: Fact[str]
    environments: tuple[Environment, ...]
    rocm_trees: tuple[RocmTree, ...]
    rocm_packages: Fact[tuple[Package, ...]]
    settings: tuple[Setting, ...]
    unread: tuple[Unknown, ...]
    """Sources that could not be read at all, such as a profile file without permission."""
