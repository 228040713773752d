"""Which card a plan is for, whether a stack runs on it, and whether it can be used as it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from wizard.core.fact import Unknown
from wizard.knowledge.cards import AMD
from wizard.knowledge.stacks import Stack
from wizard.machine.facts import Gpu, Machine
from wizard.machine.gpus import ATOMICS_UNNEEDED


class Obstacle(NamedTuple):
    """One reason against a stack on this machine; something can be done about each."""

    why: str
    fix: str
    """What its owner can do: a command, another place, or another stack."""

    @property
    def text(self) -> str:
        """Both, as one sentence without its stop."""
        return f"{self.why.rstrip('.')}; {self.fix}"


RDNA1 = "RX 5500, 5600, 5700 and similar"
RELATIVE = "gfx1013"
IN_STOCK_WHEELS = 0x1030
"""From this target on PyTorch's own ROCm wheels hold code for a card, or for one of its family."""
ON_THE_PROCESSOR = "the stack for the processor works here"
KFD = "/dev/kfd"
UNENDING = "D"


def chosen_card(machine: Machine, pci_address: str = "") -> Gpu | None:
    """The card at that address, else the first RDNA1 card, else the first AMD card; or None.

    One that is held for a virtual machine comes after one that is free.
    """
    amd = [gpu for gpu in machine.gpus if gpu.pci_id.lower().startswith(f"{AMD}:")]
    if pci_address:
        return next((gpu for gpu in amd if gpu.pci_address == pci_address), None)
    amd.sort(key=lambda gpu: (not gpu.rdna1, gpu.reserved, gpu.integrated))
    return amd[0] if amd else None


def with_card(machine: Machine, pci_address: str) -> Machine:
    """The machine as if it held no other card than the one at that address; ``""``: all of them."""
    if not pci_address:
        return machine
    return replace(machine, gpus=tuple(g for g in machine.gpus if g.pci_address == pci_address))


def target_of(card: Gpu | None) -> str:
    """The card's real instruction set, ``""`` without a card or where it is not known."""
    if card is None or isinstance(card.gfx, Unknown):
        return ""
    return card.gfx


def wrong_card(machine: Machine, stack: Stack) -> Obstacle | None:
    """Why there is no card for the stack here, None where there is one."""
    card = chosen_card(machine)
    if card is None:
        return _no_card(machine)
    if isinstance(card.gfx, Unknown):
        why = f"the target of {card.name} is not known: {card.gfx.because}"
        fix = (
            f"load amdgpu, which identifies the card, or report its id {card.pci_id} to this "
            "project"
        )
        return Obstacle(why, fix)
    if card.gfx in stack.gfx:
        return None
    return _other_card(card, card.gfx, stack)


def wrong_processor(machine: Machine) -> Obstacle | None:
    """Why no ROCm wheel runs on this processor, None where one does or it is not known."""
    architecture = machine.system.architecture
    if isinstance(architecture, Unknown) or architecture == "x86_64":
        return None
    why = f"ROCm wheels exist only for x86_64, and this processor is {architecture}"
    return Obstacle(why, f"use the card in another machine; {ON_THE_PROCESSOR}")


def _no_card(machine: Machine) -> Obstacle:
    around = machine.surroundings
    none = "no AMD card was found"
    if around.wsl:
        why = "this is WSL: Windows keeps the card, and ROCm for WSL supports no RDNA1 card"
        return Obstacle(why, "boot Linux itself on this machine, from a separate disk")
    if around.confined:
        why = f"{none} from inside {around.confined}, which hides devices"
        return Obstacle(why, "start this program in a terminal outside it")
    if around.container:
        why = f"{none} inside {around.container}"
        return Obstacle(why, "check on the host, or pass /dev/kfd and /dev/dri to the container")
    if around.virtual_machine:
        why = f"{none} in this virtual machine ({around.virtual_machine})"
        return Obstacle(why, "give it the card (PCI passthrough), or start this on the host")
    return Obstacle(f"{none}, and this stack is for {RDNA1}", _fix_without(machine.gpus))


def _fix_without(others: tuple[Gpu, ...]) -> str:
    if any(gpu.name.startswith("NVIDIA") for gpu in others):
        return "for the NVIDIA card, use PyTorch's CUDA wheels (pytorch.org) without this program"
    return f"check whether lspci lists the card; without a card, {ON_THE_PROCESSOR}"


def _other_card(card: Gpu, gfx: str, stack: Stack) -> Obstacle:
    if gfx == RELATIVE:
        note = card.note or (
            "a chip similar to RDNA1, for which no wheel is built or reported to work"
        )
        return Obstacle(f"{card.name} is {gfx}: {note[:1].lower()}{note[1:]}", ON_THE_PROCESSOR)
    why = f"{card.name} is {gfx}; this stack is for {', '.join(stack.gfx)} ({RDNA1})"
    if card.pci_id.startswith(f"{AMD}:") and _number(gfx) >= IN_STOCK_WHEELS:
        fix = "PyTorch's own ROCm wheels (pytorch.org) support cards of this generation"
        return Obstacle(why, f"{fix}: use those, without this program")
    return Obstacle(why, f"this program has no stack for it; {ON_THE_PROCESSOR}")


