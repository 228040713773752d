"""Whether the card and the processor are those that a stack was built for."""

from __future__ import annotations

from wizard.knowledge.cards import AMD
from wizard.knowledge.stacks import Stack
from wizard.machine.facts import Gpu, Machine, Unknown
from wizard.plan.card import chosen_card
from wizard.plan.obstacle import Obstacle

RDNA1 = "RX 5500, 5600, 5700 and relatives"
RELATIVE = "gfx1013"
IN_STOCK_WHEELS = 0x1030
"""From this target on PyTorch's own ROCm wheels hold code for a card, or for one of its family."""
ON_THE_PROCESSOR = "the processor's stack runs here"


def wrong_card(machine: Machine, stack: Stack) -> Obstacle | None:
    """Why there is no card for the stack here, None where there is one."""
    card = chosen_card(machine)
    if card is None:
        return _no_card(machine)
    if isinstance(card.gfx, Unknown):
        why = f"the target of {card.name} is not known: {card.gfx.because}"
        mend = f"let amdgpu drive it, which tells; else report its id {card.pci_id} to this project"
        return Obstacle(why, mend)
    if card.gfx in stack.gfx:
        return None
    return _other_card(card, card.gfx, stack)


def wrong_processor(machine: Machine) -> Obstacle | None:
    """Why no ROCm wheel runs on this processor, None where one does or it is not known."""
    architecture = machine.system.architecture
    if isinstance(architecture, Unknown) or architecture == "x86_64":
        return None
    why = f"ROCm wheels exist for x86_64 only; this processor is {architecture}"
    return Obstacle(why, f"put the card into another machine; {ON_THE_PROCESSOR}")


def _no_card(machine: Machine) -> Obstacle:
    around = machine.surroundings
    none = "no AMD card was found"
    if around.wsl:
        why = "this is WSL: Windows keeps the card, and ROCm for WSL knows no RDNA1 card"
        return Obstacle(why, "start Linux itself on this machine, from a disk of its own")
    if around.confined:
        why = f"{none} from inside of {around.confined}, which hides devices"
        return Obstacle(why, "start this program in a terminal outside of it")
    if around.container:
        why = f"{none} inside of {around.container}"
        return Obstacle(why, "look at the host, or pass /dev/kfd and /dev/dri into the container")
    if around.virtual_machine:
        why = f"{none} in this virtual machine ({around.virtual_machine})"
        return Obstacle(why, "hand the card to it (PCI passthrough), or start this on the host")
    return Obstacle(f"{none}, and this stack is for {RDNA1}", _mend_without(machine.gpus))


def _mend_without(others: tuple[Gpu, ...]) -> str:
    if any(gpu.name.startswith("NVIDIA") for gpu in others):
        return "for the NVIDIA card take PyTorch's CUDA wheels (pytorch.org), without this program"
    return f"see whether lspci lists the card; without one, {ON_THE_PROCESSOR}"


def _other_card(card: Gpu, gfx: str, stack: Stack) -> Obstacle:
    if gfx == RELATIVE:
        note = card.note or "a relative of RDNA1 for which no wheel is built or attested"
        return Obstacle(f"{card.name} is {gfx}: {note[:1].lower()}{note[1:]}", ON_THE_PROCESSOR)
    why = f"{card.name} is {gfx}; this stack is for {', '.join(stack.gfx)} ({RDNA1})"
    if card.pci_id.startswith(f"{AMD}:") and _number(gfx) >= IN_STOCK_WHEELS:
        mend = "PyTorch's own ROCm wheels (pytorch.org) are made for cards of its age"
        return Obstacle(why, f"{mend}: take those, without this program")
    return Obstacle(why, f"no road for it is known here; {ON_THE_PROCESSOR}")


def _number(gfx: str) -> int:
    """``0x1031`` for ``gfx1031``; 0 for what is no such name."""
    try:
        return int(gfx.removeprefix("gfx"), 16)
    except ValueError:
        return 0
