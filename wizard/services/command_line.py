"""What a command line asks for: this machine or another, to act or only to look."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import assets
from wizard.host.host import Host
from wizard.host.live import LiveHost
from wizard.machine.recorded import RecordedHost, RecordError

DEMO = "rx5600xt-noble-rocm57"
"""The recorded machine of the demo, below ``assets/machines``."""


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


def absolute(path: str) -> str:
    """A path of the command line as the plan names it."""
    # Not resolve(): a link in the path is the user's own way of naming the place.
    # Not Path.expanduser(): it raises for a user that does not exist.
    return os.path.abspath(os.path.expanduser(path))  # noqa: PTH100, PTH111
