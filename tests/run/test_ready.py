"""What Apply would refuse is known before Apply, by the same check."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.run.places import places_below, plan_of, tree
from tests.run.test_live import ending, events_of, live, two_steps
from wizard.core.events import StepFailed
from wizard.core.json_form import to_json
from wizard.host.contents import BEFORE, LIST, OURS, Contents
from wizard.operations.groups import AddToGroups
from wizard.operations.packages import UNRESOLVED, AptChange
from wizard.operations.set_aside_packages import SetAsidePackages
from wizard.operations.write_file import WriteFile
from wizard.plan.steps import Plan
from wizard.run.journal import Journal
from wizard.run.obstacles import obstacle
from wizard.system.backup import FILE, Backup, Row, write_manifest

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
    assert (
        found.happened == f"The folder {tmp_path}/closed/venv cannot be created: Permission denied."
    )
    assert "Choose a folder of your own" in found.next_step


@pytest.mark.skipif(ROOT, reason="root may look everywhere")
async def test_a_folder_that_may_not_be_looked_into_is_told_as_one_that_takes_nothing(
    tmp_path: Path,
) -> None:
    (tmp_path / "secret").mkdir(mode=0o000)
    plan = replace(two_steps(tmp_path), venv=f"{tmp_path}/secret/deep/venv")
    found = obstacle(plan, places_below(tmp_path))
    assert found is not None
    assert found.happened.startswith(f"The folder {tmp_path}/secret/deep/venv cannot be created: ")


async def test_a_plan_whose_packages_are_not_known_exactly_is_an_obstacle(tmp_path: Path) -> None:
    known = AddToGroups("x", "sam", ("render",))
    assert obstacle(plan_of(tmp_path, known), places_below(tmp_path)) is None
    unknown = AptChange("x", install=(("rocm-core", UNRESOLVED),))
    found = obstacle(plan_of(tmp_path, known, unknown), places_below(tmp_path))
    assert found is not None
    assert "not known yet" in found.happened


def aside(tmp_path: Path, root: Path) -> SetAsidePackages:
    """A step that moves a package out of one of the folders."""
    site = root / "lib/python3.10/site-packages"
    (site / "torch-2.0.dist-info").mkdir(parents=True, exist_ok=True)
    (site / "torch.py").write_text("torch")
    (site / "torch-2.0.dist-info/RECORD").write_text("torch.py,,\n")
    packages = (("torch", "2.0"),)
    return SetAsidePackages("r", str(root), str(site), packages, (), "", f"{root}/.aside")


def test_what_cannot_be_moved_is_known_before_the_first_step_moves_anything(
    tmp_path: Path,
) -> None:
    first, second = (aside(tmp_path, tmp_path / name) for name in ("venv", "local"))
    (tmp_path / "local/lib").rename(tmp_path / "elsewhere")
    (tmp_path / "local/lib").symlink_to(tmp_path / "elsewhere")
    found = obstacle(plan_of(tmp_path, first, second), places_below(tmp_path))
    assert found is not None
    assert "is not inside" in found.happened


def test_files_below_a_mount_inside_the_environment_are_known_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = aside(tmp_path, tmp_path / "venv")
    mounts = tmp_path / "mountinfo"
    mounts.write_text("22 1 8:1 / / rw - ext4 /dev/sda1 rw\n")
    monkeypatch.setattr("wizard.operations.set_aside_packages.MOUNTS", str(mounts))
    assert obstacle(plan_of(tmp_path, step), places_below(tmp_path)) is None
    mounts.write_text(f"23 22 8:2 / {os.path.realpath(step.site)} rw - ext4 /dev/sda2 rw\n")
    found = obstacle(plan_of(tmp_path, step), places_below(tmp_path))
    assert found is not None
    assert "a separate mount inside" in found.happened


def without_its_journal(tmp_path: Path) -> tuple[Plan, Path]:
    """A plan for an environment in which a run stands whose journal is gone."""
    step = aside(tmp_path, tmp_path / "venv")
    site, backup = Path(step.site), Path(step.backup)
    for name, version in (("torch", "1.13"), ("torchaudio", "0.13"), ("other", "1.0")):
        info = site / f"{name}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Name: {name}\nVersion: {version}\n")
    kept = Row("lib/python3.10/site-packages/numpy-2.0.dist-info/METADATA", FILE, 0, 0, 0, "")
    numpy = site / "numpy-1.26.dist-info"
    numpy.mkdir()
    (numpy / "METADATA").write_text("Name: numpy\nVersion: 1.26\n")
    backup.mkdir()
    write_manifest(Backup(tmp_path / "venv", backup), (kept,))
    settings = WriteFile("r", step.root, f"{step.root}/pip.conf", "ours", 0o644)
    Path(settings.path).write_text("ours")
    return plan_of(tmp_path, step, settings), backup


def test_without_a_journal_every_package_and_file_to_remove_is_named(tmp_path: Path) -> None:
    plan, _ = without_its_journal(tmp_path)
    found = obstacle(plan, places_below(tmp_path))
    assert found is not None
    assert "(pip uninstall numpy torch torchaudio)" in found.next_step
    assert f"files that rdna1-setup wrote: {plan.venv}/pip.conf." in found.next_step


def test_the_backup_of_a_copied_or_moved_environment_is_told_as_what_it_is(
    tmp_path: Path,
) -> None:
    step = aside(tmp_path, tmp_path / "venv")
    step = replace(step, backup=f"{step.root}/{OURS}")
    Path(step.backup).mkdir()
    original = Contents(
        "/elsewhere/venv", "venv", "3.10", True, "", False, "", (), (), "", False, ()
    )
    (Path(step.root) / BEFORE).write_text(json.dumps(to_json(original)))
    (Path(step.root) / LIST).write_text("")
    found = obstacle(plan_of(tmp_path, step), places_below(tmp_path))
    assert found is not None
    assert "belongs to /elsewhere/venv" in found.happened
    assert f"If the environment is a copy, delete {step.backup}" in found.next_step


def test_a_run_is_not_continued_where_its_link_leads_elsewhere_by_now(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, aside(tmp_path, tmp_path / "venv"))
    runs = Path(places_below(tmp_path).runs)
    runs.mkdir(parents=True)
    journal = Journal(runs / "20260101-000000-aaaaaa")
    journal.begin(plan, "now")
    journal.intend(1, {"real": plan.venv})
    assert obstacle(plan, places_below(tmp_path)) is None
    journal.intend(1, {"real": "/elsewhere"})
    found = obstacle(plan, places_below(tmp_path))
    assert found is not None
    assert "points to" in found.happened
    assert "real path" in found.next_step


def test_a_backup_without_its_run_is_explained_and_one_with_it_names_the_run(
    tmp_path: Path,
) -> None:
    step = aside(tmp_path, tmp_path / "venv")
    Path(step.backup).mkdir()
    (Path(step.backup) / "list.jsonl").write_text("")
    found = obstacle(plan_of(tmp_path, step), places_below(tmp_path))
    assert found is not None
    assert "journal is gone" in found.happened
    assert "Then move the files under" in found.next_step
    runs = Path(places_below(tmp_path).runs)
    runs.mkdir(parents=True)
    elsewhere = replace(plan_of(tmp_path, step), venv=f"{tmp_path}/other")
    Journal(runs / "20260101-000000-aaaaaa").begin(elsewhere, "now")
    found = obstacle(plan_of(tmp_path, step), places_below(tmp_path))
    assert found is not None
    assert "run 20260101-000000-aaaaaa" in found.happened
    assert "rollback 20260101-000000-aaaaaa" in found.next_step
