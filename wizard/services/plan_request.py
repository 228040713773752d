"""What the options of a command line ask for: applications, a choice, a plan."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from dataclasses import replace

from wizard.advice.recommend import found_applications, recommend
from wizard.core.credentials import redact
from wizard.core.journal import Kind
from wizard.host.contents import Contents, read_contents
from wizard.host.host import Host, places_of
from wizard.knowledge.applications import PLAIN_TORCH, applications_named
from wizard.machine.facts import Machine
from wizard.machine.system import with_disks
from wizard.plan.amd_packages import scopes_of
from wizard.plan.choice import Choice
from wizard.plan.clean_up import make_clearing
from wizard.plan.leftover_files import files_now
from wizard.plan.planner import make_plan
from wizard.plan.steps import Plan
from wizard.plan.system import Prepared
from wizard.run.preflight import resolved_plan, rollback_files
from wizard.run.resume import as_begun
from wizard.run.runs import made_by_us
from wizard.services.command_line import absolute

WORDS = (
    "gpu",
    "preset",
    "base_python",
    "system_release",
    "system_set",
    "rocm_repo",
    "rocm_key_fingerprint",
)
FLAGS = ("user_torch_aside", "without_card", "without_groups", "profile_file", "without_rollback")
REMOVAL_FLAGS = ("distribution_rocm", "driver", "without_rollback")
NOT_ASKED = (
    "Archives are not queried in a dry run or for a machine recording, so it is not known "
    "which packages\nthey no longer have. This plan keeps a package file for each package it "
    "removes."
)


def with_sources(choice: Choice, arguments: argparse.Namespace) -> Choice:
    """The choice, taken from the sources that the command line names."""
    house = arguments.wheelhouse
    return replace(
        choice,
        torch_index=arguments.torch_index,
        wheelhouse=absolute(house) if house else "",
        python_mirror=arguments.python_mirror,
        rocm_repo=arguments.rocm_repo,
        rocm_key_fingerprint=arguments.rocm_key_fingerprint,
    )


def folder_of(arguments: argparse.Namespace, stack: str, home: str) -> str:
    """The folder that the command line names, else a new one of the stack's own."""
    return absolute(arguments.venv or f"{home}/ai/{stack}")


def app_words(applications: Iterable[str]) -> tuple[str, ...]:
    """These applications as options of a command."""
    return tuple(word for each in applications for word in ("--app", each))


def requested_kind(arguments: argparse.Namespace) -> Kind:
    """Which kind of plan the options ask for."""
    if arguments.remove:
        return Kind.REMOVE
    return Kind.CLEAN_UP if arguments.clean_up else Kind.INSTALL


def request_words(arguments: argparse.Namespace, stack: str, home: str) -> tuple[str, ...]:
    """The options that ask for the same plan from anywhere; logins in addresses are left out."""
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


def requested_plan(
    arguments: argparse.Namespace, stack: str, host: Host, machine: Machine, *, exact: bool
) -> Plan:
    """The plan that the options ask for. Raises PlanImpossible; if ``exact``, Trouble too.

    ``exact`` asks the repository and apt where packages are to be installed, and apt where some
    may go for good.
    """
    if (kind := requested_kind(arguments)) is not Kind.INSTALL:
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
    places = places_of(host)
    machine = with_disks(machine, host, (choice.venv, places.cache))
    plan = make_plan(machine, choice, places, _there_before(host, choice.venv), prepared)
    return plan if host.name else as_begun(plan, choice, places)


def resolved_here(machine: Machine, choice: Choice, host: Host) -> Plan:
    """The plan, exact to each package: asks the archive. Raises PlanImpossible and Trouble."""
    machine = with_disks(machine, host, (choice.venv, places_of(host).cache))
    return resolved_plan(machine, choice, _there_before(host, choice.venv), host)


def _there_before(host: Host, folder: str) -> Contents | None:
    """What the environment in a folder holds; None where there is none that was there before us."""
    there = read_contents(host, folder)
    if there is None or host.name:
        return there
    return None if made_by_us(places_of(host), folder) else there


def make_clearing_for_good(
    kind: Kind, scopes: tuple[str, ...], machine: Machine, host: Host
) -> Plan:
    """Without a rollback for what nothing could put back; raises PlanImpossible and Trouble."""
    plan = make_clearing(kind, scopes, machine, host)
    lost = rollback_files(plan, host).lost
    return make_clearing(kind, scopes, machine, host, lost) if lost else plan
