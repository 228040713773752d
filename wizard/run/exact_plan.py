"""The plan of a choice on this machine; exact where apt, the archive and the index are asked."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from wizard.apt.packages import Versions
from wizard.apt.programs import Children
from wizard.apt.view import Asking
from wizard.core.journal import UNFINISHED, Kind
from wizard.core.own_files import Places
from wizard.core.trouble import Trouble
from wizard.host.contents import read_contents
from wizard.host.host import Host, places_of
from wizard.knowledge.stacks import find_stack
from wizard.machine.facts import Machine
from wizard.machine.system import with_disks
from wizard.plan.amd_packages import AMD, DISTRIBUTION, DRIVER
from wizard.plan.choice import Choice
from wizard.plan.clean_up import make_clean_up
from wizard.plan.exact import prepare
from wizard.plan.leftover_files import files_now
from wizard.plan.planner import make_plan
from wizard.plan.removal import make_removal
from wizard.plan.rollback_packages import Sources, sources_of
from wizard.plan.room import wheel_steps
from wizard.plan.start_check import check
from wizard.plan.steps import Plan
from wizard.plan.system import Prepared
from wizard.plan.wheel_index import WheelsSought, seek_wheels
from wizard.run.preflight_folder import made, preflight_folder
from wizard.run.resume import as_begun, resumed_plan
from wizard.run.runs import is_unfinished, made_by_us, read_records
from wizard.run.wheels_size import WheelsSize, wheels_size
from wizard.system.web import open_web

SYSTEM = "venv+system"


def asking_of(host: Host) -> Asking:
    """With what this machine and its archives are asked; its folder is made when they are."""
    environ, now = host.environ, datetime.now().astimezone()
    folder = preflight_folder(places_of(host))
    return Asking(host, Children(environ), open_web(environ), folder, now)


def plan_here(machine: Machine, choice: Choice, host: Host) -> Plan:
    """The plan as far as this machine alone can tell. Raises PlanImpossible."""
    prepared = Prepared()
    if choice.footprint != "venv":
        prepared = Prepared(files_now(host, machine))
    plan = _planned(machine, choice, host, prepared)
    return plan if host.name else as_begun(plan, choice, places_of(host))


def resolved_plan(machine: Machine, choice: Choice, host: Host) -> Plan:
    """The plan, exact to each package. Raises PlanImpossible, or Trouble for what preflight finds.

    A run of this choice that was cut off keeps its own plan: half done, the machine would give
    another one.
    """
    waiting = waiting_plan(choice, places_of(host))
    if waiting is not None:
        return waiting
    stack = find_stack(choice.stack)
    release = choice.system_release or (stack.system_release if stack is not None else "")
    prepared = Prepared()
    if choice.footprint == SYSTEM and release:
        asking = asking_of(host)
        with made(asking.folder):
            prepared = asyncio.run(prepare(machine, choice, release, asking))
    return _planned(machine, choice, host, prepared)


def _planned(machine: Machine, choice: Choice, host: Host, prepared: Prepared) -> Plan:
    places, there = places_of(host), read_contents(host, choice.venv)
    if there is not None and not host.name and made_by_us(places, choice.venv):
        there = None  # what a run of ours made is not taken for the user's
    machine = with_disks(machine, host, (choice.venv, places.cache))
    return make_plan(machine, choice, places, there, prepared)


async def preflight(plan: Plan, places: Places, asking: Asking) -> tuple[Trouble, ...]:
    """What speaks against beginning; nothing where there is no root's part, or a run waits.

    The steps of one that waits may be done already, by root's part or by hand.
    """
    if not any(step.needs_root for step in plan.steps) or is_unfinished(plan.id, Path(places.runs)):
        return ()
    with made(asking.folder):
        return await check(plan, asking)


async def wheels_sought(
    plan: Plan, machine: Machine, places: Places, environ: Mapping[str, str]
) -> WheelsSought:
    """Whether the wheels of a plan are still to be had; nobody is asked for a run that waits.

    What that one needs may all be here already.
    """
    if is_unfinished(plan.id, Path(places.runs)):
        return WheelsSought()
    return await seek_wheels(plan, machine, environ)


def asks_size(plan: Plan, places: Places) -> bool:
    """True where an index can be asked how much there is to fetch: not for a folder of wheels.

    Nor for a run that waits: some of it may be here already.
    """
    fetches, _ = wheel_steps(plan)
    return (
        bool(fetches) and plan.download_bytes != 0 and not is_unfinished(plan.id, Path(places.runs))
    )


async def size_sought(plan: Plan, places: Places, environ: Mapping[str, str]) -> WheelsSize:
    """How much a plan would fetch, as uv chooses now."""
    return await wheels_size(plan, environ, preflight_folder(places))


def waiting_plan(choice: Choice, places: Places) -> Plan | None:
    """The plan of an unfinished run with root's part for this stack and folder.

    Raises PlanImpossible as ``resumed_plan`` does.
    """
    here = os.path.realpath(choice.venv)
    for record in read_records(Path(places.runs)):
        plan = record.plan
        same = plan["stack"] == choice.stack and os.path.realpath(plan["venv"]) == here
        if same and record.state == UNFINISHED and plan.get("footprint") == choice.footprint:
            found = resumed_plan(record, choice.torch_index, choice.python_mirror)
            return found if any(step.needs_root for step in found.steps) else None
    return None


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
