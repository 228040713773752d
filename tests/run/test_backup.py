"""A backup is exact: listed before anything moves, gone on with after a kill, moved back whole."""

from __future__ import annotations

import errno
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.run.places import tree
from tests.run.wheels import make_wheel
from wizard.core.trouble import Trouble
from wizard.operations.set_aside_packages import SetAsidePackages
from wizard.run.rollback_folder import keep_aside
from wizard.system.backup import (
    Backup,
    folder_rows,
    move_aside,
    move_back,
    seen_row,
    write_manifest,
)
from wizard.system.system import System

PACKAGES = "lib/python3.10/site-packages"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    site = tmp_path / "venv" / PACKAGES
    (site / "torch/lib").mkdir(parents=True)
    (site / "torch/lib").chmod(0o750)
    (site / "torch/__init__.py").write_text("torch")
    (site / "torch/lib/libtorch.so").write_text("library")
    (site / "torch/lib/libtorch.so").chmod(0o755)
    (site / "torch/lib/link.so").symlink_to("libtorch.so")
    (site / "torch/lib/mine.so").write_text("mine")
    (site / "other.py").write_text("other")
    info = site / "torch-2.0.dist-info"
    info.mkdir()
    paths = ("torch/__init__.py", "torch/lib/libtorch.so", "torch/lib/link.so")
    (info / "RECORD").write_text("".join(f"{path},,\n" for path in paths))
    return tmp_path / "venv"


def step(root: Path, *files: str) -> SetAsidePackages:
    site = str(root / PACKAGES)
    backup = str(root / ".rdna1-setup")
    return SetAsidePackages("r", str(root), site, (("torch", "2.0"),), files, "", backup)


def listed(root: Path) -> Backup:
    backup = Backup(root, root / ".rdna1-setup")
    paths = step(root).family_files()
    backup.folder.mkdir()
    rows = [seen_row(root, path, lambda _: None) for path in paths]
    write_manifest(backup, (*folder_rows(root, paths), *rows))
    return backup


def test_what_record_lists_goes_and_what_lies_beside_it_stays(root: Path) -> None:
    before = tree(root)
    backup = listed(root)
    assert move_aside(backup) == 4
    left = {name for name in tree(root) if not name.startswith(".rdna1-setup")}
    assert f"{PACKAGES}/torch/lib/mine.so" in left
    assert f"{PACKAGES}/other.py" in left
    assert f"{PACKAGES}/torch/__init__.py" not in left
    assert f"{PACKAGES}/torch-2.0.dist-info" not in left, "pip would take it for a package"
    assert move_back(backup).left == ()
    assert tree(root) == before


def test_modes_and_times_come_back_too_also_those_of_folders_that_were_gone(root: Path) -> None:
    library = root / PACKAGES / "torch/lib/libtorch.so"
    (root / PACKAGES / "torch/lib/mine.so").unlink()
    before = library.stat()
    backup = listed(root)
    move_aside(backup)
    assert not (root / PACKAGES / "torch").exists()
    assert move_back(backup).left == ()
    after = library.stat()
    assert (after.st_mode, after.st_mtime_ns) == (before.st_mode, before.st_mtime_ns)
    assert library.parent.stat().st_mode & 0o777 == 0o750


def test_a_move_that_was_cut_off_is_continued_and_new_files_are_left_alone(root: Path) -> None:
    backup = listed(root)
    first, *_ = backup.things()
    backup.kept(first).parent.mkdir(parents=True)
    backup.place(first).rename(backup.kept(first))
    assert move_aside(backup) == 3
    backup.place(first).parent.mkdir(parents=True, exist_ok=True)
    backup.place(first).write_text("new torch")
    assert move_aside(backup) == 0
    assert backup.place(first).read_text() == "new torch"


def test_what_came_since_is_never_moved_for_what_was_removed_from_the_backup(root: Path) -> None:
    backup = listed(root)
    move_aside(backup)
    shutil.rmtree(backup.folder / "files")
    for row in backup.things():
        backup.place(row).parent.mkdir(parents=True, exist_ok=True)
        backup.place(row).write_text("new torch")
    assert move_aside(backup) == 0
    assert not any(map(backup.is_kept, backup.things()))


