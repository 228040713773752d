"""Every step has a title: an imperative that fits beside its number."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import get_args

from tests.machine.records import NAMES
from tests.plan import test_existing
from tests.plan.system_machines import recorded
from tests.plan.test_plans_reviewed import ALONE, NOTES, plan_for
from tests.screens import examples
from wizard.operations.edit_lines import PutLinesBack, TakeLinesOut
from wizard.operations.operation import LONGEST_TITLE
from wizard.operations.system_files import PutSystemPathBack, SetSystemPathAside
from wizard.plan.amd_packages import SCOPES
from wizard.plan.clean_up import make_clean_up
from wizard.plan.impossible import PlanImpossible
from wizard.plan.plan_file import plan_document, read_plan_document
from wizard.plan.removal import make_removal
from wizard.plan.rollback import make_rollback
from wizard.plan.snapshot import with_snapshot
from wizard.plan.steps import Plan, Step

VERBS = (
    *("Add", "Back", "Check", "Choose", "Clear", "Create", "Delete", "Download", "Finish", "Give"),
    *("Install", "Load", "Make", "Move", "Pin", "Prefer", "Read", "Remove", "Replace", "Restore"),
    *("Run", "Set", "Tell", "Update", "Write"),
)
LONG = f"/etc/{'a' * 60}/{'b' * 60}"
LINES = tuple((number, "export ROCM_PATH=/opt/rocm") for number in range(1, 1001))
NOT_PLANNED = {
    "ClearExecutableStack",
    "FinishInterrupted",
    "MarkPackages",
    "PutLinesBack",
}
"""Kinds that no recorded machine needs; each of them is made by hand below, or has one title."""


def plans() -> Iterator[Plan]:
    """Plans of every sort: to install, to remove, to clean up, and to roll those back."""
    yield from map(plan_for, (ALONE | NOTES).values())
    yield with_snapshot(plan_for(next(iter(NOTES.values()))), "snapper")
    yield test_existing.plan_for(test_existing.there())
    yield test_existing.plan_for(test_existing.there(python="3.12"))
    yield examples.PLAN
    yield examples.KEPT
    for name in NAMES:
        machine, files = recorded(name)
        with suppress(PlanImpossible):
            yield make_clean_up(machine, files)
        with suppress(PlanImpossible):
            yield make_removal(machine, SCOPES, files)


def every_plan() -> Iterator[Plan]:
    for plan in plans():
        yield plan
        everything = range(1, len(plan.steps) + 1)
        with suppress(PlanImpossible):
            yield make_rollback(plan, everything, (), {}, run="20260101-000000-aaaaaa")


def faults_of(title: str) -> list[str]:
    """What is wrong with a title."""
    wrong = {
        "too long": len(title) > LONGEST_TITLE,
        "no imperative": title.split(" ")[0] not in VERBS,
        "a full stop": title.endswith("."),
    }
    return [f"{title}: {fault}" for fault, there in wrong.items() if there]


def test_every_step_of_every_plan_has_a_title_that_says_what_it_does() -> None:
    steps = [step for plan in every_plan() for step in plan.steps]
    assert [fault for step in steps for fault in faults_of(step.title)] == []
    kinds = {kind.__name__ for kind in get_args(Step)}
    assert kinds - {type(step).__name__ for step in steps} <= NOT_PLANNED


def test_a_path_or_a_number_of_any_length_makes_no_title_longer() -> None:
    steps: tuple[Step, ...] = (
        SetSystemPathAside("x", LONG),
        PutSystemPathBack("x", LONG),
        TakeLinesOut("x", LONG, LINES, "a", "b"),
        PutLinesBack("x", LONG, LINES, "a", "b"),
    )
    assert [fault for step in steps for fault in faults_of(step.title)] == []


def test_a_path_is_named_as_far_as_there_is_room() -> None:
    assert SetSystemPathAside("x", "/opt/rocm-5.7.1").title == "Move /opt/rocm-5.7.1 to the backup"
    listed = SetSystemPathAside("x", "/etc/apt/sources.list.d/amdgpu-proprietary.list")
    assert listed.title == "Back up amdgpu-proprietary.list"


def test_a_plan_for_programs_has_the_titles_and_is_read_again() -> None:
    plan = examples.PLAN
    document = json.loads(json.dumps(plan_document(plan, ())))
    assert [step["title"] for step in document["steps"]] == [step.title for step in plan.steps]
    ours = plan_for(next(iter(ALONE.values())))
    assert read_plan_document(json.dumps(plan_document(ours, ()))).plan == ours
