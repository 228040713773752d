"""Reads the compute nodes that the kernel's KFD knows: the one sure word on a card's target."""

from __future__ import annotations

from dataclasses import dataclass

from wizard.host.host import Host
from wizard.machine.facts import Fact, Unknown

NODES = "/sys/class/kfd/kfd/topology/nodes"
LONGEST_NUMBER = 20
NO_ATOMICS = 0b1100
"""Flags of a link that passes no 32-bit or no 64-bit atomics (``kfd_crat.h`` of Linux)."""


@dataclass(frozen=True, slots=True)
class KfdNode:
    """A node of the KFD topology that holds a GPU."""

    number: int
    gfx: str
    """For example ``gfx1010``; ``""`` when the kernel is too old to tell."""
    has_cpu: bool
    """True when processor cores share the node: the graphics part of a processor."""
    pci_address: str
    render_node: str
    compute_units: Fact[int]
    atomics: Fact[bool]
    """True when the links to the processor and back pass atomics of 32 and of 64 bits."""
    mec_firmware: int
    """Version of the compute firmware; 0 when the kernel is too old to tell."""

    def is_card(self, address: str, render_node: str | None) -> bool:
        """True when this node and a PCI function are the same card."""
        return address == self.pci_address or (
            render_node is not None and render_node == self.render_node
        )


def kfd_nodes(host: Host) -> tuple[KfdNode, ...]:
    """Every node with a GPU; none where the driver has not built a topology."""
    values = {number: _read(host, f"{NODES}/{number}") for number in _numbers(host, NODES)}
    processors = {number for number, of in values.items() if of.get("cpu_cores_count")}
    return tuple(
        _node(number, of, _atomics(host, number, processors))
        for number, of in values.items()
        if of.get("simd_count")
    )


def gfx_name(version: int) -> str:
    """``gfx1010`` for 100100: major, minor and stepping, the last two as hex digits."""
    if version <= 0:
        return ""
    return f"gfx{version // 10000}{version // 100 % 100:x}{version % 100:x}"


def _node(number: int, values: dict[str, int], atomics: Fact[bool]) -> KfdNode:
    minor = values.get("drm_render_minor", 0)
    return KfdNode(
        number=number,
        gfx=gfx_name(values.get("gfx_target_version", 0)),
        has_cpu=values.get("cpu_cores_count", 0) > 0,
        pci_address=_address(values.get("domain", 0), values.get("location_id", 0)),
        render_node=f"renderD{minor}" if minor > 0 else "",
        compute_units=_compute_units(values),
        atomics=atomics,
        mec_firmware=values.get("fw_version", 0),
    )


def _compute_units(values: dict[str, int]) -> Fact[int]:
    """A unit of RDNA has two SIMDs, one of GCN four: the kernel says how many."""
    share = values.get("simd_per_cu", 0)
    return values["simd_count"] // share if share else Unknown("KFD does not report simd_per_cu")


def _atomics(host: Host, number: int, processors: set[int]) -> Fact[bool]:
    """As both directions say: each link states only what its own end was set up for."""
    there = [link for link in _links(host, number) if link["node_to"] in processors]
    back = [
        link
        for node in {link["node_to"] for link in there}
        for link in _links(host, node)
        if link["node_to"] == number
    ]
    if not there or not back:
        return Unknown("KFD lists no links between it and the processor")
    return not any(link["flags"] & NO_ATOMICS for link in (*there, *back))


def _links(host: Host, number: int) -> list[dict[str, int]]:
    """The links that start at a node."""
    folder = f"{NODES}/{number}/io_links"
    links = [_read(host, f"{folder}/{name}") for name in _numbers(host, folder)]
    return [link for link in links if {"node_to", "flags"} <= link.keys()]


def _numbers(host: Host, folder: str) -> list[int]:
    names = host.names(folder)
    if isinstance(names, Unknown):
        return []
    return [int(name) for name in names if name.isascii() and name.isdecimal()]


def _read(host: Host, folder: str) -> dict[str, int]:
    text = host.read(f"{folder}/properties")
    return _values(text) if isinstance(text, str) else {}


def _values(text: str) -> dict[str, int]:
    """Lines of ``key value``; anything else is passed over."""
    pairs = (line.split() for line in text.splitlines())
    return {
        pair[0]: int(pair[1])
        for pair in pairs
        if len(pair) == 2
        and pair[1].isascii()
        and pair[1].isdecimal()
        and len(pair[1]) <= LONGEST_NUMBER
    }


def _address(domain: int, location: int) -> str:
    """The PCI address that KFD packs as bus, device and function in one number."""
    return f"{domain:04x}:{location >> 8 & 0xFF:02x}:{location >> 3 & 0x1F:02x}.{location & 7}"