async def test_the_outcome_counts_the_files_that_are_in_the_backup_for_sure(root: Path) -> None:
    backup = listed(root)
    backup.place(backup.things()[0]).unlink()
    async for _ in step(root).do(System({}, "", lambda: False), {}):
        pass
    assert step(root).verify({}).text.startswith("3 files are in")


def test_a_move_that_was_cut_off_is_undone(root: Path) -> None:
    before = tree(root)
    backup = listed(root)
    first, *_ = backup.things()
    backup.kept(first).parent.mkdir(parents=True)
    backup.place(first).rename(backup.kept(first))
    assert move_back(backup).left == ()
    assert tree(root) == before


def test_a_rollback_that_was_cut_off_is_continued(root: Path) -> None:
    before = tree(root)
    backup = listed(root)
    move_aside(backup)
    some = backup.things()[1]
    backup.place(some).parent.mkdir(parents=True, exist_ok=True)
    backup.kept(some).rename(backup.place(some))
    assert move_back(backup).left == ()
    assert tree(root) == before


def test_what_is_in_the_way_is_never_written_over(root: Path) -> None:
    backup = listed(root)
    move_aside(backup)
    first, *_ = backup.things()
    backup.place(first).parent.mkdir(parents=True, exist_ok=True)
    backup.place(first).write_text("mine")
    (problem,) = move_back(backup).left
    assert "file is in its place" in problem
    assert backup.place(first).read_text() == "mine"
    assert backup.kept(first).exists()
    assert keep_aside(root, (first.path,)) == []
    assert move_back(backup).left == ()
    assert (root / "rdna1-setup-kept" / first.path).read_text() == "mine"


def test_a_file_that_was_changed_inside_the_backup_comes_back_and_is_told(root: Path) -> None:
    backup = listed(root)
    move_aside(backup)
    library = next(row for row in backup.things() if row.path.endswith("libtorch.so"))
    backup.kept(library).write_text("changed")
    (problem,) = move_back(backup).told
    assert "was changed in" in problem
    assert move_back(backup).left == ()


def test_a_package_that_lies_behind_a_link_is_refused(root: Path) -> None:
    site = root / PACKAGES
    (site / "torch").rename(root.parent / "elsewhere")
    (site / "torch").symlink_to(root.parent / "elsewhere")
    with pytest.raises(Trouble, match="not inside"):
        step(root).family_files()


def test_files_of_the_plan_that_are_there_go_too_and_missing_ones_do_not(root: Path) -> None:
    (root / "pip.conf").write_text("[global]\n")
    found = step(root, str(root / "pip.conf"), str(root / "bin/rdna1-python")).family_files()
    assert "pip.conf" in found
    assert "bin/rdna1-python" not in found


def test_a_damaged_list_is_told_and_nothing_moves(root: Path) -> None:
    backup = listed(root)
    move_aside(backup)
    backup.manifest.write_text("{\n")
    with pytest.raises(Trouble, match="is damaged"):
        move_back(backup)
    assert (backup.folder / "files" / PACKAGES / "torch/__init__.py").exists()


async def test_bytecode_without_a_source_waits_in_the_backup_too(root: Path) -> None:
    stale = root / PACKAGES / "added/__pycache__/__init__.cpython-310.pyc"
    stale.parent.mkdir(parents=True)
    stale.write_text("stale")
    before = tree(root)
    make_wheel(root.parent / "wheels", "added", "1.0", {"added/__init__.py": ""})
    taking = replace(step(root), staging=str(root.parent / "wheels"))
    system = System({}, "", lambda: False)
    async for _ in taking.do(system, {}):
        pass
    assert not stale.exists()
    assert move_back(Backup(root, root / ".rdna1-setup")).left == ()
    assert tree(root) == before


