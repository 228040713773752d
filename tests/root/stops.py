"""Packages whose scripts wait where a test tells them to, and what runs in a root meanwhile."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tests.e2e.system.roots import Root
from tests.root.archive import StandIn
from tests.root.conversation import wait_until

SCRIPTS = ("preinst", "postinst", "prerm", "postrm")
FOLDER = "/srv/stops"
WAIT = f"""
stop="{FOLDER}/$DPKG_MAINTSCRIPT_PACKAGE-$DPKG_MAINTSCRIPT_NAME-$1"
while [ -e "$stop" ]; do echo "$$" >"$stop.reached"; sleep 0.05; done
"""


def waiting(name: str, version: str, *fields: str) -> StandIn:
    """A package whose scripts wait wherever they are told."""
    files = {f"/opt/rocm-{version}/{name}.txt": f"{name} {version}\n"}
    return StandIn(name, version, files, fields, dict.fromkeys(SCRIPTS, WAIT))


@contextmanager
def stopped_at(root: Root, *places: str) -> Iterator[None]:
    """Scripts wait at these places, such as ``stand-core-postinst-configure``, until this ends."""
    folder = root.path(FOLDER)
    folder.mkdir(exist_ok=True)
    for place in places:
        (folder / place).touch()
    try:
        yield
    finally:
        for path in folder.iterdir():
            path.unlink()


def wait_until_reached(root: Root, place: str) -> None:
    """Wait until a script stands at this place."""
    wait_until((root.path(FOLDER) / f"{place}.reached").exists, f"{place} was reached")


def pids(root: Root, *words: str) -> list[int]:
    """Processes inside whose command line holds all these words."""
    return [
        one.pid for one in root.running() if all(word in " ".join(one.command) for word in words)
    ]


def kill(*numbers: int) -> None:
    """SIGKILL, for those that are still there."""
    for number in numbers:
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)


def kill_all(root: Root) -> None:
    """Everything in the root but its first process, as a power failure would."""
    while inside := [one.pid for one in root.running()]:
        kill(*inside)
