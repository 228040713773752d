"""The graphics cards: every PCI display function, with what the kernel and its KFD say of each."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wizard.core.amounts import counted, memory_size_text
from wizard.core.fact import Fact, Unknown, known
from wizard.host.host import Host, read_line
from wizard.knowledge.cards import Card, is_rdna1, look_up
from wizard.machine.facts import VFIO, Gpu, Link
from wizard.machine.part import Found, Part

PCI = "/sys/bus/pci/devices"
DISPLAY_CLASSES = ("0300", "0302", "0380")
INTEL_GRAPHICS = ("8086:", ":00:02.0")
"""Vendor and address of every graphics part that Intel puts into processors."""
AMDGPU = "amdgpu"
ONLY_AMDGPU = Unknown("only the driver amdgpu reports it")
ASLEEP = Unknown("the card is asleep and was not woken")
NO_NODE = Unknown("KFD does not know the card")


def read_gpus(host: Host) -> Found[tuple[Gpu, ...]]:
    """Every display function in the order of the bus."""
    addresses = host.names(PCI)
    if isinstance(addresses, Unknown):
        return Found((), (addresses,))
    classes = {address: _number(host, f"{PCI}/{address}/class")[:4] for address in addresses}
    displays = [address for address in addresses if classes[address] in DISPLAY_CLASSES]
    nodes = kfd_nodes(host) if displays else ()
    return Found(tuple(_gpu(host, address, classes[address], nodes) for address in displays))


def _gpu(host: Host, address: str, pci_class: str, nodes: tuple[KfdNode, ...]) -> Gpu:
    folder = f"{PCI}/{address}"
    vendor, device = _number(host, f"{folder}/vendor"), _number(host, f"{folder}/device")
    pci_id = f"{vendor or '????'}:{device or '????'}"
    revision = _number(host, f"{folder}/revision")
    target = host.link(f"{folder}/driver")
    driver = target if isinstance(target, Unknown) else target.rpartition("/")[2]
    if isinstance(driver, Unknown) and "driver" not in _names(host, folder):
        driver = ""
    asleep = read_line(host, f"{folder}/power/runtime_status") in ("suspended", "suspending")
    drm = _names(host, f"{folder}/drm")
    render = next((name for name in drm if name.startswith("renderD")), None)
    node = next((node for node in nodes if node.is_card(address, render)), None)
    card = look_up(pci_id, revision)
    # The kernel's word first: it read the chip itself, the table only knows its id.
    gfx: Fact[str] = (node.gfx if node else "") or card.gfx
    gfx = gfx or Unknown("the kernel does not report it, and the card is unknown")
    is_intel = pci_id.startswith(INTEL_GRAPHICS[0]) and address.endswith(INTEL_GRAPHICS[1])
    return Gpu(
        pci_address=address,
        pci_id=pci_id,
        pci_class=pci_class,
        revision=revision,
        name=card.name,
        gfx=gfx,
        gfx_source="kfd" if node and node.gfx else "table" if card.gfx else "",
        rdna1=isinstance(gfx, str) and is_rdna1(gfx),
        integrated=card.integrated or bool(node and node.has_cpu) or is_intel,
        vram_bytes=_vram(host, folder, driver, asleep=asleep),
        driver=driver,
        drives_screen=_drives_screen(host, folder, drm, driver),
        render_node=f"/dev/dri/{render}" if render else Unknown("its driver offers no render node"),
        kfd_node=node.number if node else None,
        compute_units=node.compute_units if node else NO_NODE,
        atomics=node.atomics if node else NO_NODE,
        mec_firmware=_mec_firmware(host, folder, node, driver, asleep=asleep),
        link=ASLEEP if asleep else read_link(host, folder),
        asleep=asleep,
        note=_note(card, node, driver),
    )


def _mec_firmware(
    host: Host, folder: str, node: KfdNode | None, driver: Fact[str], *, asleep: bool
) -> Fact[int]:
    """From KFD's memory, which wakes nobody; where KFD refused the card, from the driver."""
    if node and node.mec_firmware:
        return node.mec_firmware
    if driver != AMDGPU:
        return ONLY_AMDGPU
    if asleep:
        return ASLEEP
    path = f"{folder}/fw_version/mec_fw_version"
    if not host.exists(path):
        return Unknown("neither KFD nor the driver reports it")
    digits = _number(host, path)  # written as 0x%08x
    version = int(digits, 16) if 0 < len(digits) <= 8 else 0
    return version or Unknown(f"{path} has no version")


def _vram(host: Host, folder: str, driver: Fact[str], *, asleep: bool) -> Fact[int]:
    if driver != AMDGPU:
        return ONLY_AMDGPU
    if asleep:
        return ASLEEP
    text = host.read(f"{folder}/mem_info_vram_total")
    if isinstance(text, Unknown):
        return text
    size = _decimal(text.strip())
    return size if size else Unknown(f"{folder}/mem_info_vram_total contains no size")


