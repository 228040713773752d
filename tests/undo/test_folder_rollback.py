"""What the way back shows, and what it leaves alone while it goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run.places import plan_of
from tests.undo.replacing import KEPT, SITE, again, back, replaced
from wizard.core.events import CHECKED, RESTORED
from wizard.core.journal import Record
from wizard.operations.install_wheels import InstallWheels
from wizard.operations.write_file import WriteFile
from wizard.plan.form import plan_form
from wizard.run.executor import now
from wizard.run.journal import Journal, Owned
from wizard.run.rollback import roll_back_folder
from wizard.run.rollback_folder import find_folder_rollback
from wizard.run.runs import read_record


def test_a_program_that_writes_into_the_folder_meanwhile_is_no_change_of_plan(venv: Path) -> None:
    record, _ = replaced(venv)
    way = find_folder_rollback(record)
    (venv / "log.txt").write_text("a line")
    assert roll_back_folder(way, record, now()) == ()
    assert (venv / "log.txt").read_text() == "a line"


def test_each_file_is_counted_first_as_checked_then_as_removed_or_restored(venv: Path) -> None:
    record, _ = replaced(venv)
    way = find_folder_rollback(record)
    heard: list[tuple[int, int, str]] = []
    roll_back_folder(way, record, now(), lambda *told: heard.append(told))
    checked = [told for told in heard if told[2] == CHECKED]
    moved = [told for told in heard if told[2] == RESTORED]
    assert heard == [*checked, *moved]
    for told in (checked, moved):
        assert [done for done, _, _ in told] == list(range(1, told[0][1] + 1))
    assert len(moved) == len(way.remove) + sum(len(each.awaited) for each in way.set_aside)


def test_a_file_of_ours_that_was_edited_and_put_back_is_ours_again(tmp_path: Path) -> None:
    """As ``keep`` and its own way back leave it: the same text, written later."""
    venv, run = tmp_path / "venv", tmp_path / "run"
    (venv / "bin").mkdir(parents=True)
    run.mkdir()
    starter, edited = venv / "bin/rdna1-python", venv / "pip.conf"
    plan = plan_of(
        tmp_path,
        *(WriteFile("r", str(tmp_path / "venv"), str(p), "ours", 0o644) for p in (starter, edited)),
    )
    Owned(run).add({"bin/rdna1-python": (4, 1), "pip.conf": (4, 1)})
    starter.write_text("ours")
    edited.write_text("mine")
    way = find_folder_rollback(
        Record("1", str(run), "now", plan_form(plan), {1: "", 2: ""}, {}, "finished")
    )
    assert way.remove == ("bin/rdna1-python",)
    assert way.changed == ("pip.conf",)


def test_the_cache_of_a_uv_that_was_killed_goes_whole_and_is_nobodys_file(tmp_path: Path) -> None:
    venv, run = tmp_path / "venv", tmp_path / "run"
    (venv / "bin").mkdir(parents=True)
    (venv / "mine.txt").write_text("mine")
    step = InstallWheels("r", "/uv", str(venv), str(tmp_path / "wheels"), "lock")
    (Path(step.cache) / "archive-v0/empty").mkdir(parents=True)
    (Path(step.cache) / "archive-v0/torch.so").write_text("half")
    plan = plan_of(tmp_path, step)
    Journal(run).begin(plan, "now")
    Journal(run).intend(1, {"kind": "InstallWheels"})
    record = read_record(run)
    assert record is not None
    way = find_folder_rollback(record)
    assert (way.folders, way.kept) == ((step.cache,), 1)
    assert roll_back_folder(way, record, now()) == ()
    assert not Path(step.cache).exists()
    assert (venv / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize("step", [{}, {"path": 1, "content": ""}, {"path": "/x"}], ids=str)
def test_a_step_of_a_damaged_journal_that_lacks_its_words_wrote_nothing(
    tmp_path: Path, step: dict[str, object]
) -> None:
    form = plan_form(plan_of(tmp_path))
    form["steps"] = [{"kind": "WriteFile", **step}]
    (tmp_path / "run").mkdir()
    way = find_folder_rollback(
        Record("1", str(tmp_path / "run"), "now", form, {1: ""}, {}, "finished")
    )
    assert way.remove == ()


def test_empty_folders_that_the_user_made_since_stay(venv: Path) -> None:
    record, _ = replaced(venv)
    (venv / SITE / "outputs").mkdir()
    (venv / "share/mine").mkdir(parents=True)
    assert back(record) == ()
    assert (venv / SITE / "outputs").is_dir()
    assert (venv / "share/mine").is_dir()
    assert not (venv / SITE / "extra-1.0.dist-info").exists()


def test_nothing_is_kept_through_a_link(venv: Path, tmp_path: Path) -> None:
    record, _ = replaced(venv)
    (venv / "pip.conf").write_text("changed by me")
    (tmp_path / "elsewhere").mkdir()
    (venv / KEPT).symlink_to(tmp_path / "elsewhere")
    assert any("is a link" in problem for problem in back(record))
    assert (venv / "pip.conf").read_text() == "changed by me"
    (venv / KEPT).unlink()
    assert back(again(Path(record.folder))) == ()
    assert (venv / KEPT / "pip.conf").read_text() == "changed by me"
    assert (venv / "pip.conf").read_text() == "[global]\ntimeout = 60\n"


def test_a_name_with_a_line_end_stays_on_its_line(venv: Path) -> None:
    record, _ = replaced(venv)
    odd = venv / SITE / "torch-2.0.dist-info/odd\nname"
    odd.write_text("mine")
    (line,) = (each for each in str(find_folder_rollback(record)).splitlines() if "odd" in each)
    assert line.startswith("move ")
    assert "odd?name, which you changed" in line
