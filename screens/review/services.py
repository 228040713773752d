"""Plans for the screens: made, settled with what the archive says, and judged before they begin."""

from __future__ import annotations

import argparse
import asyncio
from typing import TYPE_CHECKING

from screens.faults import refused
from wizard.commands.choosing import with_sources
from wizard.commands.looking import places_of, there_before

if TYPE_CHECKING:
    from wizard.conv2d.search.setting_answer import Found
    from wizard.journalform import Kind
    from wizard.machine.facts import Machine
    from wizard.machine.host import Host
    from wizard.overlay.rehearsed import Rehearsed
    from wizard.places import Places
    from wizard.plan.choice import Choice
    from wizard.plan.steps import Plan
    from wizard.preflight.asking import Asking
    from wizard.preflight.wheels import WheelsSought
    from wizard.run.trouble import Trouble
    from wizard.run.wheels_size import WheelsSize


def make_plan(arguments: argparse.Namespace, host: Host, machine: Machine, choice: Choice) -> Plan:
    """The plan for a choice. Raises ValueError, with a text fit to show, where there is none."""
    from wizard.commands.making import plan_here

    return plan_here(machine, with_sources(choice, arguments), host)


def make_clearing(
    host: Host, machine: Machine, kind: Kind, scopes: tuple[str, ...], without_rollback: bool
) -> Plan:
    """The plan that takes these scopes away. Raises ValueError where there is nothing to take."""
    from wizard.run.clearing import clearing_for_good, clearing_plan

    if not without_rollback:
        return clearing_plan(kind, scopes, machine, host)
    return clearing_for_good(kind, scopes, machine, _asking(host))


def keep_setting(host: Host, found: Found) -> Plan:
    """The plan that keeps a setting for its environment. Raises ValueError where it cannot be."""
    from wizard.plan.keep_setting import make_keep

    return make_keep(host, found.venv, found.setting)


def settle(arguments: argparse.Namespace, host: Host, machine: Machine, choice: Choice) -> Plan:
    """The plan, exact to each package: asks the archive."""
    from wizard.run.settling import settled_plan

    choice, places = with_sources(choice, arguments), places_of(host)
    there = there_before(host, choice.venv)
    return asyncio.run(settled_plan(machine, choice, places, there, _asking(host)))


def _asking(host: Host) -> Asking:
    from wizard.run.live import now
    from wizard.run.settling import asking_of

    return asking_of(host, places_of(host), host.environ, now())


def refusal_of(host: Host, plan: Plan) -> Trouble | None:
    """Why Apply would refuse the plan here."""
    from wizard.run.ready import obstacle

    places = places_of(host)
    found = obstacle(plan, places)
    needs_root = any(step.needs_root for step in plan.steps)
    return found or (_refusal(host, places, plan) if needs_root else None)


def _refusal(host: Host, places: Places, plan: Plan) -> Trouble | None:
    from wizard.run.settling import preflight

    refusals = asyncio.run(preflight(plan, places, _asking(host)))
    return refused(*refusals) if refusals else None


async def seek_wheels(host: Host, plan: Plan, machine: Machine) -> WheelsSought:
    """Whether the wheels of a plan are still to be had: asks its index."""
    from wizard.run.settling import wheels_sought

    return await wheels_sought(plan, machine, places_of(host), host.environ)


async def wheels_size(host: Host, plan: Plan) -> WheelsSize | None:
    """How much pip would fetch for a plan; None where it cannot be asked: nothing comes."""
    from wizard.run.settling import asks_size, size_sought
    from wizard.run.trouble import as_trouble
    from wizard.run.wheels_size import WheelsSize

    places = places_of(host)
    try:
        return await size_sought(plan, places, host.environ) if asks_size(plan, places) else None
    except OSError as error:
        return WheelsSize(because=as_trouble(error).happened)


def rehearsed(plan: Plan) -> Rehearsed | None:
    """The newest rehearsal of a plan."""
    from wizard.overlay.rehearsed import find_rehearsed

    return find_rehearsed(plan)
