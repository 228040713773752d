"""What somebody installed after a run is neither removed, nor mixed with what comes back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.run.places import tree
from tests.undo.replacing import KEPT, SITE, again, back, install, remove, replaced
from wizard.core.trouble import Trouble
from wizard.run.executor import now
from wizard.run.rollback import roll_back_folder
from wizard.run.rollback_folder import find_folder_rollback


def test_with_nothing_installed_since_the_rollback_is_exact(venv: Path) -> None:
    before = tree(venv)
    record, _ = replaced(venv)
    assert back(record) == ()
    assert tree(venv) == before


def test_another_torch_that_was_installed_since_is_named_and_nothing_is_touched(venv: Path) -> None:
    record, new = replaced(venv)
    remove(new)
    newest = install(venv, "torch", "3.0", torch_new="newest", torch_both="newest")
    seen = tree(venv)
    with pytest.raises(Trouble, match=r"torch 3\.0 was installed"):
        find_folder_rollback(record)
    assert tree(venv) == seen
    remove(newest)
    assert back(record) == ()
    assert (venv / SITE / "torch_both.py").read_text() == "old"
    assert not (venv / SITE / "torch_new.py").exists()


@pytest.mark.parametrize("egg", ["torch-2.3.0-py3.10.egg-info", "torch.egg-link"])
def test_a_torch_of_the_older_kind_that_was_installed_since_is_named_too(
    venv: Path, egg: str
) -> None:
    record, new = replaced(venv)
    remove(new)
    (venv / SITE / egg).write_text("")
    with pytest.raises(Trouble, match=r"torch .*was installed"):
        find_folder_rollback(record)


def test_a_newer_release_of_what_we_had_brought_stays_where_it_is(venv: Path) -> None:
    record, _ = replaced(venv)
    site = venv / SITE
    remove([site / "extra-1.0.dist-info" / name for name in ("METADATA", "RECORD")])
    install(venv, "extra", "2.0", extra="theirs")
    assert back(record) == ()
    assert (site / "extra.py").read_text() == "theirs"
    assert (site / "torch_old.py").read_text() == "old"


def test_a_package_of_another_name_that_came_over_files_that_wait_is_named(venv: Path) -> None:
    record, _ = replaced(venv)
    same = install(venv, "same", "1.0", torch_old="old")
    find_folder_rollback(record)
    remove(same)
    fork = install(venv, "torch_fork", "1.0", torch_old="of the fork")
    seen = tree(venv)
    with pytest.raises(
        Trouble, match=r"torch-fork 1\.0 was installed .* overwrote files"
    ) as refused:
        find_folder_rollback(record)
    assert "pip uninstall torch-fork" in refused.value.next_step
    assert tree(venv) == seen
    remove(fork)
    assert back(record) == ()


def test_a_package_that_was_there_at_the_start_may_share_files_with_what_comes_back(
    venv: Path,
) -> None:
    record_file = venv / SITE / "other-1.0.dist-info/RECORD"
    before = record_file.read_text()
    record, _ = replaced(venv)
    record_file.write_text(f"{before}torch_both.py,,\n")
    assert back(record) == ()
    assert (venv / SITE / "torch_both.py").read_text() == "old"


def test_files_that_were_removed_from_the_backup_are_told_before_and_after(venv: Path) -> None:
    record, _ = replaced(venv)
    (venv / ".rdna1-setup/files" / SITE / "torch_both.py").unlink()
    way = find_folder_rollback(record)
    assert "cannot be" in str(way)
    (problem,) = roll_back_folder(way, record, now())
    assert "torch_both.py" in problem
    assert not (venv / SITE / "torch_both.py").exists(), "a file of the new torch stayed"
    assert (venv / SITE / "torch_old.py").read_text() == "old"
    assert again(Path(record.folder)).state == "rolled back"


def test_what_another_build_of_the_same_version_brought_goes_out_of_the_way_whole(
    venv: Path,
) -> None:
    before = tree(venv)
    record, new = replaced(venv)
    remove(new)
    build = install(venv, "torch", "2.0", torch_new="build", torch_more="build")
    direct = build[0].with_name("direct_url.json")
    direct.write_text("{}")
    assert back(record) == ()
    kept = venv / KEPT
    assert (kept / SITE / "torch_more.py").read_text() == "build"
    assert (kept / SITE / "torch-2.0.dist-info/direct_url.json").exists()
    shutil.rmtree(kept)
    assert tree(venv) == before


def test_another_build_of_the_old_version_gives_way_to_the_old_one_whole(venv: Path) -> None:
    before = tree(venv)
    record, new = replaced(venv)
    remove(new)
    install(venv, "torch", "1.0", torch_both="build", torch_more="build")
    assert back(record) == ()
    assert (venv / KEPT / SITE / "torch_more.py").read_text() == "build"
    shutil.rmtree(venv / KEPT)
    assert tree(venv) == before
