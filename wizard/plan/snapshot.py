"""A snapshot of the whole system before a plan: an offer, where the user has set one up."""

from __future__ import annotations

from dataclasses import replace

from wizard.machine.facts import Machine
from wizard.operations.packages import MakeSnapshot
from wizard.plan.form import with_id
from wizard.plan.impossible import PlanImpossible
from wizard.plan.steps import Plan

SNAPPER = "snapper"
USUAL_CONFIG = "root"
"""What Snapper's guides call the configuration of the file system ``/``."""
REASON = (
    "You asked for a snapshot to be made before anything is changed. The rollback does not "
    "need the snapshot."
)


def offered(machine: Machine | None, plan: Plan) -> str:
    """The tool that could make one before this plan; ``""`` where there is none to offer."""
    tools = machine.surroundings.snapshots if machine is not None else ()
    root = any(step.needs_root and not isinstance(step, MakeSnapshot) for step in plan.steps)
    return tools[0] if tools and root else ""


def makes_snapshot(plan: Plan) -> bool:
    """True for a plan that begins with a snapshot."""
    return any(isinstance(step, MakeSnapshot) for step in plan.steps)


def with_snapshot(plan: Plan, asked: str) -> Plan:
    """The plan with a snapshot in front; ``asked`` is a tool, or ``snapper:CONFIG``."""
    tool, _, config = asked.partition(":")
    named = (config or USUAL_CONFIG) if tool == SNAPPER else ""
    return with_id(replace(plan, id="", steps=(MakeSnapshot(REASON, tool, named), *plan.steps)))


def without_snapshot(plan: Plan) -> Plan:
    """The plan without it."""
    steps = tuple(step for step in plan.steps if not isinstance(step, MakeSnapshot))
    return with_id(replace(plan, id="", steps=steps))


def as_asked(machine: Machine, plan: Plan, asked: str) -> Plan:
    """The plan as the command line wants it. Raises PlanImpossible for a tool not set up here."""
    if not asked:
        return plan
    tools = machine.surroundings.snapshots
    if asked.partition(":")[0] not in tools:
        known = " and ".join(tools) or "none"
        raise PlanImpossible(
            f"{asked} is not set up on this machine (available snapshot tools: {known}). Set it "
            "up, or continue without --snapshot. The rollback does not need a snapshot."
        )
    if not plan.root_steps:
        return plan
    return with_snapshot(plan, asked)
