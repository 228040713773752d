"""What a machine is: frozen facts, each known or unknown with its reason.

Small ones are named tuples: to define a dataclass takes ten times as long, in every start.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from wizard.apt.packages import Package, PackageWork
from wizard.apt.sources import AptSource
from wizard.core.fact import Fact, Unknown
from wizard.host.host import Disk, SilentFileSystem

VFIO = "vfio-pci"
"""The driver that holds a card for a virtual machine."""


class Link(NamedTuple):
    """A PCI Express link as it is now, and the most that both ends can do."""

    width: int
    """Lanes in use."""
    widest: int
    speed: str
    """As the kernel writes it, for example ``16.0 GT/s PCIe``."""
    fastest: str


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
    compute_units: Fact[int]
    """As KFD counts them, for example 36 for an RX 5600 XT."""
    atomics: Fact[bool]
    """True when the way to the processor and back passes PCIe atomics."""
    mec_firmware: Fact[int]
    """Version of its compute firmware: without atomics KFD takes RDNA1 cards from 145 on."""
    link: Fact[Link]
    """Between the card and its slot, not inside the card."""
    asleep: bool
    """True when it was powered down to save energy; then nothing asks the card itself."""
    note: str
    """What its owner should know of this very card; ``""`` when nothing."""

    @property
    def reserved(self) -> bool:
        """True when it is held for a virtual machine."""
        return self.driver == VFIO


class Driver(NamedTuple):
    """The kernel's graphics driver amdgpu."""

    loaded: bool
    origin: Fact[str]
    """``in-tree`` (it came with the kernel) or ``dkms`` (built here from AMD's package)."""
    version: str
    """The version that a DKMS driver states, for example ``6.8.5``; ``""`` in-tree."""
    dkms: tuple[str, ...]
    """Versions of amdgpu below ``/var/lib/dkms``, built or not."""


class DeviceNode(NamedTuple):
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


class Process(NamedTuple):
    """A process that has the GPU open, or that waits in the kernel and cannot be killed."""

    pid: int
    name: str
    """At most 15 characters, as the kernel keeps it (``comm``)."""
    state: str
    """One letter of ``proc(5)``: ``D`` is the wait that no signal ends."""
    devices: tuple[str, ...]
    """GPU device files that it has open, for example ``/dev/kfd``; only own processes tell."""
    compute: bool
    """True when KFD itself lists it as using the GPU for compute."""


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


class Interpreter(NamedTuple):
    """A Python that can be the base of a venv."""

    path: str
    version: str
    """``3.10`` or, where a file tells, ``3.10.13``."""
    makes_venvs: bool
    """True when its standard library is whole: Debian's ``python3-minimal`` has only a part."""


class ChangedLibrary(NamedTuple):
    """A library of an installed wheel whose size is not that of the wheel's own record."""

    path: str
    recorded_bytes: int
    """What RECORD says."""
    bytes: int
    """What is there; 0 when it is gone."""
    saved: str
    """A copy beside it that somebody put aside (``libMIOpen.so.original``); ``""`` without one."""


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
    changed: tuple[ChangedLibrary, ...] = ()
    """Libraries of its wheel that were exchanged or removed by hand, by their size."""
    executable_stack: tuple[str, ...] = ()
    """Its libraries that ask for an executable stack: glibc 2.41 and later refuse to load them."""


@dataclass(frozen=True, slots=True)
class Environment:
    """A place that Python imports from: venv, conda environment, user site or dist-packages."""

    path: str
    kind: str
    """``venv``, ``conda``, ``user-site`` or ``dist-packages``."""
    python: Fact[str]
    torch: TorchInstall | None


class FoundApplication(NamedTuple):
    """An application that people run torch for, found on this machine."""

    id: str
    """Of ``assets/applications.toml``, for example ``comfyui``."""
    path: str
    environment: str
    """The environment that it starts in; ``""`` when none was found for it."""
    start: str
    """The line to start it; ``""`` when it is a library and not a program."""


class SystemFile(NamedTuple):
    """A file of the system that belongs to a ROCm set-up; a package may own it."""

    path: str
    kind: str
    """``key``, ``pin``, ``alternative``, ``loader path``, ``udev rule``, ``opencl vendor`` or
    ``module option``."""
    detail: str
    """What it says, in one line."""


class RocmTree(NamedTuple):
    """A folder of ROCm or of AMD's driver packages, such as ``/opt/rocm-5.7.1``."""

    path: str
    version: Fact[str]
    link_to: str | None
    """Target when the path is a link (``/opt/rocm`` usually is)."""
    owner: Fact[str]
    """The package that dpkg says put it there; ``""`` when it knows of none."""


class Setting(NamedTuple):
    """A variable that ROCm, MIOpen or the loader reads, and where it was set."""

    name: str
    value: str
    file: str
    """``""`` for the live environment."""
    line: int
    """1-based; 0 for the live environment."""
    effect: str
    """What it really does (``assets/variables.toml``); ``""`` when not known to us."""
    within: str = ""
    """The environment, application or service that alone sees it; ``""`` when everything does."""


class MiopenStore(NamedTuple):
    """A folder in which MIOpen keeps compiled kernels or choices between runs."""

    path: str
    kind: str
    """``kernels`` (the compiled cache) or ``choices`` (find and performance databases)."""
    version: str
    """The MIOpen release that it belongs to, for example ``2.20.0``; ``""`` when not told."""
    targets: tuple[str, ...]
    """For example ``gfx1030_18``: target and work-group processors as MIOpen names its files."""
    bytes: int


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
