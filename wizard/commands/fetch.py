"""Make one folder that installs a stack on machines without internet."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from wizard.commands.carrying import refuse, refuse_for
from wizard.commands.choosing import absolute, add_index_arguments
from wizard.commands.looking import host_of, places_of

if TYPE_CHECKING:
    from wizard.fleet.fetch import Here
    from wizard.fleet.target import Target
    from wizard.machine.facts import Machine
    from wizard.run.trouble import Trouble


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``fetch``."""
    parser.add_argument("folder", metavar="DIR", help="the folder to fill; the same goes on")
    parser.add_argument("--stack", metavar="ID", required=True, help="what it shall install")
    parser.add_argument(
        "--for",
        dest="recorded",
        metavar="RECORDED",
        help="for machines like this recorded one (`report --record DIR`); default: like this one",
    )
    parser.add_argument(
        "--without-python",
        action="store_true",
        help="for machines that have no Python at all: the folder brings it",
    )
    parser.add_argument("--gpu", metavar="ADDRESS", default="", help="PCI address of the card")
    add_index_arguments(parser)
    parser.add_argument("--json", action="store_true", help="events as JSON lines")


def run(arguments: argparse.Namespace) -> int:
    """Fill the folder; 0 when it is whole and every hash is right."""
    from wizard.machine.detect import detect
    from wizard.plan.impossible import PlanImpossible

    if arguments.recorded:
        arguments.machine, recorded = arguments.recorded, True
    else:
        recorded = bool(arguments.machine)
    host = host_of(arguments)
    machine = detect(host)
    try:
        target = _target(arguments, machine)
    except PlanImpossible as error:
        return refuse(str(error))
    if wrong := _wrong(target):
        return refuse(wrong)
    if trouble := _in_the_way(arguments, target):
        return refuse_for(trouble)
    if arguments.dry_run or arguments.demo:
        print(*_told(arguments, target), sep="\n")
        return 0
    if recorded:
        from wizard.machine.live import LiveHost

        machine = detect(LiveHost())
    return _fetch(arguments, target, _here(machine))


def _target(arguments: argparse.Namespace, machine: Machine) -> Target:
    from dataclasses import replace

    from wizard.fleet.target import target_of
    from wizard.plan.choice import Choice

    host = host_of(arguments)
    places = places_of(host)
    choice = Choice(
        stack=arguments.stack,
        footprint="venv",
        venv=f"{places.home}/ai/{arguments.stack}",
        gpu=arguments.gpu,
        without_card=True,
    )
    if arguments.without_python:
        machine = replace(machine, interpreters=())
    return target_of(machine, choice, places)


def _wrong(target: Target) -> str:
    """Why it cannot be fetched here; ``""`` where it can."""
    import platform

    if target.architecture != platform.machine():
        return (
            f"that machine is {target.architecture}, and this one {platform.machine()}: what runs "
            "there cannot be chosen here. Fetch on a machine of its kind."
        )
    return ""


def _in_the_way(arguments: argparse.Namespace, target: Target) -> Trouble | None:
    """Why that folder cannot be filled; None where it can."""
    from pathlib import Path

    from wizard.fleet.folder import Folder
    from wizard.fleet.obstacles import told
    from wizard.run.trouble import Trouble

    folder = Folder(Path(absolute(arguments.folder)))
    try:
        folder.require_for(target)
    except (Trouble, OSError) as error:
        return told(error, folder.path)
    return None


def _told(arguments: argparse.Namespace, target: Target) -> tuple[str, ...]:
    brought = f" The folder brings Python {', '.join(target.brought)}." if target.brought else ""
    return (
        f"Would fill {absolute(arguments.folder)} for {target}.",
        f"The wizard runs there on Python {target.wizard_python}.{brought}",
        "Nothing was fetched, and nobody was asked.",
    )


def _here(machine: Machine) -> Here:
    import os

    from wizard.fleet.fetch import Here
    from wizard.machine.facts import Unknown

    minors = {".".join(each.version.split(".")[:2]): each for each in reversed(machine.interpreters)
              if each.makes_venvs}  # fmt: skip
    pythons = {minor: each.path for minor, each in minors.items()}
    return Here(pythons, "uv" if isinstance(machine.uv, Unknown) else machine.uv, dict(os.environ))


def _fetch(arguments: argparse.Namespace, target: Target, here: Here) -> int:
    import asyncio
    from pathlib import Path

    from wizard.commands.filling import FillingTeller
    from wizard.commands.following import follow
    from wizard.fleet.chosen import Sources
    from wizard.fleet.fetch import Fetch
    from wizard.fleet.filling import Filling
    from wizard.fleet.folder import Folder

    path = absolute(arguments.folder)
    house = absolute(arguments.wheelhouse) if arguments.wheelhouse else ""
    sources = Sources(arguments.torch_index, house)
    filling = Filling(Fetch(target, Folder(Path(path)), sources, here))
    if not arguments.json:
        print(f"For {target}.", flush=True)

    async def all_of_it() -> int:
        teller = FillingTeller(path, target)
        return await follow(filling.events(), filling.cancel, as_json=arguments.json, teller=teller)

    return asyncio.run(all_of_it())
