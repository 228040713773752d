"""Reads the compute nodes that the kernel's KFD knows: the one sure word on a card's target."""

from __future__ import annotations

from dataclasses import dataclass

from wizard.machine.facts import Unknown
from wizard.machine.host import Host

NODES = "/sys/class/kfd/kfd/topology/nodes"
LONGEST_NUMBER = 20


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

    def is_card(self, address: str, render_node: str | None) -> bool:
        """True when this node and a PCI function are the same card."""
        return address == self.pci_address or (
            render_node is not None and render_node == self.render_node
        )


def kfd_nodes(host: Host) -> tuple[KfdNode, ...]:
    """Every node with a GPU; none where the driver has not built a topology."""
    numbers = host.names(NODES)
    if isinstance(numbers, Unknown):
        return ()
    nodes = (_node(host, int(name)) for name in numbers if name.isascii() and name.isdecimal())
    return tuple(node for node in nodes if node is not None)


def gfx_name(version: int) -> str:
    """``gfx1010`` for 100100: major, minor and stepping, the last two as hex digits."""
    if version <= 0:
        return ""
    return f"gfx{version // 10000}{version // 100 % 100:x}{version % 100:x}"


def _node(host: Host, number: int) -> KfdNode | None:
    text = host.read(f"{NODES}/{number}/properties")
    values = _values(text) if isinstance(text, str) else {}
    if not values.get("simd_count"):
        return None
    minor = values.get("drm_render_minor", 0)
    return KfdNode(
        number=number,
        gfx=gfx_name(values.get("gfx_target_version", 0)),
        has_cpu=values.get("cpu_cores_count", 0) > 0,
        pci_address=_address(values.get("domain", 0), values.get("location_id", 0)),
        render_node=f"renderD{minor}" if minor > 0 else "",
    )


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
