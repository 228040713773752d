"""What is known of stacks and applications, and where wheels and packages are to be had."""

from __future__ import annotations

import argparse
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from screens.choose.sources import Sources

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from wizard.available.session import Known
    from wizard.knowledge.applications import Application
    from wizard.knowledge.claims import Claim
    from wizard.knowledge.roads import OtherRoad
    from wizard.knowledge.stacks import Stack
    from wizard.machine.facts import Machine
    from wizard.machine.host import Host
    from wizard.places import Places
    from wizard.plan.advice import Advice


@lru_cache(maxsize=2)
def advice(machine: Machine, applications: tuple[str, ...]) -> Advice:
    """All roads for these applications on a machine, best first. Detect asks before Choose does."""
    from wizard.plan.advice import advise

    return advise(machine, applications)


def stacks() -> tuple[Stack, ...]:
    """What can be installed."""
    from wizard.knowledge.stacks import load_stacks

    return load_stacks()


def claims() -> tuple[Claim, ...]:
    """What people say of the stacks."""
    from wizard.knowledge.claims import load_claims

    return load_claims()


def applications() -> tuple[Application, ...]:
    """What a user may want to run."""
    from wizard.knowledge.applications import load_applications

    return load_applications()


def roads() -> tuple[OtherRoad, ...]:
    """Every road, also those that no stack of ours installs."""
    from wizard.knowledge.roads import load_roads

    return load_roads()


def sources_of(host: Host, places: Places, arguments: argparse.Namespace, *, live: bool) -> Sources:
    """The sources that a command line names, or the stacks' own; asked on a live machine alone."""
    from wizard.commands.available import silence_of

    return Sources(
        known=partial(_known, host, arguments),
        ask=partial(_ask, host, places) if live else None,
        silent="" if live else silence_of(arguments),
    )


def _known(host: Host, arguments: argparse.Namespace, machine: Machine) -> Known:
    from wizard.available.session import known
    from wizard.commands.available import named_by, state_of

    return known(machine, named_by(arguments), state_of(host))


def _ask(host: Host, places: Places, before: Known) -> AsyncGenerator[Known, None]:
    from wizard.available.session import ask_all

    return ask_all(before, host.environ, Path(places.state))
