"""What a stack asks of a machine: what rules it out, and what is still missing."""

from __future__ import annotations

from wizard.knowledge.stacks import Stack
from wizard.machine.facts import Machine, Unknown
from wizard.plan.c_library import too_old, unsure
from wizard.plan.card_in_use import card_closed, doubts
from wizard.plan.memory import memory_need
from wizard.plan.obstacle import Obstacle
from wizard.plan.right_card import wrong_card, wrong_processor
from wizard.plan.room import disk_full, unsure_size


def obstacles(machine: Machine, stack: Stack) -> tuple[Obstacle, ...]:
    """What rules the stack out here, each with what would mend it."""
    card = (wrong_card(machine, stack), wrong_processor(machine)) if stack.gfx else ()
    found = (*card, too_old(machine, stack), disk_full(machine, stack))
    return tuple(each for each in found if each)


def needs(machine: Machine, stack: Stack) -> tuple[str, ...]:
    """What the stack needs that is not there yet, or that could not be seen."""
    room = (unsure(machine, stack), unsure_size(machine, stack))
    if not stack.gfx:
        return tuple(text for text in room if text)
    texts = (
        card_closed(machine, stack),
        *doubts(machine),
        room[0],
        memory_need(machine, stack),
        room[1],
        _unknown_processor(machine),
    )
    return tuple(text for text in texts if text)


def _unknown_processor(machine: Machine) -> str:
    architecture = machine.system.architecture
    if not isinstance(architecture, Unknown):
        return ""
    return f"an x86_64 processor; what this one is could not be read ({architecture.because})"
