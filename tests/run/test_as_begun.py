"""A run that joined a group is found again, although the machine lacks nothing any more."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.handmade import HOME, clean_jammy, node
from tests.run.places import places_below
from wizard.core.journal import ROLLED_BACK
from wizard.core.own_files import Places
from wizard.machine.facts import Machine
from wizard.operations.groups import AddToGroups
from wizard.plan.choice import Choice
from wizard.plan.planner import make_plan
from wizard.plan.steps import Plan
from wizard.run.journal import Journal
from wizard.run.resume import as_begun

CHOICE = Choice("rocm52", "venv", f"{HOME}/ai/rocm52", torch_index="https://a:b@wheels.example/x")
DECLINED = replace(CHOICE, without_groups=True)


def closed() -> Machine:
    """A machine whose user must join render."""
    machine = clean_jammy()
    kfd = node("/dev/kfd", usable=False)
    return replace(machine, access=replace(machine.access, kfd=kfd, groups_in_file=("ada",)))


def planned(machine: Machine, choice: Choice, places: Places) -> Plan:
    return make_plan(machine, choice, replace(places, home=HOME))


def began(places: Places, plan: Plan, *ends: str) -> None:
    folder = Path(places.runs) / "20260101-000000-aaaaaa"
    folder.parent.mkdir(parents=True)
    Journal(folder).begin(plan, "now")
    for end in ends:
        Journal(folder).close(end, "later")


def joins(plan: Plan) -> bool:
    return any(isinstance(step, AddToGroups) for step in plan.steps)


@pytest.mark.parametrize("ends", [(), ("finished",)])
def test_the_same_command_goes_on_with_the_plan_that_joined(
    tmp_path: Path, ends: tuple[str, ...]
) -> None:
    places = places_below(tmp_path)
    before = planned(closed(), CHOICE, places)
    began(places, before, *ends)
    now = planned(clean_jammy(), CHOICE, places)
    assert before.relogin_needed
    assert not now.relogin_needed
    found = as_begun(now, CHOICE, places)
    assert (found.id, found.steps) == (before.id, before.steps)


def test_a_run_that_joined_nothing_is_continued_as_it_is(tmp_path: Path) -> None:
    places = places_below(tmp_path)
    before = planned(closed(), DECLINED, places)
    began(places, before, "finished")
    assert as_begun(planned(closed(), CHOICE, places), CHOICE, places).id == before.id


def test_who_declines_afterwards_makes_another_plan(tmp_path: Path) -> None:
    places = places_below(tmp_path)
    began(places, planned(closed(), CHOICE, places))
    now = planned(closed(), DECLINED, places)
    assert as_begun(now, DECLINED, places) is now


@pytest.mark.parametrize(
    "other",
    [
        replace(CHOICE, venv=f"{HOME}/ai/other"),
        replace(CHOICE, stack="rocm62"),
        replace(CHOICE, torch_index=""),
    ],
)
def test_nothing_else_may_differ(tmp_path: Path, other: Choice) -> None:
    places = places_below(tmp_path)
    began(places, planned(closed(), CHOICE, places))
    now = planned(clean_jammy(), other, places)
    assert as_begun(now, other, places) is now


def test_a_run_that_was_undone_is_none(tmp_path: Path) -> None:
    places = places_below(tmp_path)
    began(places, planned(closed(), CHOICE, places), ROLLED_BACK)
    now = planned(clean_jammy(), CHOICE, places)
    assert as_begun(now, CHOICE, places) is now
