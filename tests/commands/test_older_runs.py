"""A run that an older version of this program recorded: told by name, refused, and left alone."""

from __future__ import annotations

import json
from pathlib import Path

from tests.commands.running import wizard
from tests.plain.walking import walk
from tests.run.earlier_runs import OLDER, leave_older_run
from tests.run.places import places_below, tree
from wizard.operations.groups import AddToGroups

WHO = f"Run {OLDER} was recorded by an older version of this program."
SCRIPT = f"sh /var/lib/rdna1-setup/runs/{OLDER}/UNDO.sh"
ROOTS_STEP = AddToGroups("x", "owner", ("render",))


def test_rollback_names_undo_sh_and_touches_nothing(tmp_path: Path) -> None:
    folder = leave_older_run(tmp_path, ROOTS_STEP)
    (tmp_path / "venv").mkdir()
    (tmp_path / "venv/pyvenv.cfg").write_text("home = /usr/bin\n")
    before = tree(tmp_path)
    for arguments in ((), (OLDER,), ("--dry-run",), ("--forget", OLDER)):
        done = wizard(tmp_path, "rollback", "--yes", *arguments)
        assert done.returncode == 2
        assert done.stderr.startswith(f"rdna1-setup: {WHO}\n")
        assert "can neither continue nor undo that run. Nothing was changed." in done.stderr
        assert SCRIPT in done.stderr
        assert f"If the run created {tmp_path}/venv and nothing in it is yours" in done.stderr
        assert f"The record of the run is in {folder}" in done.stderr
    assert tree(tmp_path) == before


def test_of_a_run_without_root_s_part_only_the_folder_is_named(tmp_path: Path) -> None:
    leave_older_run(tmp_path)
    done = wizard(tmp_path, "rollback", "--yes")
    assert done.returncode == 2
    assert "delete that folder yourself" in done.stderr
    assert "UNDO.sh" not in done.stderr


def test_it_is_listed_and_the_others_are_too(tmp_path: Path) -> None:
    leave_older_run(tmp_path)
    assert wizard(tmp_path, "rollback", "--list").stdout == (
        f"{OLDER}  recorded by an older version of this program\n"
    )
    _, told = walk(tmp_path, "6 1 0")
    assert f"{OLDER}: recorded by an older version" in told
    assert WHO in " ".join(told.split())


def test_one_that_was_undone_is_in_nobody_s_way(tmp_path: Path) -> None:
    leave_older_run(tmp_path, state="rolled back")
    done = wizard(tmp_path, "rollback", "--yes")
    assert done.returncode == 2
    assert "There is no run to undo." in done.stderr


def test_apply_does_not_go_on_with_it(tmp_path: Path) -> None:
    leave_older_run(tmp_path, ROOTS_STEP)
    (tmp_path / "venv/bin").mkdir(parents=True)
    (tmp_path / "venv/bin/activate").touch()
    for version in ("", "3.8.1", "3.11.2"):  # cut off early, or what would be a venv of the user's
        if version:
            text = f"home = /usr/bin\nversion = {version}\n"
            (tmp_path / "venv/pyvenv.cfg").write_text(text)
        before = tree(tmp_path / "venv")
        done = wizard(
            tmp_path, "apply", "--stack", "cpu", "--venv", str(tmp_path / "venv"), "--yes"
        )
        assert done.returncode != 0
        assert WHO in done.stdout
        assert SCRIPT in done.stdout
        assert tree(tmp_path / "venv") == before


def test_what_only_looks_goes_on_without_it(tmp_path: Path) -> None:
    folder = leave_older_run(tmp_path)
    detected = json.loads(wizard(tmp_path, "detect", "--json").stdout)
    assert detected["runs"] == []
    words = f"{folder}/journal.jsonl was recorded by an older version of this program"
    assert {"unknown": words} in detected["unread"]
    line = f"{OLDER} recorded by an older version of this program"
    assert line in wizard(tmp_path, "report").stdout.splitlines()
    assert line in json.loads(wizard(tmp_path, "report", "--format", "json").stdout)["runs"]
    for command in (("diagnose",), ("plan", "--stack", "cpu")):
        done = wizard(tmp_path, *command)
        assert "Traceback" not in done.stderr
        assert done.stdout


def test_its_folder_may_be_used_again_once_it_is_gone(tmp_path: Path) -> None:
    leave_older_run(tmp_path)
    done = wizard(
        tmp_path, "apply", "--dry-run", "--stack", "cpu", "--venv", str(tmp_path / "venv")
    )
    assert done.returncode == 0
    assert Path(places_below(tmp_path).runs, OLDER).is_dir()
