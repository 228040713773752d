"""Plans that only take away: ROCm itself, or what other scripts left."""

from __future__ import annotations

from pathlib import Path

from wizard.machine.facts import Machine
from wizard.machine.host import Host
from wizard.places import Places
from wizard.plan.amd_packages import AMD, DISTRIBUTION, DRIVER
from wizard.plan.clean_up import CLEAN_UP, make_clean_up
from wizard.plan.form import plan_of
from wizard.plan.removal import make_removal
from wizard.plan.steps import Plan
from wizard.preflight.reading import files_now
from wizard.run.journal import UNFINISHED, read_records


def clearing_plan(kind: str, scopes: tuple[str, ...], machine: Machine, host: Host) -> Plan:
    """Takes ROCm of these scopes off, or clears up. Raises PlanImpossible."""
    files = files_now(host, machine)
    if kind == CLEAN_UP:
        return make_clean_up(machine, files)
    return make_removal(machine, scopes, files)


def removal_scopes(*, distribution: bool, driver: bool) -> tuple[str, ...]:
    """AMD's ROCm, and what was asked for beside it."""
    more = ((DISTRIBUTION, distribution), (DRIVER, driver))
    return (AMD, *(scope for scope, wanted in more if wanted))


def waiting_clearing_plan(kind: str, places: Places) -> Plan | None:
    """The plan of a run of that kind that was cut off: half done, the machine gives another."""
    records = read_records(Path(places.runs))
    waiting = (r for r in records if r.plan["stack"] == kind and r.state == UNFINISHED)
    record = next(waiting, None)
    return None if record is None else plan_of(record.plan)