async def test_a_file_that_a_new_wheel_would_write_over_is_named_and_nothing_moves(
    root: Path,
) -> None:
    before = tree(root)
    make_wheel(root.parent / "wheels", "added", "1.0", {"other.py": ""})
    taking = replace(step(root), staging=str(root.parent / "wheels"))
    with pytest.raises(Trouble, match=r"other\.py already exists"):
        async for _ in taking.do(System({}, "", lambda: False), {}):
            pass
    assert tree(root) == before


async def test_an_environment_that_changed_since_the_plan_is_left_alone(root: Path) -> None:
    before = tree(root)
    other = replace(step(root), packages=(("torch", "1.9"),))
    with pytest.raises(Trouble, match=r"torch 1\.9 is no longer in"):
        async for _ in other.do(System({}, "", lambda: False), {}):
            pass
    assert tree(root) == before


def test_names_that_are_no_text_survive_the_list(root: Path) -> None:
    name = os.fsdecode(b"odd-\xff\n.py")
    (root / PACKAGES / "torch" / name).write_text("odd")
    backup = Backup(root, root / ".rdna1-setup")
    backup.folder.mkdir()
    row = seen_row(root, f"{PACKAGES}/torch/{name}", lambda _: None)
    write_manifest(backup, (row,))
    assert backup.rows() == (row,)


def test_a_list_that_cannot_be_read_is_no_missing_list(root: Path) -> None:
    backup = listed(root)
    move_aside(backup)
    backup.manifest.unlink()
    backup.manifest.symlink_to(backup.manifest.name)  # a loop: no reader gets through
    with pytest.raises(Trouble, match="cannot be read"):
        move_back(backup)
    assert (backup.folder / "files" / PACKAGES / "torch/__init__.py").exists()


def test_what_somebody_put_into_the_backup_stays(root: Path) -> None:
    backup = listed(root)
    move_aside(backup)
    (backup.folder / "notes-of-mine.txt").write_text("mine")
    assert move_back(backup).left == ()
    assert (backup.folder / "notes-of-mine.txt").read_text() == "mine"


def test_a_list_that_names_too_little_stays_with_what_it_does_not_name(root: Path) -> None:
    backup = listed(root)
    move_aside(backup)
    lines = backup.manifest.read_text().splitlines(keepends=True)
    backup.manifest.write_text("".join(lines[:-1]))
    move_back(backup)
    assert backup.manifest.exists()
    assert any(path.is_symlink() for path in (backup.folder / "files").rglob("*"))


def test_a_file_that_was_removed_from_the_backup_is_lost_and_never_taken_for_in_place(
    root: Path,
) -> None:
    backup = listed(root)
    move_aside(backup)
    library = next(row for row in backup.things() if row.path.endswith("libtorch.so"))
    backup.kept(library).unlink()
    backup.place(library).parent.mkdir(parents=True, exist_ok=True)
    backup.place(library).write_text("of the new torch")
    assert not backup.is_in_place(library)
    assert not any(map(backup.is_in_place, backup.things()))


def test_files_are_not_moved_back_through_a_link(root: Path) -> None:
    backup = listed(root)
    move_aside(backup)
    elsewhere = root.parent / "elsewhere"
    (root / PACKAGES / "torch").rename(elsewhere)
    (root / PACKAGES / "torch").symlink_to(elsewhere)
    problems = move_back(backup).left
    assert any("a link points elsewhere" in problem for problem in problems)
    assert not (elsewhere / "__init__.py").exists()
    (root / PACKAGES / "torch").unlink()
    assert move_back(backup).left == ()
    assert (root / PACKAGES / "torch/__init__.py").read_text() == "torch"


def test_a_file_in_place_of_a_folder_is_told_and_not_a_crash(root: Path) -> None:
    (root / PACKAGES / "torch/lib/mine.so").unlink()
    backup = listed(root)
    move_aside(backup)
    (root / PACKAGES / "torch").write_text("mine")
    assert any(f"{PACKAGES}/torch" in problem for problem in move_back(backup).left)
    assert (root / PACKAGES / "torch").read_text() == "mine"


