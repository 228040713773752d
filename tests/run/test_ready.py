"""What Apply would refuse is known before Apply, by the same check."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.run.places import places_below, plan_of, tree
from tests.run.test_live import ending, events_of, live, two_steps
from wizard.plan.steps import AddToGroups
from wizard.run.events import StepFailed
from wizard.run.ready import obstacle

ROOT = os.geteuid() == 0


async def test_a_plan_for_a_new_folder_has_no_obstacle_and_looking_changes_nothing(
    tmp_path: Path,
) -> None:
    plan = two_steps(tmp_path)
    before = tree(tmp_path)
    assert obstacle(plan, places_below(tmp_path)) is None
    assert tree(tmp_path) == before


async def test_a_folder_that_is_taken_is_refused_before_apply_in_the_words_of_apply(
    tmp_path: Path,
) -> None:
    taken = tmp_path / "venv" / "pyvenv.cfg"
    taken.parent.mkdir()
    taken.write_text("mine")
    found = obstacle(two_steps(tmp_path), places_below(tmp_path))
    assert found is not None
    failed = (await events_of(live(tmp_path), two_steps(tmp_path)))[0]
    assert isinstance(failed, StepFailed)
    assert (failed.happened, failed.meaning, failed.next_step) == (
        found.happened,
        found.meaning,
        found.next_step,
    )


async def test_a_run_of_the_same_plan_is_no_obstacle_and_one_of_another_plan_is(
    tmp_path: Path,
) -> None:
    plan = two_steps(tmp_path)
    assert ending(await events_of(live(tmp_path), plan)).ok
    assert obstacle(plan, places_below(tmp_path)) is None
    other = replace(plan, id="another plan")
    found = obstacle(other, places_below(tmp_path))
    assert found is not None
    assert "rollback" in found.next_step


@pytest.mark.skipif(ROOT, reason="root may write everywhere")
async def test_a_folder_below_one_that_may_not_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o555)
    plan = replace(two_steps(tmp_path), venv=f"{tmp_path}/closed/venv")
    found = obstacle(plan, places_below(tmp_path))
    assert found is not None
    assert found.happened == f"No folder can be made at {tmp_path}/closed/venv: Permission denied."
    assert "Choose a folder of your own" in found.next_step


@pytest.mark.skipif(ROOT, reason="root may look everywhere")
async def test_a_folder_that_may_not_be_looked_into_is_told_as_one_that_takes_nothing(
    tmp_path: Path,
) -> None:
    (tmp_path / "secret").mkdir(mode=0o000)
    plan = replace(two_steps(tmp_path), venv=f"{tmp_path}/secret/deep/venv")
    found = obstacle(plan, places_below(tmp_path))
    assert found is not None
    assert found.happened.startswith(f"No folder can be made at {tmp_path}/secret/deep/venv: ")


async def test_steps_that_need_root_are_an_obstacle(tmp_path: Path) -> None:
    step = AddToGroups("x", "sam", ("render",), "y")
    found = obstacle(plan_of(tmp_path, step), places_below(tmp_path))
    assert found is not None
    assert "needs root for 1 steps" in found.happened
