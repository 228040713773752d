"""Plans: made, resolved with what the archive says, and judged before they begin."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from wizard.advice.comparison import LineSpeed, line_speed
from wizard.advice.recommend import found_applications, recommend
from wizard.conv2d.sweep import Found
from wizard.core.journal import Kind
from wizard.core.own_files import Places
from wizard.core.trouble import NoRollback, Trouble, as_trouble
from wizard.core.wording import by_keys
from wizard.host.contents import Contents, read_contents
from wizard.host.host import Host
from wizard.knowledge.applications import PLAIN_TORCH, applications_named
from wizard.machine.facts import Machine
from wizard.machine.system import with_disks
from wizard.plan.amd_packages import scopes_of
from wizard.plan.choice import Choice
from wizard.plan.clean_up import make_clearing
from wizard.plan.keep_setting import make_keep
from wizard.plan.leftover_files import files_now
from wizard.plan.planner import make_plan
from wizard.plan.steps import Plan
from wizard.plan.system import Prepared
from wizard.plan.wheel_index import WheelsSought, seek_wheels
from wizard.run.obstacles import obstacle
from wizard.run.preflight import (
    WheelsSize,
    asks_size,
    goes_on,
    preflight,
    preflight_folder,
    resolved_plan,
    rollback_files,
    wheels_size,
)
from wizard.run.resume import as_begun
from wizard.run.runs import made_by_us, read_records
from wizard.services.command_line import folder_of, kind_asked, places_of, with_sources

NOT_ASKED = (
    "Archives are not queried in a dry run or for a machine recording, so it is not known "
    "which packages\nthey no longer have. This plan keeps a package file for each package it "
    "removes."
)


def there_before(host: Host, folder: str) -> Contents | None:
    """What the environment in a folder holds; None where there is none that was there before us."""
    there = read_contents(host, folder)
    if there is None or host.name:
        return there
    return None if made_by_us(places_of(host), folder) else there


def speed_of_line(host: Host, places: Places) -> LineSpeed | None:
    """How fast an earlier run fetched here; None on a recorded machine."""
    if host.name:
        return None
    return line_speed(read_records(Path(places.runs)))


def name_applications(arguments: argparse.Namespace, machine: Machine) -> tuple[str, ...]:
    """What is to run: as it was named, else what was found on the machine, else plain torch.

    It is written down in the arguments, so that the same is asked for again from anywhere.
    Exits with 2 for an unknown one.
    """
    arguments.app = list(arguments.app or found_applications(machine) or (PLAIN_TORCH,))
    try:
        applications_named(tuple(arguments.app))
    except KeyError as unknown:
        print(f"rdna1-setup: --app: {unknown.args[0]}", file=sys.stderr)
        raise SystemExit(2) from None
    return tuple(arguments.app)


def choice_of(arguments: argparse.Namespace, stack: str, home: str) -> Choice:
    """The choice that the options make."""
    choice = Choice(
        stack=stack,
        footprint=arguments.footprint,
        venv=folder_of(arguments, stack, home),
        applications=tuple(arguments.app or ()),
        preset=arguments.preset,
        gpu=arguments.gpu,
        python=arguments.base_python,
        without_card=arguments.without_card,
        without_groups=arguments.without_groups,
        user_torch_aside=arguments.user_torch_aside,
        system_release=arguments.system_release,
        system_set=arguments.system_set,
        system_removal=arguments.system_removal,
        profile_file=arguments.profile_file,
        without_rollback=arguments.without_rollback,
        snapshot=arguments.snapshot,
    )
    return with_sources(choice, arguments)


def make_asked(
    arguments: argparse.Namespace, stack: str, host: Host, machine: Machine, *, exact: bool
) -> Plan:
    """The plan that the options ask for. Raises PlanImpossible; if ``exact``, Trouble too.

    ``exact`` asks the repository and apt where packages are to be installed, and apt where some
    may go for good.
    """
    if (kind := kind_asked(arguments)) is not Kind.INSTALL:
        scopes = scopes_of(distribution=arguments.distribution_rocm, driver=arguments.driver)
        if exact and arguments.without_rollback:
            return make_clearing_for_good(kind, scopes, machine, host)
        if arguments.without_rollback:
            print(NOT_ASKED, file=sys.stderr)
        return make_clearing(kind, scopes, machine, host)
    name_applications(arguments, machine)
    choice = choice_of(arguments, stack, host.home)
    if exact and choice.footprint != "venv":
        print("Asking the repository and apt what would change ...", file=sys.stderr, flush=True)
        return resolved_here(machine, choice, host)
    return plan_here(machine, choice, host)


def stack_for(arguments: argparse.Namespace, machine: Machine) -> str:
    """The recommended stack for what was named, or found here."""
    asked = name_applications(arguments, machine)
    return recommend(machine, asked, arguments.gpu, preset=arguments.preset).stack


def plan_here(machine: Machine, choice: Choice, host: Host) -> Plan:
    """The plan as far as this machine alone can tell. Raises PlanImpossible."""
    prepared = Prepared()
    if choice.footprint != "venv":
        prepared = Prepared(files_now(host, machine))
    there, places = there_before(host, choice.venv), places_of(host)
    machine = with_disks(machine, host, (choice.venv, places.cache))
    plan = make_plan(machine, choice, places, there, prepared)
    if host.name:
        return plan
    return as_begun(plan, choice, places)


def resolved_here(machine: Machine, choice: Choice, host: Host) -> Plan:
    """The plan, exact to each package: asks the archive. Raises PlanImpossible and Trouble."""
    machine = with_disks(machine, host, (choice.venv, places_of(host).cache))
    return resolved_plan(machine, choice, there_before(host, choice.venv), host)


def make_clearing_for_good(
    kind: Kind, scopes: tuple[str, ...], machine: Machine, host: Host
) -> Plan:
    """Without a rollback for what nothing could put back; raises PlanImpossible and Trouble."""
    plan = make_clearing(kind, scopes, machine, host)
    lost = rollback_files(plan, host).lost
    return make_clearing(kind, scopes, machine, host, lost) if lost else plan


class Plans:
    """Plans for one machine, from the sources that the command line names.

    What makes one raises ValueError, with a text fit to show, where there is none.
    """

    def __init__(self, arguments: argparse.Namespace, host: Host) -> None:
        self._arguments, self._host, self._places = arguments, host, places_of(host)

    def make(self, machine: Machine, choice: Choice) -> Plan:
        """The plan for a choice."""
        return plan_here(machine, with_sources(choice, self._arguments), self._host)

    def make_clearing(
        self, machine: Machine, kind: Kind, scopes: tuple[str, ...], for_good: bool = False
    ) -> Plan:
        """The plan that takes these scopes away, if so said also what nothing could put back.

        It may take a while. Raises Trouble where apt cannot be asked.
        """
        if not for_good:
            return make_clearing(kind, scopes, machine, self._host)
        return make_clearing_for_good(kind, scopes, machine, self._host)

    def make_keep(self, found: Found) -> Plan:
        """The plan that keeps a setting for its environment; reads files."""
        return make_keep(self._host, found.venv, found.setting)

    def resolve(self, machine: Machine, choice: Choice) -> Plan:
        """The plan, exact to each package: asks the archive, which takes a while, and so is not
        asked in a dry run. Raises Trouble too."""
        return resolved_here(machine, with_sources(choice, self._arguments), self._host)

    def obstacle(self, plan: Plan) -> Trouble | None:
        """Why Apply would refuse the plan here; may take a while and changes nothing."""
        if self._host.name:
            return None
        if (found := obstacle(plan, self._places)) or not plan.root_steps:
            return found
        refusals = preflight(plan, self._host)
        return refused(*refusals) if refusals else None

    async def seek_wheels(self, plan: Plan, machine: Machine) -> WheelsSought:
        """Whether the wheels of a plan are still to be had: asks the index."""
        if goes_on(plan, self._host):
            return WheelsSought()
        return await seek_wheels(plan, machine, self._host.environ)

    async def wheels_size(self, plan: Plan) -> WheelsSize | None:
        """How much a plan would fetch: asks the index; None where nothing comes from afar."""
        try:
            if not asks_size(plan, self._host):
                return None
            return await wheels_size(plan, self._host.environ, preflight_folder(self._places))
        except OSError as error:
            return WheelsSize(because=as_trouble(error).happened)


def refused(*refusals: Trouble) -> Trouble:
    """Why Apply would not begin, in three texts."""
    kind = NoRollback if any(isinstance(each, NoRollback) for each in refusals) else Trouble
    happened = " ".join(each.happened for each in refusals)
    return kind(
        happened, refusals[0].meaning, by_keys(" ".join(each.next_step for each in refusals))
    )