def test_what_a_package_that_stays_lists_too_stays_unless_a_wheel_brings_it(root: Path) -> None:
    site = root / PACKAGES
    other = site / "other-1.0.dist-info"
    other.mkdir()
    (other / "RECORD").write_text("torch/__init__.py,,\nother.py,,\n")
    assert f"{PACKAGES}/torch/__init__.py" not in step(root).family_files()
    assert f"{PACKAGES}/torch/lib/libtorch.so" in step(root).family_files()
    make_wheel(root.parent / "wheels", "torch", "3.0", {"torch/__init__.py": ""})
    taking = replace(step(root), staging=str(root.parent / "wheels"))
    assert f"{PACKAGES}/torch/__init__.py" in taking.family_files()


def test_what_an_interrupted_pip_has_left_of_a_package_keeps_no_file_of_it_here(
    root: Path,
) -> None:
    site = root / PACKAGES
    record = (site / "torch-2.0.dist-info/RECORD").read_text()
    (site / "~orch-1.9.dist-info").mkdir()
    (site / "~orch-1.9.dist-info/RECORD").write_text(f"{record}torch-2.0.dist-info/RECORD,,\n")
    assert len(step(root).family_files()) == 4


def test_the_list_of_another_package_cannot_keep_the_metadata_of_one_that_goes(root: Path) -> None:
    other = root / PACKAGES / "other-1.0.dist-info"
    other.mkdir()
    (other / "RECORD").write_text("torch-2.0.dist-info/RECORD,,\n")
    assert f"{PACKAGES}/torch-2.0.dist-info/RECORD" in step(root).family_files()


def test_bytecode_of_a_shared_source_goes_with_it_when_a_wheel_brings_the_source(
    root: Path,
) -> None:
    site = root / PACKAGES
    compiled = "torch/__pycache__/__init__.cpython-310.pyc"
    (site / compiled).parent.mkdir()
    (site / compiled).write_text("compiled")
    (site / "other-1.0.dist-info").mkdir()
    (site / "other-1.0.dist-info/RECORD").write_text(f"torch/__init__.py,,\n{compiled},,\n")
    make_wheel(root.parent / "wheels", "torch", "3.0", {"torch/__init__.py": ""})
    assert f"{PACKAGES}/{compiled}" not in step(root).family_files()
    taking = replace(step(root), staging=str(root.parent / "wheels"))
    assert f"{PACKAGES}/{compiled}" in taking.family_files()


def test_half_a_list_of_files_is_refused_before_anything_moves(root: Path) -> None:
    record = root / PACKAGES / "torch-2.0.dist-info/RECORD"
    record.write_text(record.read_text() + '"' + "x" * 200_000 + '",,\n')  # longer than csv takes
    with pytest.raises(Trouble, match="cannot be read completely"):
        step(root).refuse()


def test_a_file_name_that_is_no_text_is_moved_like_any_other(root: Path) -> None:
    name = os.fsdecode(b"torch/odd-\xff.py")
    (root / PACKAGES / name).write_text("odd")
    with (root / PACKAGES / "torch-2.0.dist-info/RECORD").open("ab") as record:
        record.write(b"torch/odd-\xff.py,,\n")
    assert f"{PACKAGES}/{name}" in step(root).family_files()


def test_a_folder_that_spells_the_version_otherwise_is_found_by_its_metadata(root: Path) -> None:
    info = root / PACKAGES / "torch-2.0.dist-info"
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.0+cu118\n")
    named = replace(step(root), packages=(("torch", "2.0+cu118"),))
    named.refuse()
    assert f"{PACKAGES}/torch/__init__.py" in named.family_files()


@pytest.mark.parametrize(
    ("code", "told"),
    [(errno.ENOSPC, "the disk has none left"), (errno.EXDEV, "another file system")],
)
async def test_a_move_that_fails_is_told_with_its_own_cause(
    root: Path, monkeypatch: pytest.MonkeyPatch, code: int, told: str
) -> None:
    def refuse(path: Path, _to: Path) -> None:
        raise OSError(code, os.strerror(code), str(path))

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(Trouble) as failed:
        async for _ in step(root).do(System({}, "", lambda: False), {}):
            pass
    assert told in failed.value.meaning
    assert "rollback" in failed.value.next_step
