"""Permission to use the GPU: the user joins the groups of its device files."""

from __future__ import annotations

from dataclasses import replace

from wizard.advice.card import MissingRight
from wizard.machine.facts import Machine
from wizard.operations.groups import AddToGroups
from wizard.plan.choice import Choice
from wizard.plan.form import with_id
from wizard.plan.steps import Plan
from wizard.system.joined_groups import GPU_GROUPS

"""Groups that root's part lets anybody join, and no others."""


def joinable(missing: MissingRight | None) -> tuple[str, ...]:
    """The groups that give a missing right; none where joining would not give it, or is not ours
    to do."""
    groups = missing.groups if missing is not None else ()
    return groups if set(groups) <= set(GPU_GROUPS) else ()


def told_need(need: str, missing: MissingRight | None) -> str:
    """What a stack needs, in words; of what the plan does itself is said that it does."""
    if missing is None or need != missing.text or not (groups := joinable(missing)):
        return need
    return (
        f"permission to use the GPU: the plan adds you to {' and '.join(groups)} as root, which "
        "takes effect at your next login"
    )


def group_steps(
    machine: Machine, choice: Choice, missing: MissingRight | None
) -> tuple[AddToGroups, ...]:
    """Joins the groups that the card asks for; nothing where the user declines."""
    groups = joinable(missing)
    if not groups or choice.without_groups or choice.without_card:
        return ()
    return (join_groups(machine, groups),)


def join_groups(machine: Machine, groups: tuple[str, ...]) -> AddToGroups:
    """The user joins these groups."""
    return AddToGroups(
        "You need this permission to use the GPU. It takes effect at your next login.",
        machine.access.user,
        groups,
    )


def joining_nothing(plan: Plan) -> Plan:
    """The plan without that, as it would be for a user who is in the groups already."""
    steps = tuple(step for step in plan.steps if not isinstance(step, AddToGroups))
    return with_id(replace(plan, id="", steps=steps))
