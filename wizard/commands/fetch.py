"""Download the wheels of a stack, and a Python if needed, for machines without internet."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from wizard.commands.carrying import refuse, refuse_for
from wizard.commands.choosing import (
    absolute,
    add_application_argument,
    add_index_arguments,
    name_applications,
)
from wizard.commands.looking import host_of, places_of

if TYPE_CHECKING:
    from wizard.core.events import Event
    from wizard.core.trouble import Trouble
    from wizard.fetch.download import Here
    from wizard.fetch.folder import Target
    from wizard.machine.facts import Machine


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``fetch``."""
    parser.add_argument(
        "folder", metavar="DIR", help="the folder to fill; name the same one to continue"
    )
    parser.add_argument("--stack", metavar="ID", required=True, help="the stack to install")
    add_application_argument(parser)
    parser.add_argument(
        "--for",
        dest="recorded",
        metavar="RECORDED",
        help="the machine recording to download for, made by `report --record DIR` (default: this "
        "machine)",
    )
    parser.add_argument("--gpu", metavar="ADDRESS", default="", help="PCI address of the card")
    add_index_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print events as JSON lines")


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
        from wizard.host.live import LiveHost

        machine = detect(LiveHost())
    return _fetch(arguments, target, _here(machine))


def _target(arguments: argparse.Namespace, machine: Machine) -> Target:
    from wizard.fetch.folder import target_of
    from wizard.plan.choice import Choice

    host = host_of(arguments)
    places = places_of(host)
    choice = Choice(
        stack=arguments.stack,
        footprint="venv",
        venv=f"{places.home}/ai/{arguments.stack}",
        applications=name_applications(arguments, machine),
        gpu=arguments.gpu,
        without_card=True,
    )
    return target_of(machine, choice, places)


def _wrong(target: Target) -> str:
    """Why it cannot be fetched here; ``""`` where it can."""
    import platform

    if target.architecture != platform.machine():
        return (
            f"that machine is {target.architecture} and this one is {platform.machine()}, so "
            "wheels for it cannot be chosen here. Run fetch on a machine of that kind."
        )
    return ""


def _in_the_way(arguments: argparse.Namespace, target: Target) -> Trouble | None:
    """Why that folder cannot be filled; None where it can."""
    from pathlib import Path

    from wizard.core.trouble import Trouble
    from wizard.fetch.folder import Folder, in_words

    folder = Folder(Path(absolute(arguments.folder)))
    try:
        folder.require_for(target)
    except (Trouble, OSError) as error:
        return in_words(error, folder.path)
    return None


def _told(arguments: argparse.Namespace, target: Target) -> tuple[str, ...]:
    brought = (f"It would include Python {target.python}.",) if target.brings_python else ()
    return (
        f"Would download into {absolute(arguments.folder)}, for {target}.",
        *brought,
        "Nothing was downloaded, and no server was contacted.",
    )


def _here(machine: Machine) -> Here:
    import os

    from wizard.core.fact import Unknown
    from wizard.fetch.download import Here

    minors = {".".join(each.version.split(".")[:2]): each for each in reversed(machine.interpreters)
              if each.makes_venvs}  # fmt: skip
    pythons = {minor: each.path for minor, each in minors.items()}
    return Here(pythons, "uv" if isinstance(machine.uv, Unknown) else machine.uv, dict(os.environ))


def _fetch(arguments: argparse.Namespace, target: Target, here: Here) -> int:
    import asyncio
    from pathlib import Path

    from wizard.commands.following import follow
    from wizard.fetch.download import Fetch, Filling
    from wizard.fetch.folder import Folder, Sources

    path = absolute(arguments.folder)
    house = absolute(arguments.wheelhouse) if arguments.wheelhouse else ""
    sources = Sources(arguments.torch_index, house)
    filling = Filling(Fetch(target, Folder(Path(path)), sources, here))
    if not arguments.json:
        print(f"Downloading for {target}.", flush=True)

    async def all_of_it() -> int:
        teller = FetchTeller(path, target)
        return await follow(filling.events(), filling.cancel, as_json=arguments.json, teller=teller)

    return asyncio.run(all_of_it())


class FetchTeller:
    """Prints events as lines, and what to do with the folder at the end."""

    def __init__(self, path: str, target: Target) -> None:
        from wizard.report.plan import Tenths

        self._tenths = Tenths()
        self._path = path
        self._target = target

    def __call__(self, event: Event) -> None:
        from wizard.core.events import PlanFinished
        from wizard.report.plan import event_lines

        if isinstance(event, PlanFinished):
            print(*self._ending(ok=event.ok, changed=event.changed), sep="\n", flush=True)
        elif self._tenths.worth_telling(event):
            print(*event_lines(event), sep="\n", flush=True)

    def _ending(self, *, ok: bool, changed: bool) -> tuple[str, ...]:
        if not ok and not changed:
            return ("Nothing was downloaded.",)
        if not ok:
            return (f"{self._path} is not complete. Run the same command again to continue.",)
        import shlex
        from pathlib import Path

        from wizard.fetch.folder import PYTHON, WHEELS

        words = ["rdna1-setup", "apply", "--stack", self._target.stack]
        words += ["--wheelhouse", f"{self._path}/{WHEELS}"]
        if self._target.brings_python:
            words += ["--python-mirror", Path(self._path, PYTHON).as_uri()]
        return (
            "Finished." if changed else "Nothing had to be downloaded.",
            f"On a machine without internet: {shlex.join(words)}",
        )