def _drives_screen(host: Host, folder: str, drm: tuple[str, ...], driver: Fact[str]) -> Fact[bool]:
    card = next((name for name in drm if name.startswith("card")), None)
    if card is None and driver == VFIO:
        return False
    if card is None:
        return Unknown("no driver reports its connectors")
    connectors = [
        name for name in _names(host, f"{folder}/drm/{card}") if name.startswith(f"{card}-")
    ]
    # The kernel answers from memory here: the monitor and the card are not asked.
    states = (read_line(host, f"{folder}/drm/{card}/{name}/status") for name in connectors)
    return "connected" in states


def _note(card: Card, node: KfdNode | None, driver: Fact[str]) -> str:
    notes = [card.note] if card.note else []
    if driver == VFIO:
        notes.append(
            "This card is reserved for a virtual machine (vfio-pci), so you cannot use it here."
        )
    elif driver == "" and card.gfx:
        notes.append("No driver is bound to the card. It needs amdgpu.")
    if node and node.gfx and card.gfx and node.gfx != card.gfx:
        said = f"The kernel reports {node.gfx}, but the card's PCI ID indicates {card.gfx}."
        notes.append(f"{said} The kernel's value is used.")
    return " ".join(notes)


def _names(host: Host, folder: str) -> tuple[str, ...]:
    return known(host.names(folder), ())


def _number(host: Host, path: str) -> str:
    """Hex digits of a file such as ``0x731f``; ``""`` when it holds something else."""
    digits = read_line(host, path).lower().removeprefix("0x")
    return digits if set(digits) <= set("0123456789abcdef") else ""


def _decimal(digits: str) -> int:
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 20 else 0


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
    share = values.get("simd_per_cu", 0)
    # Bus, device and function are packed in one number.
    at = values.get("location_id", 0)
    place = f"{at >> 8 & 0xFF:02x}:{at >> 3 & 0x1F:02x}.{at & 7}"
    return KfdNode(
        number=number,
        gfx=gfx_name(values.get("gfx_target_version", 0)),
        has_cpu=values.get("cpu_cores_count", 0) > 0,
        pci_address=f"{values.get('domain', 0):04x}:{place}",
        render_node=f"renderD{minor}" if minor > 0 else "",
        # A unit of RDNA has two SIMDs, one of GCN four: the kernel says how many.
        compute_units=values["simd_count"] // share
        if share
        else Unknown("KFD does not report simd_per_cu"),
        atomics=atomics,
        mec_firmware=values.get("fw_version", 0),
    )


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
    names = known(host.names(folder), ())
    return [int(name) for name in names if name.isascii() and name.isdecimal()]


def _read(host: Host, folder: str) -> dict[str, int]:
    """Lines of ``key value``; anything else is passed over."""
    rows = (line.split() for line in known(host.read(f"{folder}/properties"), "").splitlines())
    pairs = [row for row in rows if len(row) == 2 and row[1].isascii() and row[1].isdecimal()]
    return {key: int(number) for key, number in pairs if len(number) <= LONGEST_NUMBER}


ADDRESS = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
AMD_VENDOR = "0x1002"
"""The graphics side of AMD; processors and chipsets have 0x1022."""
SPEED = re.compile(r"(\d{1,3})(?:\.(\d))? GT/s")
WIDEST = 32
"""Lanes of the widest link there is; a card that fell off the bus reads as 63."""


def read_link(host: Host, device: str) -> Fact[Link]:
    """The link between a card and its slot; read only while the card is awake.

    Reading it wakes the device on kernels that power one up before they read its registers
    (``pci_config_pm_runtime_get`` in pci-sysfs.c).
    """
    parts = host.resolve(device).split("/")
    # The bridges and the card itself, from the root port down.
    ports = ["/".join(parts[:n]) for n, part in enumerate(parts, 1) if ADDRESS.fullmatch(part)]
    ends = _ends(host, ports) if ports else (device,)
    width, speed = _width(host, ends[0], "current"), _speed(host, ends[0], "current")
    widths = [_width(host, end, "max") for end in ends]
    speeds = [one for end in ends if (one := _speed(host, end, "max"))]
    if not width or not widths[0]:
        return Unknown(f"{ends[0]} does not report its link")
    widest = min(one for one in widths if one)
    return Link(width, max(width, widest), speed, min(speeds, key=_rate, default=""))


def _ends(host: Host, ports: list[str]) -> tuple[str, ...]:
    """The card's outermost port, and the port that it is plugged into.

    RDNA1 boards carry a switch of their own (1002:1478, 1002:1479): what the graphics function
    itself tells is the link inside the card. Root ports are left out: those of old chipsets
    (RD890) have AMD's graphics vendor too.
    """
    last = len(ports) - 1
    vendors = (read_line(host, f"{port}/vendor").lower() for port in ports[1:last])
    first = next((n for n, vendor in enumerate(vendors, 1) if vendor == AMD_VENDOR), last)
    return (ports[first], ports[first - 1]) if first else (ports[0],)


def _width(host: Host, port: str, which: str) -> int:
    """Lanes of a port's link; 0 when it does not tell."""
    lanes = _decimal(read_line(host, f"{port}/{which}_link_width"))
    return lanes if lanes <= WIDEST else 0


