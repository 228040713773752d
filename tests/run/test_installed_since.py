"""What somebody installed after a run is neither removed, nor mixed with what comes back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run.places import tree
from wizard.jsonform import to_json
from wizard.plan.existing_steps import SetAsidePackages
from wizard.plan.steps import Plan
from wizard.run.backup import Backup, folder_rows, move_aside, seen_row, write_manifest
from wizard.run.journal import Journal, Record, read_record
from wizard.run.leaving import family_files
from wizard.run.live import now
from wizard.run.ownership import Owned
from wizard.run.prints import prints
from wizard.run.rollback import find_way_back, go_back
from wizard.run.trouble import Trouble

SITE = "lib/python3.10/site-packages"


def install(venv: Path, name: str, version: str, **files: str) -> list[Path]:
    """A distribution with these modules, and with the list of its files."""
    site = venv / SITE
    info = site / f"{name}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Name: {name}\nVersion: {version}\n")
    paths = [f"{info.name}/METADATA", f"{info.name}/RECORD"]
    for file, text in files.items():
        (site / f"{file}.py").write_text(text)
        paths.append(f"{file}.py")
    (info / "RECORD").write_text("".join(f"{path},,\n" for path in paths))
    return [site / path for path in paths]


def remove(paths: list[Path]) -> None:
    """What pip does to uninstall."""
    for path in paths:
        path.unlink(missing_ok=True)
    paths[0].parent.rmdir()


@pytest.fixture
def venv(tmp_path: Path) -> Path:
    venv = tmp_path / "venv"
    install(venv, "torch", "1.0", torch_old="old", torch_both="old")
    install(venv, "other", "1.0", other="other")
    return venv


def replaced(venv: Path) -> tuple[Record, list[Path]]:
    """A run that set torch 1.0 aside and installed torch 2.0 and extra 1.0."""
    backup = venv / ".rdna1-setup"
    step = SetAsidePackages(
        "r", str(venv), str(venv / SITE), (("torch", "1.0"),), (), "", str(backup), "back"
    )
    plan = Plan("id", "rocm52", "venv", str(venv), (step,), None, None, False, ())
    run = venv.parent / "runs/1"
    journal = Journal(run)
    run.parent.mkdir()
    journal.begin(plan, "now")
    journal.intend(1, {"folders_before": ["lib", "lib/python3.10", SITE]})
    paths = family_files(step)
    aside = Backup(venv, backup)
    backup.mkdir()
    rows = [seen_row(venv, path, lambda _: None) for path in paths]
    write_manifest(aside, (*folder_rows(venv, paths), *rows))
    move_aside(aside)
    journal.finish(1, "moved")
    new = install(venv, "torch", "2.0", torch_new="new", torch_both="new")
    extra = install(venv, "extra", "1.0", extra="ours")
    Owned(run).add(prints(venv, (*new, *extra)))
    journal.close("finished", "now")
    record = read_record(run)
    assert record is not None, to_json(plan)
    return record, new


def back(record: Record) -> tuple[str, ...]:
    return go_back(find_way_back(record), record, now())


def test_with_nothing_installed_since_the_way_back_is_exact(venv: Path) -> None:
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
        find_way_back(record)
    assert tree(venv) == seen
    remove(newest)
    assert back(record) == ()
    assert (venv / SITE / "torch_both.py").read_text() == "old"
    assert not (venv / SITE / "torch_new.py").exists()


def test_a_newer_release_of_what_we_had_brought_stays_where_it_is(venv: Path) -> None:
    record, _ = replaced(venv)
    site = venv / SITE
    remove([site / "extra-1.0.dist-info" / name for name in ("METADATA", "RECORD")])
    install(venv, "extra", "2.0", extra="theirs")
    assert back(record) == ()
    assert (site / "extra.py").read_text() == "theirs"
    assert (site / "torch_old.py").read_text() == "old"


def test_files_that_were_removed_from_the_backup_are_told_before_and_after(venv: Path) -> None:
    record, _ = replaced(venv)
    (venv / ".rdna1-setup/files" / SITE / "torch_both.py").unlink()
    way = find_way_back(record)
    assert "1 files below" in str(way)
    assert "cannot come back" in str(way)
    (problem,) = go_back(way, record, now())
    assert "torch_both.py" in problem
    assert not (venv / SITE / "torch_both.py").exists(), "a file of the new torch stayed"
    assert (venv / SITE / "torch_old.py").read_text() == "old"
    again = read_record(Path(record.folder))
    assert again is not None
    assert again.state == "rolled back"
