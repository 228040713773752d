"""Plans that only take away: ROCm itself, or what other scripts left."""

from __future__ import annotations

from wizard.journalform import Kind
from wizard.machine.facts import Machine
from wizard.machine.host import Host
from wizard.plan.amd_packages import AMD, DISTRIBUTION, DRIVER
from wizard.plan.clean_up import make_clean_up
from wizard.plan.removal import make_removal
from wizard.plan.steps import Plan
from wizard.preflight.reading import files_now


def clearing_plan(kind: Kind, scopes: tuple[str, ...], machine: Machine, host: Host) -> Plan:
    """Takes ROCm of these scopes off, or clears up. Raises PlanImpossible."""
    files = files_now(host, machine)
    if kind is Kind.CLEAN_UP:
        return make_clean_up(machine, files)
    return make_removal(machine, scopes, files)


def removal_scopes(*, distribution: bool, driver: bool) -> tuple[str, ...]:
    """AMD's ROCm, and what was asked for beside it."""
    more = ((DISTRIBUTION, distribution), (DRIVER, driver))
    return (AMD, *(scope for scope, wanted in more if wanted))
