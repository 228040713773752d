"""Whether the card can be used as things are: driver, devices, rights, and who holds it."""

from __future__ import annotations

from dataclasses import dataclass

from wizard.knowledge.stacks import Stack
from wizard.machine.facts import Gpu, Machine, Unknown
from wizard.machine.gpu_words import ATOMICS_UNNEEDED
from wizard.plan.card import chosen_card

KFD = "/dev/kfd"
UNENDING = "D"


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
        texts.append(f"the kernel driver amdgpu; which one it has, is not known ({_why(card)})")
    if _without_atomics(card) and isinstance(card.mec_firmware, Unknown) and _not_in_kfd(card):
        texts.append(
            f"compute firmware {ATOMICS_UNNEEDED} or newer, since its slot passes no PCIe "
            f"atomics; which one it has, is not known ({card.mec_firmware.because})"
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
    return MissingRight(f"the right to open {paths}: {remedy}", needs_root, join)


def _remedy(machine: Machine, groups: list[str]) -> tuple[str, bool]:
    """What gives the right, and whether root must do it."""
    joined = machine.access.groups_in_file
    if not isinstance(joined, Unknown) and all(group in joined for group in groups):
        return f"you are in {', '.join(groups)}, but only from your next login on", False
    if "root" in groups:
        return "the device belongs to root alone; a udev rule of the distribution is missing", True
    return f"sudo usermod -aG {','.join(groups)} {machine.access.user}, then log in again", True


def _driver(card: Gpu) -> str:
    if isinstance(card.driver, Unknown) or card.driver == "amdgpu":
        return ""
    held = f"held by {card.driver}" if card.driver else "not driven by anything"
    return f"the kernel driver amdgpu for {card.name}, which is {held}"


def _refused(card: Gpu) -> str:
    firmware = card.mec_firmware
    if not (_without_atomics(card) and _not_in_kfd(card)) or isinstance(firmware, Unknown):
        return ""
    if firmware >= ATOMICS_UNNEEDED:
        return ""
    return (
        f"PCIe atomics, which the slot of {card.name} does not pass, or compute firmware "
        f"{ATOMICS_UNNEEDED} (it has {firmware}): another slot, or a newer linux-firmware"
    )


def _no_kfd(machine: Machine) -> str:
    if machine.access.kfd.present:
        return ""
    inside = machine.surroundings.container
    if inside:
        return (
            f"{KFD}, which {inside} was not given: start it with --device={KFD} --device=/dev/dri"
        )
    return f"{KFD}, which amdgpu makes when it drives the card"


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
    return f"a restart: {names} holds the card, and no signal ends it"


def _without_atomics(card: Gpu) -> bool:
    return card.atomics is False


def _not_in_kfd(card: Gpu) -> bool:
    return card.kfd_node is None


def _why(card: Gpu) -> str:
    return card.driver.because if isinstance(card.driver, Unknown) else ""
