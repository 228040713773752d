"""Which of a machine's cards a plan is for."""

from __future__ import annotations

from dataclasses import replace

from wizard.machine.facts import Gpu, Machine, Unknown

AMD = "1002:"


def chosen_card(machine: Machine, pci_address: str = "") -> Gpu | None:
    """The card at that address, else the first RDNA1 card, else the first AMD card; or None."""
    amd = [gpu for gpu in machine.gpus if gpu.pci_id.lower().startswith(AMD)]
    if pci_address:
        return next((gpu for gpu in amd if gpu.pci_address == pci_address), None)
    amd.sort(key=lambda gpu: (not gpu.rdna1, gpu.integrated))
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
