"""Targets of folders, made up and of recorded machines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from wizard.core.own_files import places
from wizard.fetch.folder import Target, target_of
from wizard.machine.detect import detect
from wizard.machine.recorded import RecordedHost
from wizard.plan.choice import Choice

MACHINES = Path(__file__).parents[1] / "machines"
PLAIN = Target(
    stack="cpu",
    gfx="",
    distribution="debian",
    release="12",
    architecture="x86_64",
    glibc="2.36",
    python="3.11",
    brings_python=False,
)
"""A machine that has all that it needs."""
BARE = replace(PLAIN, python="3.10", brings_python=True)
"""A machine to which the folder brings a Python."""


def recorded_target(name: str, stack: str) -> Target:
    """What the stack takes on a recorded machine."""
    host = RecordedHost(MACHINES / name)
    choice = Choice(stack, "venv", f"{host.home}/ai/{stack}", without_card=True)
    return target_of(detect(host), choice, places(host.environ, host.home))
