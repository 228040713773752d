"""The plan that mends what was found, where this program has one."""

from __future__ import annotations

from wizard.diagnose.finding import Finding
from wizard.machine.facts import Machine
from wizard.machine.host import Host
from wizard.plan.clean_up import CLEAN_UP
from wizard.plan.impossible import PlanImpossible
from wizard.plan.steps import Plan

CLEARED_UP = ("stale-override", "noop-setting")
"""Causes that are mended by clearing away what other scripts left."""


def has_plan(finding: Finding) -> bool:
    """True where ``make_fix`` can be tried."""
    return finding.counts and finding.cause in CLEARED_UP


def make_fix(host: Host, machine: Machine, finding: Finding) -> Plan:
    """The plan that mends it. Raises NothingToDo or PlanImpossible."""
    if not has_plan(finding):
        raise PlanImpossible("This program has no plan for it: its steps are for you to take.")
    from wizard.run.clearing import clearing_plan

    return clearing_plan(CLEAN_UP, (), machine, host)
