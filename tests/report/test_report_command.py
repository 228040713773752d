"""``report --folder``: shown first, asked for, written whole; and nothing where it must not be."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.running import MACHINE, answered, wizard
from tests.run.places import places_below, plan_of
from wizard.operations.write_file import WriteFile
from wizard.run.journal import Journal

RECORDED = ("--machine", MACHINE)


def test_without_a_terminal_it_shows_and_writes_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "report"
    done = wizard(tmp_path, "report", "--folder", str(folder), *RECORDED)
    assert done.returncode == 1
    assert "report.md  (" in done.stdout
    assert "This program sends nothing" in done.stdout
    assert "was written" in done.stderr
    assert not folder.exists()


@pytest.mark.parametrize(("answer", "written"), [("y", True), ("n", False), ("", False)])
def test_at_a_terminal_it_asks(tmp_path: Path, answer: str, written: bool) -> None:
    folder = tmp_path / "report"
    done = answered(tmp_path, answer, "report", "--folder", str(folder), *RECORDED)
    assert "Write it? [y/N]" in done.stdout
    assert folder.exists() is written
    assert done.returncode == (0 if written else 1)


def test_a_dry_run_shows_and_writes_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "report"
    arguments = ("report", "--folder", str(folder), "--yes", "--dry-run", *RECORDED)
    done = wizard(tmp_path, *arguments)
    assert done.returncode == 0
    assert "A dry run writes nothing" in done.stdout
    assert not folder.exists()


def test_what_is_there_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "report"
    folder.mkdir()
    done = wizard(tmp_path, "report", "--folder", str(folder), "--yes", *RECORDED)
    assert done.returncode == 2
    assert "it already exists and is not overwritten" in done.stderr
    assert list(folder.iterdir()) == []


def test_what_is_shown_is_what_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "a new report"
    done = wizard(tmp_path, "report", "--folder", str(folder), "--zip", "--yes", *RECORDED)
    assert done.returncode == 0, done.stderr
    names = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert names == {"MANIFEST.txt", "report.md", "machine.json", "findings.json", "conv2d.json"}
    assert all(f"{name}  (" in done.stdout for name in names)
    assert "Not included: collect_env.txt (not requested" in done.stdout
    assert (tmp_path / "a new report.zip").is_file()


def test_a_recorded_machine_starts_no_collect_env(tmp_path: Path) -> None:
    folder = str(tmp_path / "report")
    done = wizard(tmp_path, "report", "--folder", folder, "--collect-env", "--yes", *RECORDED)
    assert "collect_env.txt (a machine recording and a dry run start nothing)" in " ".join(
        done.stdout.split()
    )


@pytest.mark.parametrize("option", ["--zip", "--collect-env"])
def test_what_belongs_to_a_folder_is_refused_without_one(tmp_path: Path, option: str) -> None:
    done = wizard(tmp_path, "report", option, *RECORDED)
    assert done.returncode == 2
    assert "work with --folder DIR" in done.stderr
    assert done.stdout == ""


def test_a_log_that_cannot_be_read_is_named_with_the_reason(tmp_path: Path) -> None:
    run = Journal(Path(places_below(tmp_path).runs, "20260101-a"))
    run.folder.parent.mkdir(parents=True)
    run.begin(plan_of(tmp_path), "t")
    (run.folder / "log.txt").mkdir()
    folder = tmp_path / "report"
    done = wizard(tmp_path, "report", "--folder", str(folder), "--yes")
    assert done.returncode == 0, done.stderr
    assert "Not included: logs/last-run.txt (it is not a regular file)" in done.stdout
    manifest = (folder / "MANIFEST.txt").read_text("utf-8")
    assert "logs/last-run.txt  not here: it is not a regular file" in manifest
    assert "20260101-a cpu ~/venv unfinished" in (folder / "report.md").read_text("utf-8")


def test_the_last_run_is_told_step_by_step(tmp_path: Path) -> None:
    run = Journal(Path(places_below(tmp_path).runs, "20260101-a"))
    run.folder.parent.mkdir(parents=True)
    steps = tuple(
        WriteFile("why", str(tmp_path), str(tmp_path / name), "x", 0o644) for name in "ab"
    )
    run.begin(plan_of(tmp_path, *steps), "t")
    run.intend(1, {})
    run.finish(1, "written, and read back")
    told = " ".join(wizard(tmp_path, "report").stdout.split())
    assert "1. write ~/a" in told
    assert ": written, and read back" in told
    assert ": not started" in told
