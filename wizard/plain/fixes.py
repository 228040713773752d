"""What is looked at, and fixes as plans where there is a planner of them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

from wizard.plan.impossible import PlanImpossible

if TYPE_CHECKING:
    from types import ModuleType

    from wizard.diagnose.finding import Finding
    from wizard.diagnose.machine import Diagnosis
    from wizard.machine.facts import Machine
    from wizard.machine.host import Host
    from wizard.plan.steps import Plan


def look(host: Host, machine: Machine) -> Diagnosis:
    """Every check of this machine; its kernel log too, where it is no recorded one."""
    looking = _module("wizard.diagnose.looking")
    if looking is not None:
        return cast("Diagnosis", looking.look_at(host, machine))
    from wizard.diagnose.kernel import kernel_findings
    from wizard.diagnose.machine import diagnose

    return diagnose(machine, () if host.name else kernel_findings())


def has_plan(finding: Finding) -> bool:
    """True where a fix can be made as a plan."""
    fixing = _module("wizard.plan.fixing")
    return fixing is not None and bool(fixing.has_plan(finding))


def fix_of(host: Host, machine: Machine, finding: Finding) -> Plan:
    """The plan that mends a finding. Raises PlanImpossible."""
    fixing = _module("wizard.plan.fixing")
    if fixing is None:
        raise PlanImpossible("there is no plan for that; mend it by hand")
    return cast("Plan", fixing.make_fix(host, machine, finding))


def _module(name: str) -> ModuleType | None:
    try:
        return import_module(name)
    except ModuleNotFoundError:
        return None
