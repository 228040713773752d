"""A setting found on one machine, for another one: whether it is meant for it, and a short recheck.

What was found holds for its chip and its torch: MIOpen chooses its kernels by both.
"""

from __future__ import annotations

from wizard.conv2d.cards.card_words import told_kernel
from wizard.conv2d.cards.result_card import Here, ResultCard
from wizard.conv2d.presets import Row
from wizard.conv2d.sweep import Sweep
from wizard.conv2d.verdicts import RIGHT, Result, Verdict
from wizard.machine.facts import Gpu
from wizard.machine.facts.contents import Contents

RECHECKS = 2
"""Launches of the shape under the setting, each in a process of its own."""
CPU = "cpu"


def device_of(card: ResultCard) -> str:
    """What it was measured on: ``cuda``, or ``cpu``."""
    return CPU if card.chip.name == CPU else "cuda"


def not_meant_for(card: ResultCard, here: Here, there: Contents | None) -> str:
    """Why the card's setting is for another machine; ``""`` where chip and torch are its own."""
    if device_of(card) != CPU and (other := _other_chip(card, here)):
        return other
    torch = torch_in(there)
    if not torch or card.stack.torch != torch:
        found = f"torch {torch}" if torch else "no torch"
        return f"it was found with torch {card.stack.torch or '(not told)'}; that venv has {found}"
    return ""


def other_kernel(card: ResultCard, here: Here) -> str:
    """That the kernel, and so its driver, is another one: no obstacle; ``""`` where it is none."""
    kernel = here.system.kernel
    before, now = card.stack.kernel, told_kernel(kernel) if isinstance(kernel, str) else None
    if None in (before, now) or before == now:
        return ""
    return f"It was found under kernel {before}; this machine has {now}."


def torch_in(there: Contents | None) -> str:
    """The version of an environment's torch; ``""`` without one."""
    found = there.distributions if there else ()
    return next((each.version for each in found if each.name == "torch"), "")


def recheck(card: ResultCard, python: str) -> Sweep:
    """The shape of the setting, under the setting, from nothing."""
    assert card.found is not None  # noqa: S101 - asked for before
    row = Row(card.found.shape, setting=card.found.setting)
    return Sweep(
        python, (row,), device=device_of(card), repeats=RECHECKS, hangs=1, warm_runs=2, spawn=True
    )


def failed(results: tuple[Result, ...]) -> Result | None:
    """The result that speaks against the setting; None when every one is right."""
    return next((result for result in results if result.verdict not in RIGHT), None)


def words_for(result: Result) -> str:
    """What became of a shape, for a refusal."""
    detail = f" ({result.detail})" if result.detail else ""
    verb = "did not come back" if result.verdict is Verdict.HUNG else f"was {result.verdict.value}"
    return f"{result.label} {verb}{detail}"


def _other_chip(card: ResultCard, here: Here) -> str:
    """Chips are compared by target and PCI id; of several cards nobody knows which one it is."""
    cards = [gpu for gpu in here.gpus if gpu.driver == "amdgpu" and not gpu.integrated]
    told = card.chip.gfx or "a chip that it does not tell"
    if len(cards) != 1:
        count = "no card" if not cards else f"{len(cards)} cards"
        return f"it was found on {told}; this machine has {count} of amdgpu's"
    if card.chip.gfx is None or here.gfx != card.chip.gfx:
        return f"it was found on {told}; this machine has {here.gfx or _name(cards[0])}"
    if card.chip.pci_id not in (None, cards[0].pci_id):
        return f"it was found on the card {card.chip.pci_id}; this one is {cards[0].pci_id}"
    return ""


def _name(gpu: Gpu) -> str:
    return gpu.pci_id
