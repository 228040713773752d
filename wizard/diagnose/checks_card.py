"""Checks of the card, its driver, its slot, and the right to use it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from wizard.advice.card import chosen_card, missing_right, with_card
from wizard.diagnose.finding import HANG, About, Confidence, Evidence, Finding, Status
from wizard.diagnose.outcomes import fine, found, not_tested, warned
from wizard.machine.facts import Gpu, Machine, Unknown
from wizard.machine.gpus import ATOMICS_UNNEEDED

HAND_IN = (
    "Start the container with --device=/dev/kfd --device=/dev/dri on a host that has these devices."
)
NOT_HANDED_IN = "This container ({0}) was started without the GPU's device /dev/kfd"
BESIDE = {
    "vfio-bound": "{0} is reserved for a virtual machine (vfio-pci)",
    "kfd-missing": "amdgpu does not drive {0}",
    "pcie-atomics": "The slot of {0} does not support PCIe atomics",
    "mec-firmware-old": "The compute firmware of {0} is too old for its slot",
}
"""How the causes are told of a further card."""
UNNEEDED = "The slot does not support PCIe atomics, but the card's firmware works without them"
AGAIN = "You are already in the group. Log out completely and log in again."


def windows_below(machine: Machine) -> Iterator[Finding]:
    """Below Windows there is no driver to look for."""
    if machine.surroundings.wsl:
        yield found("wsl-unsupported", (Evidence("this is the WSL kernel", "/proc/version"),))


def driver(machine: Machine) -> Iterator[Finding]:
    """What drives the card, and whether it made the device for compute work."""
    card = chosen_card(machine)
    if card is None:
        return
    if (undriven := _undriven(machine, card)) is not None:
        if undriven.counts and undriven.cause == "kfd-missing":
            yield from _module_refused(machine)
        yield undriven
    elif not machine.access.kfd.present:
        inside = machine.surroundings.container
        seen = f"/dev/kfd does not exist{f' (inside {inside})' if inside else ''}"
        # A container has no driver of its own that could be at fault.
        fix, title = ((HAND_IN,), NOT_HANDED_IN.format(inside)) if inside else ((), "")
        yield found("kfd-missing", (Evidence(seen, "/dev"),), fix=fix, title=title)
    else:
        where = f"/sys/bus/pci/devices/{card.pci_address}"
        yield fine("kfd-missing", f"amdgpu drives {card.name}", Evidence("driver: amdgpu", where))


def _undriven(machine: Machine, card: Gpu) -> Finding | None:
    """What is known of a card that amdgpu does not drive; None for one that it drives."""
    if isinstance(card.driver, Unknown):
        return not_tested("kfd-missing", "The card's driver is unknown", card.driver.because)
    if card.driver == "amdgpu":
        return None
    return found("vfio-bound" if card.reserved else "kfd-missing", _held(card, machine))


def _held(card: Gpu, machine: Machine) -> Iterator[Evidence]:
    """What holds a card that amdgpu does not drive, and the files that give it to vfio-pci."""
    held = f"uses the driver {card.driver}" if card.driver else "has no driver"
    yield Evidence(f"{card.name} {held}", f"/sys/bus/pci/devices/{card.pci_address}")
    if card.reserved:
        named = (file for file in machine.system_files if "vfio" in file.detail)
        yield from (Evidence(file.detail, file.path) for file in named)


def _module_refused(machine: Machine) -> Iterator[Finding]:
    if machine.surroundings.secure_boot is True and machine.driver.dkms:
        built = ", ".join(machine.driver.dkms)
        evidence = Evidence(f"Secure Boot is on, and DKMS built amdgpu {built}", "/var/lib/dkms")
        yield found("secure-boot-key-rejected", (evidence,), Confidence.LIKELY)


def slot(machine: Machine) -> Iterator[Finding]:
    """PCIe atomics, and the firmware that can do without them."""
    card = chosen_card(machine)
    if card is None or not card.rdna1:
        return
    if card.atomics is True:
        yield fine("pcie-atomics", "The slot supports PCIe atomics")
    elif isinstance(card.atomics, Unknown) and card.kfd_node is None:
        yield not_tested("pcie-atomics", "PCIe atomics were not tested", card.atomics.because)
    elif card.kfd_node is None:
        yield _left_out(card)
    elif card.atomics is False:
        yield fine("pcie-atomics", UNNEEDED)
    else:
        yield fine("pcie-atomics", f"The kernel's compute driver supports {card.name}")


def _left_out(card: Gpu) -> Finding:
    evidence = Evidence("the path to the processor does not support atomics", card.pci_address)
    firmware = card.mec_firmware
    if isinstance(firmware, Unknown):
        return found("pcie-atomics", (evidence,), Confidence.LIKELY)
    if firmware < ATOMICS_UNNEEDED:
        old = f"compute firmware (MEC) {firmware}; it needs {ATOMICS_UNNEEDED}"
        return found("mec-firmware-old", (evidence, Evidence(old, card.pci_address)))
    return warned("pcie-atomics", (evidence,), Confidence.POSSIBLE)


def other_cards(machine: Machine) -> Iterator[Finding]:
    """What keeps further RDNA1 cards from computing, beside the one that all else is about."""
    first = chosen_card(machine)
    for card in machine.gpus:
        if card.rdna1 and card is not first:
            yield from _beside(machine, card)


def _beside(machine: Machine, card: Gpu) -> Iterator[Finding]:
    alike = [gpu for gpu in machine.gpus if gpu.name == card.name]
    name = f"{card.name} ({card.pci_address})" if len(alike) > 1 else card.name
    about = About(other_card=card.pci_address)
    wrong = _undriven(machine, card)
    if wrong is None and card.atomics is False and card.kfd_node is None:
        wrong = _left_out(card)
    if wrong is not None and wrong.counts:
        title = BESIDE[wrong.cause].format(name)
        yield replace(wrong, status=Status.WARNING, title=title, about=about)
    elif wrong is not None:
        yield replace(wrong, title=f"The driver of {name} is unknown")
    elif missing_right(machine) is None:  # else it is told of both devices at once
        missing = missing_right(with_card(machine, card.pci_address))
        if missing is not None:
            needs, _, fix = missing.text.partition(": ")
            about = replace(about, groups=missing.groups)
            evidence = (Evidence(f"{needs} is missing", "/dev"),)
            title = f"This process may not open {name}"
            yield warned("kfd-permission", evidence, title=title, fix=(fix,), about=about)


def permission(machine: Machine) -> Iterator[Finding]:
    """Whether this process may open the devices, and what gives the right."""
    if chosen_card(machine) is None or not machine.access.kfd.present:
        return
    missing = missing_right(machine)
    if missing is None:
        yield fine("kfd-permission", "This process may open /dev/kfd and the card's render node")
        return
    groups = machine.access.groups_in_force
    told = "not known" if isinstance(groups, Unknown) else ", ".join(groups)
    evidence = (
        Evidence(f"{missing.text.partition(':')[0]} is missing", "/dev"),
        Evidence(f"active groups: {told}", "/proc/self/status"),
    )
    if not missing.needs_root:
        joined = Evidence("you have joined it, which takes effect at your next login", "/etc/group")
        yield found("kfd-permission", (*evidence, joined), fix=(AGAIN,))
        return
    # Inside a container the host's groups count, and those are given when it is started.
    groups = () if machine.surroundings.container else missing.groups
    fix = missing.text.partition(": ")[2]
    about = About(groups=groups) if groups else None
    yield found("kfd-permission", evidence, fix=(fix,), about=about)


def other_gpus(machine: Machine) -> Iterator[Finding]:
    """A processor's own GPU that ROCm counts as well."""
    inside = processor_gpus(machine)
    names = ("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES")
    if not inside or any(setting.name in names for setting in machine.settings):
        return
    evidence = (Evidence(f"{gpu.name} is also a ROCm device", gpu.pci_address) for gpu in inside)
    yield warned("igpu-selected", evidence, Confidence.POSSIBLE)


def processor_gpus(machine: Machine) -> list[Gpu]:
    """The processor's own GPUs that ROCm counts beside an RDNA1 card; none without that."""
    card = chosen_card(machine)
    inside = [g for g in machine.gpus if g.integrated and g.kfd_node is not None]
    return inside if card is not None and card.rdna1 and card not in inside else []


def stuck_work(machine: Machine) -> Iterator[Finding]:
    """Processes that compute on the GPU and that no signal ends."""
    if isinstance(machine.processes, Unknown):
        title = "The programs that use the GPU are unknown"
        yield not_tested(HANG, title, machine.processes.because)
        return
    stuck = [p for p in machine.processes if p.state == "D" and (p.compute or p.devices)]
    if stuck:
        how = "is stuck in the kernel (state D)"
        evidence = (Evidence(f"{p.name} {how}", f"/proc/{p.pid}") for p in stuck)
        yield found(HANG, evidence, Confidence.LIKELY)
    else:
        yield fine(HANG, "No program that uses the GPU is stuck")
