"""``fetch``: the wheels of a stack, and a Python if needed, for machines without internet."""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import shlex
from pathlib import Path

from wizard.cli.console import refuse
from wizard.cli.execution import Teller, follow
from wizard.core.events import PlanFinished
from wizard.core.fact import Unknown
from wizard.core.trouble import Trouble
from wizard.fetch.download import Fetch, Filling, Here
from wizard.fetch.folder import PYTHON, WHEELS, Folder, Sources, Target, in_words, target_of
from wizard.host.host import places_of
from wizard.host.live import LiveHost
from wizard.machine.detect import detect
from wizard.machine.facts import Machine
from wizard.plan.choice import Choice
from wizard.services.command_line import absolute, host_of
from wizard.services.plan_request import name_applications


def run_fetch(arguments: argparse.Namespace) -> int:
    """Fill the folder; 0 when it is whole and every hash is right."""
    arguments.machine = arguments.recorded or arguments.machine
    host = host_of(arguments)
    machine, places = detect(host), places_of(host)
    choice = Choice(
        stack=arguments.stack,
        footprint="venv",
        venv=f"{places.home}/ai/{arguments.stack}",
        applications=name_applications(arguments, machine),
        gpu=arguments.gpu,
        without_card=True,
    )
    target = target_of(machine, choice, places)
    if target.architecture != platform.machine():
        return refuse(
            f"that machine is {target.architecture} and this one is {platform.machine()}, so "
            "wheels for it cannot be chosen here. Run fetch on a machine of that kind."
        )
    folder = Folder(Path(absolute(arguments.folder)))
    try:
        folder.require_for(target)
    except (Trouble, OSError) as error:
        raise in_words(error, folder.path) from None
    if arguments.dry_run or arguments.demo:
        print(f"Would download into {folder.path}, for {target}.")
        if target.brings_python:
            print(f"It would include Python {target.python}.")
        print("Nothing was downloaded, and no server was contacted.")
        return 0
    here = _here(detect(LiveHost()) if arguments.machine else machine)
    house = absolute(arguments.wheelhouse) if arguments.wheelhouse else ""
    filling = Filling(Fetch(target, folder, Sources(arguments.torch_index, house), here))
    if not arguments.json:
        print(f"Downloading for {target}.", flush=True)
    teller = Teller(lambda event: _ending(event, folder.path, target))
    following = follow(filling.events(), filling.cancel, as_json=arguments.json, teller=teller)
    return asyncio.run(following)


def _here(machine: Machine) -> Here:
    """What this machine has to fetch with."""
    pythons = {
        ".".join(each.version.split(".")[:2]): each.path
        for each in reversed(machine.interpreters)
        if each.makes_venvs
    }
    return Here(pythons, "uv" if isinstance(machine.uv, Unknown) else machine.uv, dict(os.environ))


def _ending(event: PlanFinished, folder: Path, target: Target) -> tuple[str, ...]:
    """What to do with the folder."""
    if not event.ok and not event.changed:
        return ("Nothing was downloaded.",)
    if not event.ok:
        return (f"{folder} is not complete. Run the same command again to continue.",)
    words = ["rdna1-setup", "apply", "--stack", target.stack, "--wheelhouse", f"{folder}/{WHEELS}"]
    if target.brings_python:
        words += ["--python-mirror", Path(folder, PYTHON).as_uri()]
    return (
        "Finished." if event.changed else "Nothing had to be downloaded.",
        f"On a machine without internet: {shlex.join(words)}",
    )
