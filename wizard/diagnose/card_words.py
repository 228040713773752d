"""The card that all is about, on one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wizard.core.amounts import memory_size_text
from wizard.core.lines import shown
from wizard.machine.facts import Unknown

if TYPE_CHECKING:
    from wizard.machine.facts import Fact, Gpu, Machine


def main_card(machine: Machine) -> Gpu | None:
    """The card that all is about: the first RDNA1 card that is free, else the first card."""
    return min(machine.gpus, key=lambda gpu: (not gpu.rdna1, gpu.reserved), default=None)


def card_text(machine: Machine, *, memory: bool = True) -> str:
    """The main card with its target and its memory; in under 40 cells as a rule."""
    gpu = main_card(machine)
    if gpu is None:
        return "no graphics card found"
    size = gpu.vram_bytes
    room = () if isinstance(size, Unknown) or not memory else (memory_size_text(size),)
    relation = () if gpu.rdna1 else ("not RDNA1",)
    name = shown(gpu.name).removeprefix("AMD ").removeprefix("Radeon ")
    return f"{name} ({', '.join((fact_text(gpu.gfx), *room, *relation))})"


def fact_text(fact: Fact[str]) -> str:
    """A fact on one line; an unknown one says so."""
    return "unknown" if isinstance(fact, Unknown) else shown(fact)