def _number(gfx: str) -> int:
    """``0x1031`` for ``gfx1031``; 0 for what is no such name."""
    try:
        return int(gfx.removeprefix("gfx"), 16)
    except ValueError:
        return 0


@dataclass(frozen=True, slots=True)
class MissingRight:
    """A right that the user must get before the stack can use the card; no plan gives it."""

    text: str
    needs_root: bool
    """False where a new login is enough."""
    groups: tuple[str, ...] = ()
    """Groups that the user must join for it; none where that would not give it."""


def card_closed(machine: Machine, stack: Stack) -> str:
    """What keeps the card from being used, with what opens it; ``""`` when nothing is seen."""
    card = chosen_card(machine)
    if card is None or not stack.gfx:
        return ""
    missing = missing_right(machine)
    found = (
        _driver(card),
        _refused(card),
        _no_kfd(machine),
        missing.text if missing else "",
        _stuck(machine),
    )
    return next((text for text in found if text), "")


def doubts(machine: Machine) -> tuple[str, ...]:
    """What of the card could not be read, and may turn out to be in the way."""
    card = chosen_card(machine)
    if card is None:
        return ()
    texts = []
    if isinstance(card.driver, Unknown):
        texts.append(f"the kernel driver amdgpu; the card's driver is not known ({_why(card)})")
    if _without_atomics(card) and isinstance(card.mec_firmware, Unknown) and _not_in_kfd(card):
        texts.append(
            f"compute firmware {ATOMICS_UNNEEDED} or newer, since its slot does not support PCIe "
            f"atomics; the card's version is not known ({card.mec_firmware.because})"
        )
    return tuple(texts)


def missing_right(machine: Machine) -> MissingRight | None:
    """The right to open the card's devices, and how to get it; None where nothing is missing."""
    card, access = chosen_card(machine), machine.access
    if card is None or not access.kfd.present:
        return None
    ours = [node for node in access.render_nodes if node.path == card.render_node]
    closed = [node for node in (access.kfd, *ours) if node.present and not node.usable]
    if not closed:
        return None
    paths = " and ".join(node.path for node in closed)
    groups = {node.group for node in closed if not isinstance(node.group, Unknown)} or {"render"}
    remedy, needs_root = _remedy(machine, sorted(groups))
    joined = machine.access.groups_in_file
    known = () if isinstance(joined, Unknown) else joined
    join = () if "root" in groups else tuple(sorted(groups.difference(known)))
    return MissingRight(f"permission to open {paths}: {remedy}", needs_root, join)


def _remedy(machine: Machine, groups: list[str]) -> tuple[str, bool]:
    """What gives the right, and whether root must do it."""
    joined = machine.access.groups_in_file
    if not isinstance(joined, Unknown) and all(group in joined for group in groups):
        return f"you are in {', '.join(groups)}, but this takes effect at your next login", False
    if "root" in groups:
        return (
            "only root can use the device, because a udev rule of the distribution is missing",
            True,
        )
    return f"sudo usermod -aG {','.join(groups)} {machine.access.user}, then log in again", True


def _driver(card: Gpu) -> str:
    if isinstance(card.driver, Unknown) or card.driver == "amdgpu":
        return ""
    held = f"used by {card.driver}" if card.driver else "not used by any driver"
    return f"the kernel driver amdgpu for {card.name}, which is {held}"


def _refused(card: Gpu) -> str:
    firmware = card.mec_firmware
    if not (_without_atomics(card) and _not_in_kfd(card)) or isinstance(firmware, Unknown):
        return ""
    if firmware >= ATOMICS_UNNEEDED:
        return ""
    return (
        f"PCIe atomics, which the slot of {card.name} does not support, or compute firmware "
        f"{ATOMICS_UNNEEDED} (it has {firmware}): use another slot, or a newer linux-firmware"
    )


def _no_kfd(machine: Machine) -> str:
    if machine.access.kfd.present:
        return ""
    inside = machine.surroundings.container
    if inside:
        return (
            f"{KFD}, which {inside} does not have: start the container with --device={KFD} "
            "--device=/dev/dri"
        )
    return f"{KFD}, which appears when amdgpu drives the card"


def _stuck(machine: Machine) -> str:
    if isinstance(machine.processes, Unknown):
        return ""
    held = [
        one
        for one in machine.processes
        if one.state == UNENDING and (one.compute or KFD in one.devices)
    ]
    if not held:
        return ""
    names = ", ".join(f"{one.name} ({one.pid})" for one in held)
    verb = "uses" if len(held) == 1 else "use"
    return f"a restart: {names} {verb} the card and cannot be killed"


def _without_atomics(card: Gpu) -> bool:
    return card.atomics is False


def _not_in_kfd(card: Gpu) -> bool:
    return card.kfd_node is None


def _why(card: Gpu) -> str:
    return card.driver.because if isinstance(card.driver, Unknown) else ""
