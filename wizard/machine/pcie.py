"""Reads the PCI Express link of a card's slot, past the bridges that the card itself brings."""

from __future__ import annotations

import re

from wizard.host.host import Host
from wizard.machine.facts import Fact, Link, Unknown

ADDRESS = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
AMD = "0x1002"
"""The graphics side of AMD; processors and chipsets have 0x1022."""
SPEED = re.compile(r"(\d{1,3})(?:\.(\d))? GT/s")
WIDEST = 32
"""Lanes of the widest link there is; a card that fell off the bus reads as 63."""


def read_link(host: Host, device: str) -> Fact[Link]:
    """The link between a card and its slot; read only while the card is awake.

    Reading it wakes the device on kernels that power one up before they read its registers
    (``pci_config_pm_runtime_get`` in pci-sysfs.c).
    """
    ports = _ports(host.resolve(device))
    ends = _ends(host, ports) if ports else (device,)
    width, speed = _lanes(host, ends[0], "current"), _speed(host, ends[0], "current")
    widths = [_lanes(host, end, "max") for end in ends]
    speeds = [one for end in ends if (one := _speed(host, end, "max"))]
    if not width or not widths[0]:
        return Unknown(f"{ends[0]} does not report its link")
    widest = min(one for one in widths if one)
    return Link(width, max(width, widest), speed, min(speeds, key=_rate, default=""))


def _ports(real: str) -> list[str]:
    """Folders of the bridges and of the card itself, from the root port down."""
    parts = real.split("/")
    return [
        "/".join(parts[: number + 1])
        for number, part in enumerate(parts)
        if ADDRESS.fullmatch(part)
    ]


def _ends(host: Host, ports: list[str]) -> tuple[str, ...]:
    """The card's outermost port, and the port that it is plugged into.

    RDNA1 boards carry a switch of their own (1002:1478, 1002:1479): what the graphics function
    itself tells is the link inside the card. Root ports are left out: those of old chipsets
    (RD890) have AMD's graphics vendor too.
    """
    last = len(ports) - 1
    first = next((n for n in range(1, last) if _is_amds(host, ports[n])), last)
    return (ports[first], ports[first - 1]) if first else (ports[0],)


def _is_amds(host: Host, port: str) -> bool:
    vendor = host.read(f"{port}/vendor")
    return isinstance(vendor, str) and vendor.strip().lower() == AMD


def _lanes(host: Host, port: str, which: str) -> int:
    """Lanes of a port's link; 0 when it does not tell."""
    text = host.read(f"{port}/{which}_link_width")
    lanes = text.strip() if isinstance(text, str) else ""
    known = lanes.isascii() and lanes.isdecimal() and len(lanes) < 3
    return int(lanes) if known and int(lanes) <= WIDEST else 0


def _speed(host: Host, port: str, which: str) -> str:
    """Speed of a port's link; ``""`` when it does not tell."""
    text = host.read(f"{port}/{which}_link_speed")
    speed = text.strip() if isinstance(text, str) else ""
    return speed if SPEED.match(speed) and len(speed) < 20 else ""


def _rate(speed: str) -> tuple[int, ...]:
    match = SPEED.match(speed)
    return tuple(int(part or 0) for part in match.groups()) if match else ()
