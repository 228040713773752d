"""What keeps a stack from working here, for commands that would install it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wizard.machine.facts import Machine
    from wizard.plan.steps import Plan

FOR_ANOTHER = "To install for another machine that has the card, add --without-card"


def obstacle_to(machine: Machine, asked: argparse.Namespace, plan: Plan) -> str:
    """Why this stack cannot work here; the device is not asked for with --without-card."""
    from wizard.advice.card import with_card, wrong_card
    from wizard.advice.fit import fit
    from wizard.knowledge.stacks import find_stack
    from wizard.plan.existing import obstacles_to

    stack = find_stack(asked.stack)
    if asked.without_card or stack is None:
        return ""
    chosen = with_card(machine, asked.gpu)
    against = list(obstacles_to(plan.steps, machine, stack, fit(chosen, (), stack)))
    if against and stack.gfx and wrong_card(chosen, stack):
        against.append(FOR_ANOTHER)
    return " ".join(f"{each.rstrip('.')}." for each in against)
