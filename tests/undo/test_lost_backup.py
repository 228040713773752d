"""A backup or a whole environment that is gone is told; it never blocks, and is never a lie."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import pytest

from tests.run.places import places_below, tree
from tests.undo.replacing import SITE, again, aside_step, back, install, make_environment, replaced
from wizard.core.journal import Record
from wizard.core.trouble import Trouble
from wizard.run.journal import Journal
from wizard.run.rollback import forget_run, left_by
from wizard.run.rollback_folder import find_folder_rollback
from wizard.run.runs import read_record


def state(record: Record) -> str:
    return again(Path(record.folder)).state


def test_without_a_backup_ours_goes_what_is_lost_is_told_and_the_run_ends(venv: Path) -> None:
    record, _ = replaced(venv)
    shutil.rmtree(venv / ".rdna1-setup")
    (venv / "mine.txt").write_text("mine")
    (told,) = back(record)
    assert "cannot be" in told
    assert "numpy 1.0, torch 1.0" in told
    assert state(record) == "rolled back"
    assert not (venv / SITE / "torch_new.py").exists()
    assert (venv / "mine.txt").read_text() == "mine"


def test_an_environment_that_was_made_anew_by_hand_is_left_as_it_is(venv: Path) -> None:
    record, _ = replaced(venv)
    shutil.rmtree(venv)
    make_environment(venv)
    install(venv, "torch", "2.0", torch_new="theirs", torch_both="theirs")
    seen = tree(venv)
    assert back(record) == ()
    assert tree(venv) == seen
    assert state(record) == "rolled back"


def test_a_moved_environment_is_not_told_as_undone(venv: Path) -> None:
    before = tree(venv)
    record, _ = replaced(venv)
    venv.rename(venv.parent / "elsewhere")
    with pytest.raises(Trouble, match="does not exist") as refused:
        find_folder_rollback(record)
    assert f"rollback --forget {record.id}" in refused.value.next_step
    venv.mkdir()  # where a disk is mounted at other times
    with pytest.raises(Trouble, match="does not exist"):
        find_folder_rollback(record)
    venv.rmdir()
    (venv.parent / "elsewhere").rename(venv)
    assert back(record) == ()
    assert tree(venv) == before


def test_a_link_that_leads_to_another_environment_by_now_is_not_gone_back_through(
    tmp_path: Path,
) -> None:
    make_environment(tmp_path / "one")
    make_environment(tmp_path / "two")
    link = tmp_path / "venv"
    link.symlink_to("one")
    record, _ = replaced(link)
    link.unlink()
    link.symlink_to("two")
    with pytest.raises(Trouble, match=r"now points to .*two, but pointed to .*one"):
        find_folder_rollback(record)
    link.unlink()
    link.symlink_to("one")
    assert back(record) == ()
    assert tree(tmp_path / "one") == tree(tmp_path / "two")


def test_a_folder_that_an_interrupted_move_left_empty_is_no_package(venv: Path) -> None:
    record, _ = replaced(venv)
    shutil.rmtree(venv / ".rdna1-setup")
    (venv / SITE / "numpy-1.0.dist-info").mkdir()
    (told,) = back(record)
    assert "numpy 1.0, torch 1.0" in told


@pytest.mark.parametrize("ended", ["while it was set aside", "while it was put back"])
def test_a_move_that_was_cut_off_is_not_told_as_undone_while_it_is_elsewhere(
    venv: Path, ended: str
) -> None:
    record, _ = replaced(venv)
    if ended == "while it was set aside":
        record = replace(record, outcomes={}, state="unfinished")
    else:
        Journal(Path(record.folder)).close("partly rolled back", "now")
        record = again(Path(record.folder))
    venv.rename(venv.parent / "elsewhere")
    with pytest.raises(Trouble, match="does not exist"):
        find_folder_rollback(record)


def test_a_step_that_was_never_begun_waits_for_nothing(venv: Path) -> None:
    record, _ = replaced(venv)
    shutil.rmtree(venv)
    find_folder_rollback(replace(record, intents={}, outcomes={}, state="unfinished"))


def test_the_user_s_own_packages_come_back_though_the_environment_is_gone(
    venv: Path, tmp_path: Path
) -> None:
    local = tmp_path / ".local"
    install(local, "torch", "1.5", torch_mine="mine")
    before = tree(local)
    record, _ = replaced(venv, aside_step(local, ("torch", "1.5")))
    shutil.rmtree(venv)
    (problem,) = back(record)
    assert f"{venv} does not exist" in problem
    assert tree(local) == before
    assert state(record) == "partly rolled back"
    with pytest.raises(Trouble, match="does not exist"):
        find_folder_rollback(again(Path(record.folder)))


def test_a_run_whose_environment_is_gone_for_good_can_be_forgotten(
    venv: Path, tmp_path: Path
) -> None:
    record, _ = replaced(venv)
    places, time = places_below(tmp_path), datetime(2026, 1, 1, tzinfo=timezone.utc)
    with pytest.raises(Trouble, match="exists, so run"):
        forget_run(record, places, time)
    shutil.rmtree(venv)
    assert any(str(venv) in line for line in left_by(record))
    forget_run(record, places, time)
    found = read_record(Path(record.folder))
    assert found is not None
    assert found.state == "rolled back"
