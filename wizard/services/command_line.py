"""What a command line asks for: a machine, a folder, sources, a choice."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import assets
from wizard.core.credentials import redact
from wizard.core.journal import Kind
from wizard.core.own_files import Places, places
from wizard.host.host import Host
from wizard.host.live import LiveHost
from wizard.machine.recorded import RecordedHost, RecordError

if TYPE_CHECKING:
    from wizard.plan.choice import Choice


DEMO = "rx5600xt-noble-rocm57"
"""The recorded machine of the demo, below ``assets/machines``."""
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


def host_of(arguments: argparse.Namespace) -> Host:
    """This machine, a recorded one, or the demo's; exits with 2 on a damaged record."""
    folder = arguments.machine
    if getattr(arguments, "demo", False):
        folder = str(assets.FOLDER / "machines" / DEMO)
    if folder is None:
        return LiveHost()
    try:
        return RecordedHost(Path(folder))
    except RecordError as error:
        print(f"rdna1-setup: {error}", file=sys.stderr)
        raise SystemExit(2) from None


def places_of(host: Host) -> Places:
    """Where our own files go on that machine."""
    return places(host.environ, host.home)


def acts(arguments: argparse.Namespace) -> bool:
    """True when this command may change this machine."""
    return not (arguments.dry_run or arguments.machine or getattr(arguments, "demo", False))


def wrong_wheelhouse(arguments: argparse.Namespace) -> str:
    """Why the folder of wheels cannot be one, ``""`` when it can, or lies on another machine."""
    house = arguments.wheelhouse
    if not house or arguments.machine or getattr(arguments, "demo", False):
        return ""
    folder = absolute(house)
    if os.path.isdir(folder):  # noqa: PTH112 - Path raises where it may not look
        return ""
    why = "it is not a folder" if os.path.lexists(folder) else "there is no such folder"
    return f"--wheelhouse {house}: {why}."


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


def absolute(path: str) -> str:
    """A path of the command line as the plan names it."""
    # Not resolve(): a link in the path is the user's own way of naming the place.
    # Not Path.expanduser(): it raises for a user that does not exist.
    return os.path.abspath(os.path.expanduser(path))  # noqa: PTH100, PTH111


def app_words(applications: Iterable[str]) -> tuple[str, ...]:
    """These applications as options of a command."""
    return tuple(word for each in applications for word in ("--app", each))


def kind_asked(arguments: argparse.Namespace) -> Kind:
    """Which kind of plan the options ask for."""
    if arguments.remove:
        return Kind.REMOVE
    return Kind.CLEAN_UP if arguments.clean_up else Kind.INSTALL


def asked_words(arguments: argparse.Namespace, stack: str, home: str) -> tuple[str, ...]:
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
