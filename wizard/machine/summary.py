"""A machine in a few words: its card, and its system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wizard.core.amounts import memory_size_text
from wizard.core.fact import Unknown, known
from wizard.core.lines import shown

if TYPE_CHECKING:
    from wizard.machine.facts import Gpu, Machine


def main_card(machine: Machine) -> Gpu | None:
    """The card that all is about: the first RDNA1 card that is free, else the first card."""
    return min(machine.gpus, key=lambda gpu: (not gpu.rdna1, gpu.reserved), default=None)


def card_line(machine: Machine, *, memory: bool = True) -> str:
    """The main card with its target and its memory; in under 40 cells as a rule."""
    gpu = main_card(machine)
    if gpu is None:
        return "no graphics card found"
    size = gpu.vram_bytes
    room = () if isinstance(size, Unknown) or not memory else (memory_size_text(size),)
    relation = () if gpu.rdna1 else ("not RDNA1",)
    name = shown(gpu.name).removeprefix("AMD ").removeprefix("Radeon ")
    return f"{name} ({', '.join((shown(known(gpu.gfx, 'unknown')), *room, *relation))})"


def system_line(machine: Machine) -> str:
    """Distribution and release, such as ``Ubuntu 24.04``."""
    pretty = machine.system.pretty_name
    if not isinstance(pretty, Unknown):
        words = shown(pretty).split()
        return " ".join(word for word in words if word not in ("LTS", "GNU/Linux"))
    return shown(known(machine.system.distribution, "unknown"))
