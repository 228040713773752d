"""The plan that a command asks for, of whatever kind, with the files of the machine as they are."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from wizard.commands.choosing import (
    absolute,
    add_choice_arguments,
    choice_of,
    folder_of,
    name_applications,
)
from wizard.commands.looking import places_of, there_before
from wizard.core.journal import Kind

if TYPE_CHECKING:
    from wizard.host.host import Host
    from wizard.machine.facts import Machine
    from wizard.plan.choice import Choice
    from wizard.plan.steps import Plan

WORDS = (
    "gpu",
    "preset",
    "base_python",
    "system_release",
    "system_set",
    "rocm_repo",
    "rocm_key_fingerprint",
)
FLAGS = (
    "user_torch_aside",
    "without_card",
    "without_groups",
    "profile_file",
    "without_rollback",
)

REMOVAL_FLAGS = ("distribution_rocm", "driver", "without_rollback")

NOT_ASKED = (
    "Archives are not queried in a dry run or for a machine recording, so it is not known "
    "which packages\nthey no longer have. This plan keeps a package file for each package it "
    "removes."
)


def add_plan_arguments(parser: argparse.ArgumentParser) -> None:
    """What a plan is for: a stack, or to take something away."""
    add_choice_arguments(parser)
    away = parser.add_argument_group("instead of a stack")
    kind = away.add_mutually_exclusive_group()
    kind.add_argument("--remove", action="store_true", help="show the plan of `rdna1-setup remove`")
    kind.add_argument(
        "--clean-up", action="store_true", help="show the plan of `rdna1-setup clean-up`"
    )
    add_removal_arguments(away)


def add_removal_arguments(parser: argparse._ActionsContainer) -> None:
    """What goes beside AMD's own ROCm."""
    parser.add_argument(
        "--distribution-rocm",
        action="store_true",
        help="also remove the distribution's ROCm packages (Blender and others may use them)",
    )
    parser.add_argument(
        "--driver", action="store_true", help="also remove AMD's kernel driver package amdgpu-dkms"
    )


def kind_asked(arguments: argparse.Namespace) -> Kind:
    """Which kind of plan the options ask for."""
    if arguments.remove:
        return Kind.REMOVE
    return Kind.CLEAN_UP if arguments.clean_up else Kind.INSTALL


def make_asked(
    arguments: argparse.Namespace, stack: str, host: Host, machine: Machine, *, exact: bool
) -> Plan:
    """The plan that the options ask for. Raises PlanImpossible; if ``exact``, Trouble too.

    ``exact`` asks the repository and apt where packages are to be installed, and apt where some
    may go without a way back.
    """
    if (kind := kind_asked(arguments)) is not Kind.INSTALL:
        from wizard.run.exact_plan import clearing_for_good, clearing_plan, removal_scopes

        scopes = removal_scopes(distribution=arguments.distribution_rocm, driver=arguments.driver)
        if exact and arguments.without_rollback:
            from wizard.run.exact_plan import asking_of

            return clearing_for_good(kind, scopes, machine, asking_of(host))
        if arguments.without_rollback:
            print(NOT_ASKED, file=sys.stderr)
        return clearing_plan(kind, scopes, machine, host)
    name_applications(arguments, machine)
    choice = choice_of(arguments, stack, host.home)
    if exact and choice.footprint != "venv":
        print(
            "Asking the repository and apt what would change ...",
            file=sys.stderr,
            flush=True,
        )
        return settled_here(machine, choice, host)
    return plan_here(machine, choice, host)


def stack_for(arguments: argparse.Namespace, machine: Machine) -> str:
    """The recommended stack for what was named, or found here."""
    from wizard.advice.recommend import recommend

    asked = name_applications(arguments, machine)
    return recommend(machine, asked, arguments.gpu, preset=arguments.preset).stack


def plan_here(machine: Machine, choice: Choice, host: Host) -> Plan:
    """The plan as far as this machine alone can tell. Raises PlanImpossible."""
    from wizard.machine.system import with_disks
    from wizard.plan.planner import make_plan
    from wizard.plan.system import Prepared

    prepared = Prepared()
    if choice.footprint != "venv":
        from wizard.plan.leftover_files import files_now

        prepared = Prepared(files_now(host, machine))
    there, places = there_before(host, choice.venv), places_of(host)
    machine = with_disks(machine, host, (choice.venv, places.cache))
    plan = make_plan(machine, choice, places, there, prepared)
    if host.name:
        return plan
    from wizard.run.resume import as_begun

    return as_begun(plan, choice, places)


def settled_here(machine: Machine, choice: Choice, host: Host) -> Plan:
    """The plan, exact to each package: asks the archive. Raises PlanImpossible and Trouble."""
    import asyncio

    from wizard.machine.system import with_disks
    from wizard.run.exact_plan import asking_of, settled_plan

    there, places = there_before(host, choice.venv), places_of(host)
    machine = with_disks(machine, host, (choice.venv, places.cache))
    return asyncio.run(settled_plan(machine, choice, places, there, asking_of(host)))


def asked_words(arguments: argparse.Namespace, stack: str, home: str) -> tuple[str, ...]:
    """The options that ask for the same plan from anywhere; logins in addresses are left out."""
    from wizard.core.credentials import redact

    removal = [f"--{name.replace('_', '-')}" for name in REMOVAL_FLAGS if getattr(arguments, name)]
    if arguments.remove or arguments.clean_up:
        return ("--remove" if arguments.remove else "--clean-up", *removal)
    given = {name: str(getattr(arguments, name)) for name in WORDS if getattr(arguments, name)}
    if arguments.wheelhouse:
        given["wheelhouse"] = absolute(arguments.wheelhouse)
    for name in ("torch_index", "python_mirror"):
        if address := getattr(arguments, name):
            given[name] = redact(address)
    named = {
        "stack": stack,
        "footprint": arguments.footprint,
        "venv": folder_of(arguments, stack, home),
        **given,
        "system_removal": ",".join(arguments.system_removal) or "none",
    }
    flags = (f"--{name.replace('_', '-')}" for name in FLAGS if getattr(arguments, name))
    applications = (f"--app={each}" for each in arguments.app or ())
    words = (f"--{name.replace('_', '-')}={text}" for name, text in named.items())
    return (*words, *applications, *flags)
