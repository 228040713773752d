"""Plans that only take away: ROCm itself, or what other scripts left."""

from __future__ import annotations

import asyncio

from wizard.apt.packages import Versions
from wizard.apt.view import Asking
from wizard.host.host import Host
from wizard.journalform import Kind
from wizard.machine.facts import Machine
from wizard.plan.amd_packages import AMD, DISTRIBUTION, DRIVER
from wizard.plan.clean_up import make_clean_up
from wizard.plan.leftover_files import files_now
from wizard.plan.removal import make_removal
from wizard.plan.rollback_packages import Sources, sources_of
from wizard.plan.steps import Plan
from wizard.run.preflight_folder import made


def clearing_plan(
    kind: Kind, scopes: tuple[str, ...], machine: Machine, host: Host, for_good: Versions = ()
) -> Plan:
    """Takes ROCm of these scopes off, or clears up. Raises PlanImpossible."""
    files = files_now(host, machine)
    if kind is Kind.CLEAN_UP:
        return make_clean_up(machine, files, for_good)
    return make_removal(machine, scopes, files, for_good)


def clearing_for_good(
    kind: Kind, scopes: tuple[str, ...], machine: Machine, asking: Asking
) -> Plan:
    """The same, without a rollback for what nothing could put back; raises Trouble too."""
    plan = clearing_plan(kind, scopes, machine, asking.host)
    lost = asked_sources(plan, asking).lost
    return clearing_plan(kind, scopes, machine, asking.host, lost) if lost else plan


def asked_sources(plan: Plan, asking: Asking) -> Sources:
    """Where the packages that a plan removes can be had again; raises Trouble."""
    with made(asking.folder):
        return asyncio.run(sources_of(plan.steps, asking))


def removal_scopes(*, distribution: bool, driver: bool) -> tuple[str, ...]:
    """AMD's ROCm, and what was asked for beside it."""
    more = ((DISTRIBUTION, distribution), (DRIVER, driver))
    return (AMD, *(scope for scope, wanted in more if wanted))
