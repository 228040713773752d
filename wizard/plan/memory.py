"""Memory of the machine and of the card, held against stacks and applications."""

from __future__ import annotations

from wizard.knowledge.applications import Application
from wizard.knowledge.stacks import Stack
from wizard.machine.facts import Fact, Machine, Unknown
from wizard.plan.card import chosen_card
from wizard.plan.room import GIGABYTE
from wizard.sizes import memory_size_text

MEMORY_ASKED = 8 * GIGABYTE
"""What the notes ask for (hkevin01/rocm-patch, README.md)."""
SHARE = 0.9
"""Firmware and driver keep a part: 8 GB are told as somewhat less."""


def memory_need(machine: Machine, stack: Stack) -> str:
    """What of memory is missing or not known for a stack that uses the card."""
    memory = machine.system.memory_bytes
    if not stack.gfx or _enough(memory, MEMORY_ASKED):
        return ""
    asked = "8 GB of memory by the notes of hkevin01/rocm-patch"
    return f"{asked}; {_has(memory, 'this machine')}"


def short_of(machine: Machine, application: Application, stack: Stack) -> str:
    """The memory that the application's makers ask for and that is not here; ``""`` for none."""
    card = chosen_card(machine)
    if stack.gfx and card and _short(card.vram_bytes, application.vram_bytes):
        asked = f"a card with {_gigabytes(application.vram_bytes)}"
        return f"{asked} by its makers; {_has(card.vram_bytes, card.name)}"
    least = _least(application, stack)
    if _short(machine.system.memory_bytes, least):
        where = "" if stack.gfx else " on the processor"
        asked = f"{_gigabytes(least)} of memory{where}"
        return f"{asked} by its makers; {_has(machine.system.memory_bytes, 'this machine')}"
    return ""


def unsure_memory(machine: Machine, application: Application, stack: Stack) -> str:
    """What the application asks of a memory whose size is not known."""
    card = chosen_card(machine)
    vram = card.vram_bytes if card else None
    if stack.gfx and application.vram_bytes and isinstance(vram, Unknown):
        return f"a card with {_gigabytes(application.vram_bytes)}: {_unknown('its memory', vram)}"
    memory, least = machine.system.memory_bytes, _least(application, stack)
    if least and isinstance(memory, Unknown):
        return f"{_gigabytes(least)} of memory: {_unknown('how much there is', memory)}"
    return ""


def _least(application: Application, stack: Stack) -> int | None:
    alone = application.memory_without_card_bytes
    return application.memory_bytes if stack.gfx or alone is None else alone


def _enough(memory: Fact[int], asked: int) -> bool:
    return not isinstance(memory, Unknown) and memory >= asked * SHARE


def _short(memory: Fact[int], asked: int | None) -> bool:
    """True when it is known to be less."""
    return bool(asked) and not isinstance(memory, Unknown) and memory < (asked or 0) * SHARE


def _has(memory: Fact[int], what: str) -> str:
    if isinstance(memory, Unknown):
        return _unknown("how much this machine has", memory)
    return f"{what} has {memory_size_text(memory)}"


def _unknown(what: str, fact: Unknown) -> str:
    return f"{what} is not known ({fact.because})"


def _gigabytes(count: int | None) -> str:
    return f"{(count or 0) / GIGABYTE:g} GB"
