"""Reads the graphics cards: every PCI display function, with what the kernel says of each."""

from __future__ import annotations

from wizard.host.host import Host
from wizard.knowledge.cards import Card, is_rdna1, look_up
from wizard.machine.facts import Fact, Gpu, Unknown
from wizard.machine.gpu_words import VFIO, tell_gpus
from wizard.machine.kfd import KfdNode, kfd_nodes
from wizard.machine.part import Found, Part
from wizard.machine.pcie import read_link

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
    driver, asleep = _driver(host, folder), _asleep(host, folder)
    drm = _names(host, f"{folder}/drm")
    render = next((name for name in drm if name.startswith("renderD")), None)
    node = next((node for node in nodes if node.is_card(address, render)), None)
    card = look_up(pci_id, revision)
    gfx = _gfx(card, node)
    return Gpu(
        pci_address=address,
        pci_id=pci_id,
        pci_class=pci_class,
        revision=revision,
        name=card.name,
        gfx=gfx,
        gfx_source="kfd" if node and node.gfx else "table" if card.gfx else "",
        rdna1=isinstance(gfx, str) and is_rdna1(gfx),
        integrated=card.integrated or bool(node and node.has_cpu) or _is_intel(pci_id, address),
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


def _gfx(card: Card, node: KfdNode | None) -> Fact[str]:
    """The kernel's word first: it read the chip itself, the table only knows its id."""
    if node and node.gfx:
        return node.gfx
    return card.gfx or Unknown("the kernel does not report it, and the card is unknown")


def _driver(host: Host, folder: str) -> Fact[str]:
    target = host.link(f"{folder}/driver")
    if isinstance(target, str):
        return target.rpartition("/")[2]
    return target if "driver" in _names(host, folder) else ""


def _asleep(host: Host, folder: str) -> bool:
    state = host.read(f"{folder}/power/runtime_status")
    return isinstance(state, str) and state.strip() in ("suspended", "suspending")


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
    size = _decimal(text)
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
    states = (host.read(f"{folder}/drm/{card}/{name}/status") for name in connectors)
    return any(isinstance(state, str) and state.strip() == "connected" for state in states)


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


def _is_intel(pci_id: str, address: str) -> bool:
    vendor, place = INTEL_GRAPHICS
    return pci_id.startswith(vendor) and address.endswith(place)


def _names(host: Host, folder: str) -> tuple[str, ...]:
    names = host.names(folder)
    return () if isinstance(names, Unknown) else names


def _number(host: Host, path: str) -> str:
    """Hex digits of a file such as ``0x731f``; ``""`` when it holds something else."""
    text = host.read(path)
    digits = text.strip().lower().removeprefix("0x") if isinstance(text, str) else ""
    return digits if set(digits) <= set("0123456789abcdef") else ""


def _decimal(text: str) -> int:
    digits = text.strip()
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 20 else 0


GPUS: Part[tuple[Gpu, ...]] = Part(
    title="Graphics cards",
    source=f"{PCI}, /sys/class/kfd",
    read=read_gpus,
    without=lambda _: (),
    tell=tell_gpus,
)
"""The graphics cards."""
