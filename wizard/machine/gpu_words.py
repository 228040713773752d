"""Says in words what graphics cards there are."""

from __future__ import annotations

from wizard.core.sizes import memory_size_text
from wizard.machine.facts import Fact, Gpu, Link, Unknown

VFIO = "vfio-pci"
"""The driver that holds a card for a virtual machine."""
NVIDIA = "10de:"
ATOMICS_UNNEEDED = 145
"""Version of the compute firmware from which KFD takes RDNA1 cards without PCIe atomics
(``no_atomic_fw_version`` for gfx10.1 in kfd_device.c of Linux)."""


def tell_gpus(gpus: tuple[Gpu, ...]) -> tuple[str, tuple[str, ...]]:
    """Summary in one line, the RDNA1 cards first of all, and details of every card."""
    cards = [gpu for gpu in gpus if gpu.rdna1] or list(gpus)
    without = "no RDNA1 card" if gpus and not any(gpu.rdna1 for gpu in gpus) else ""
    free = ", ".join(_title(gpu) for gpu in cards if gpu.driver != VFIO)
    beside = (_beside(gpu, listed=gpu in cards) for gpu in gpus)
    summary = "; ".join(filter(None, (without, free, *beside))) or "no graphics card found"
    return summary, tuple(line for gpu in gpus for line in _lines(gpu))


def _beside(gpu: Gpu, *, listed: bool) -> str:
    """What to know of a card that the others do not compute with; ``""`` for nothing."""
    if gpu.driver == VFIO:
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
    lines = [
        f"{gpu.pci_address}: {_title(gpu)}{kind}",
        f"  id {gpu.pci_id}, class {gpu.pci_class}, revision {gpu.revision or 'unknown'}",
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
        known = isinstance(gpu.mec_firmware, int)
        firmware = f", compute firmware (MEC) {gpu.mec_firmware}" if known else ""
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
    words = f"PCIe link: {_lanes(link.width)}, {link.speed or 'speed unknown'}"
    if link.width < link.widest:
        words += f"; card and slot support {_lanes(link.widest)}"
    if link.speed and link.fastest and link.speed != link.fastest:
        words += f"; up to {link.fastest} (an idle link runs slower to save energy)"
    return words


def _words(fact: Fact[int] | Fact[bool]) -> str:
    return f"unknown ({fact.because})" if isinstance(fact, Unknown) else str(fact)


def _lanes(count: int) -> str:
    return "1 lane" if count == 1 else f"{count} lanes"
