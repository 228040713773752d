"""Graphics cards, their driver, who may use them and who does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from wizard.core.fact import Fact


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
