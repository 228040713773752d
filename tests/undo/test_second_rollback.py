"""A way back that was cut off is gone on with; what is there again is the user's alone."""

from __future__ import annotations

from pathlib import Path

from tests.run.places import tree
from tests.undo.replacing import KEPT, SITE, again, back, install, remove, replaced
from wizard.core.journal import Record
from wizard.run.journal import Journal
from wizard.run.rollback_folder import find_folder_rollback


def partly(record: Record) -> Record:
    """The run as it stands when the way back was ended from outside."""
    Journal(Path(record.folder)).close("partly rolled back", "now")
    return again(Path(record.folder))


def test_settings_that_are_back_are_not_taken_for_ours_that_were_changed(venv: Path) -> None:
    before = tree(venv)
    record, _ = replaced(venv)
    back(record)
    assert back(partly(record)) == ()
    assert tree(venv) == before


def test_bytecode_that_is_back_stays(venv: Path) -> None:
    compiled = venv / SITE / "__pycache__/torch_both.cpython-310.pyc"
    compiled.parent.mkdir()
    compiled.write_text("compiled")
    before = tree(venv)
    record, _ = replaced(venv)
    backup = venv / ".rdna1-setup/files" / SITE
    compiled.parent.mkdir()
    (backup / "__pycache__" / compiled.name).rename(compiled)
    assert back(partly(record)) == ()
    assert tree(venv) == before


def test_what_was_upgraded_and_edited_after_all_was_moved_back_is_left_alone(venv: Path) -> None:
    record, _ = replaced(venv)
    back(record)
    remove([venv / SITE / f"numpy-1.0.dist-info/{name}" for name in ("METADATA", "RECORD")])
    install(venv, "numpy", "2.0", numpy="newest", numpy_core="newest")
    (venv / "pip.conf").write_text("mine")
    seen = tree(venv)
    assert not find_folder_rollback(partly(record)).in_the_way
    back(partly(record))
    assert tree(venv) == seen
    assert not (venv / KEPT).exists()


def test_what_waits_still_comes_back_beside_a_package_that_was_upgraded(venv: Path) -> None:
    record, _ = replaced(venv)
    (venv / SITE / "torch_old.py").mkdir()  # in the way, and no file that could be moved
    (venv / SITE / "torch_old.py/mine").write_text("mine")
    assert any("torch_old.py" in problem for problem in back(record))
    remove([venv / SITE / f"numpy-1.0.dist-info/{name}" for name in ("METADATA", "RECORD")])
    install(venv, "numpy", "2.0", numpy="newest")
    (venv / SITE / "torch_old.py/mine").unlink()
    (venv / SITE / "torch_old.py").rmdir()
    back(partly(record))
    assert (venv / SITE / "torch_old.py").read_text() == "old"
    assert (venv / SITE / "numpy.py").read_text() == "newest"
    assert (venv / SITE / "numpy-2.0.dist-info/RECORD").exists()
    assert again(Path(record.folder)).state == "rolled back"


def test_a_file_that_is_back_with_other_content_is_told_once_and_ends_the_run(venv: Path) -> None:
    record, _ = replaced(venv)
    (venv / ".rdna1-setup/files" / SITE / "torch_old.py").write_text("changed")
    (told,) = back(record)
    assert "was changed in" in told
    assert again(Path(record.folder)).state == "rolled back"
    assert not (venv / ".rdna1-setup").exists()


def test_a_file_that_never_left_and_was_edited_is_not_told_as_lost(venv: Path) -> None:
    record, _ = replaced(venv)
    stays = venv / SITE / "torch_old.py"
    (venv / ".rdna1-setup/files" / SITE / "torch_old.py").rename(stays)
    stays.write_text("edited")
    way = find_folder_rollback(record)
    assert "cannot be" not in str(way)
    assert "leave what you changed in place: lib" in str(way)
    assert "torch_old.py\n" in str(way)
    assert back(record) == ()
    assert stays.read_text() == "edited"


def test_no_folder_comes_back_without_a_file_that_needs_it(venv: Path) -> None:
    record, _ = replaced(venv)
    for path in (venv / ".rdna1-setup/files" / SITE / "numpy-1.0.dist-info").iterdir():
        path.unlink()
    back(record)
    assert not (venv / SITE / "numpy-1.0.dist-info").exists(), "pip would take it for a package"
    assert (venv / SITE / "torch-1.0.dist-info").exists()


def test_a_list_that_never_left_takes_no_edited_file_out_of_its_place(venv: Path) -> None:
    record, _ = replaced(venv)
    waits, site = venv / ".rdna1-setup/files" / SITE, venv / SITE
    (site / "torch-1.0.dist-info").mkdir()
    for name in ("torch-1.0.dist-info/RECORD", "torch_old.py"):
        (waits / name).rename(site / name)
    (site / "torch_old.py").write_text("edited")
    assert back(record) == ()
    assert (site / "torch_old.py").read_text() == "edited"