def _speed(host: Host, port: str, which: str) -> str:
    """Speed of a port's link; ``""`` when it does not tell."""
    speed = read_line(host, f"{port}/{which}_link_speed")
    return speed if SPEED.match(speed) and len(speed) < 20 else ""


def _rate(speed: str) -> tuple[int, ...]:
    match = SPEED.match(speed)
    return tuple(int(part or 0) for part in match.groups()) if match else ()


NVIDIA = "10de:"
ATOMICS_UNNEEDED = 145
"""Version of the compute firmware from which KFD takes RDNA1 cards without PCIe atomics
(``no_atomic_fw_version`` for gfx10.1 in kfd_device.c of Linux)."""


def tell_gpus(gpus: tuple[Gpu, ...]) -> tuple[str, tuple[str, ...]]:
    """Summary in one line, the RDNA1 cards first of all, and details of every card."""
    cards = [gpu for gpu in gpus if gpu.rdna1] or list(gpus)
    without = "no RDNA1 card" if gpus and not any(gpu.rdna1 for gpu in gpus) else ""
    free = ", ".join(_title(gpu) for gpu in cards if not gpu.reserved)
    beside = (_beside(gpu, listed=gpu in cards) for gpu in gpus)
    summary = "; ".join(filter(None, (without, free, *beside))) or "no graphics card found"
    return summary, tuple(line for gpu in gpus for line in _lines(gpu))


def _beside(gpu: Gpu, *, listed: bool) -> str:
    """What to know of a card that the others do not compute with; ``""`` for nothing."""
    if gpu.reserved:
        return f"{_title(gpu)} is reserved by {VFIO} for a virtual machine"
    if gpu.pci_id.startswith(NVIDIA) and not listed:
        return f"{_title(gpu)} is also installed, but ROCm does not use it"
    return ""


def _title(gpu: Gpu) -> str:
    return f"{gpu.name} ({gpu.gfx})" if isinstance(gpu.gfx, str) else gpu.name


def _lines(gpu: Gpu) -> list[str]:
    screen = gpu.drives_screen
    shown = (
        f"unknown ({screen.because})" if isinstance(screen, Unknown) else "yes" if screen else "no"
    )
    size = gpu.vram_bytes
    vram = f"unknown ({size.because})" if isinstance(size, Unknown) else memory_size_text(size)
    driver = gpu.driver.because if isinstance(gpu.driver, Unknown) else gpu.driver or "none"
    kind = ", part of the processor" if gpu.integrated else ""
    by = "; its target is known from this id alone" if gpu.gfx_source == "table" else ""
    lines = [
        f"{gpu.pci_address}: {_title(gpu)}{kind}",
        f"  id {gpu.pci_id}, class {gpu.pci_class}, revision {gpu.revision or 'unknown'}{by}",
        f"  driver {driver}, memory {vram}, drives a screen: {shown}",
        *(f"  {line}" for line in board_lines(gpu)),
    ]
    return [*lines, f"  {gpu.note}"] if gpu.note else lines


def board_lines(gpu: Gpu) -> list[str]:
    """What the card can compute with, how it is connected, and whether it sleeps."""
    lines = [*_compute_lines(gpu), _link_words(gpu.link)]
    if gpu.asleep:
        lines.append("asleep to save energy; some values were not read, because that would wake it")
    return lines


def _compute_lines(gpu: Gpu) -> list[str]:
    """What KFD tells of a card of AMD's."""
    if not gpu.pci_id.startswith("1002:"):
        return []
    if gpu.kfd_node is None:
        told = isinstance(gpu.mec_firmware, int)
        firmware = f", compute firmware (MEC) {gpu.mec_firmware}" if told else ""
        return [f"compute: KFD does not list the card{firmware}"]
    units, firmware = _words(gpu.compute_units), _words(gpu.mec_firmware)
    line = f"compute units {units}, compute firmware (MEC) {firmware}"
    if gpu.atomics is not False:
        passed = "yes" if gpu.atomics is True else _words(gpu.atomics)
        return [line, f"PCIe atomics: {passed}"]
    needed = (
        f"; KFD then accepts this card only with MEC {ATOMICS_UNNEEDED} or newer"
        if gpu.rdna1
        else ""
    )
    return [line, f"PCIe atomics: no{needed}"]


def _link_words(link: Fact[Link]) -> str:
    if isinstance(link, Unknown):
        return f"PCIe link: unknown ({link.because})"
    words = f"PCIe link: {counted(link.width, 'lane')}, {link.speed or 'speed unknown'}"
    if link.width < link.widest:
        words += f"; card and slot support {counted(link.widest, 'lane')}"
    if link.speed and link.fastest and link.speed != link.fastest:
        words += f"; up to {link.fastest} (an idle link runs slower to save energy)"
    return words


def _words(fact: Fact[int] | Fact[bool]) -> str:
    return f"unknown ({fact.because})" if isinstance(fact, Unknown) else str(fact)


GPUS: Part[tuple[Gpu, ...]] = Part(
    title="Graphics cards",
    source=f"{PCI}, /sys/class/kfd",
    read=read_gpus,
    tell=tell_gpus,
)
"""The graphics cards."""
