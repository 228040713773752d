"""Room is looked for on the file systems that a plan writes to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.handmade import GIGABYTE, HOME, clean_jammy
from wizard.core.own_files import places
from wizard.host.host import Disk
from wizard.plan.choice import Choice
from wizard.plan.planner import make_plan
from wizard.plan.steps import Plan

LARGE, SMALL = "/mnt/large/venv", "/mnt/small/venv"
TAKES = "7.7 GB for the environment"


def plan_in(folder: str, *disks: tuple[str, str, float], stack: str = "rocm52") -> Plan:
    """A plan on a machine with these file systems: a folder, where it is mounted, GB free."""
    machine = replace(clean_jammy(), disks=tuple(map(disk, disks)))
    return make_plan(machine, Choice(stack, "venv", folder), places({}, HOME))


def disk(told: tuple[str, str, float]) -> Disk:
    path, mounted, free = told
    return Disk(path, mounted, 500 * GIGABYTE, round(free * GIGABYTE))


def about_room(plan: Plan) -> str:
    """What the plan says of room."""
    return "\n".join(note for note in plan.notes if " free" in note)


def test_a_home_too_small_for_an_environment_does_not_speak_against_one_elsewhere() -> None:
    plan = plan_in(LARGE, (HOME, "/home", 3), (LARGE, "/mnt/large", 90))
    assert about_room(plan) == ""


def test_an_environment_on_a_small_disk_is_told_before_anything_is_installed() -> None:
    told = about_room(plan_in(SMALL, (HOME, "/home", 90), (SMALL, "/mnt/small", 2)))
    assert "/mnt/small has only 2.0 GB free, but 7.9 GB is needed" in told
    assert f"{TAKES} ({SMALL}), and 0.2 GB in reserve." in told
    assert "Free up 5.9 GB on /mnt/small or choose a folder on another disk." in told
    assert "/home" not in told


def test_downloads_and_environment_on_one_file_system_add_up() -> None:
    told = about_room(plan_in(f"{HOME}/ai/x", (HOME, "/", 8)))
    assert "/ has only 8.0 GB free, but 9.2 GB is needed: 1.3 GB for downloads" in told
    assert TAKES in told
    assert about_room(plan_in(f"{HOME}/ai/x", (HOME, "/", 9.3))) == ""


def test_a_home_too_small_for_the_downloads_speaks_against_any_folder() -> None:
    told = about_room(plan_in(LARGE, (HOME, "/home", 1), (LARGE, "/mnt/large", 90)))
    assert "/home has only 1.0 GB free, but 1.5 GB is needed: 1.3 GB for downloads" in told
    assert "set XDG_CACHE_HOME to a folder on another disk" in told


def test_unknown_sizes_are_not_guessed() -> None:
    told = about_room(plan_in(SMALL, (HOME, "/home", 90), (SMALL, "/mnt/small", 2), stack="rocm57"))
    assert "this plan needs is not known. /mnt/small has 2.0 GB free." in told


@pytest.mark.parametrize("stack", ["rocm52", "rocm57"])
def test_a_disk_that_was_not_looked_at_is_said_to_be_unknown(stack: str) -> None:
    told = about_room(plan_in(LARGE, (HOME, "/home", 90), stack=stack))
    assert told == f"How much disk space is free for {LARGE} is not known."
