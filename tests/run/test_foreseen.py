"""A dry run says what is done already, what a run would change, and what would forbid it."""

import os
from pathlib import Path

import pytest

from tests.run.places import places_below, plan_of, tree
from tests.run.test_live import ending, events_of, live, two_steps
from wizard.core.events import Event, StepFailed, StepFinished
from wizard.operations.write_file import WriteFile
from wizard.plan.steps import Plan
from wizard.run.obstacles import foreseen
from wizard.run.rehearsal import Rehearsal


async def dry(tmp_path: Path, plan: Plan) -> list[Event]:
    return await events_of(Rehearsal(foreseen(plan, places_below(tmp_path))), plan)


async def test_before_a_run_all_would_change(tmp_path: Path) -> None:
    seen = await dry(tmp_path, two_steps(tmp_path))
    assert ending(seen).would_change
    assert not ending(seen).changed


async def test_after_a_run_nothing_would_change_and_nothing_is_written(tmp_path: Path) -> None:
    plan = two_steps(tmp_path)
    await events_of(live(tmp_path), plan)
    before = tree(tmp_path)
    seen = await dry(tmp_path, plan)
    assert tree(tmp_path) == before
    assert not ending(seen).would_change
    assert all(event.already_done for event in seen if isinstance(event, StepFinished))


async def test_what_somebody_removed_since_would_be_done_again(tmp_path: Path) -> None:
    path = tmp_path / "venv/settings"
    plan = plan_of(tmp_path, WriteFile("x", str(tmp_path / "venv"), str(path), "text", 0o644))
    await events_of(live(tmp_path), plan)
    path.unlink()
    assert ending(await dry(tmp_path, plan)).would_change


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere: run as a user")
async def test_a_folder_that_takes_no_files_fails_already_in_the_dry_run(tmp_path: Path) -> None:
    (tmp_path / "venv").mkdir(mode=0o500)
    seen = await dry(tmp_path, two_steps(tmp_path))
    assert isinstance(seen[0], StepFailed)
    assert not ending(seen).ok
