"""Each run has a folder of its own; their names sort as the runs came, whatever the clock said."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

from wizard.run.journal import new_folder

NOON = datetime(2026, 11, 22, 12, 0, 0, tzinfo=timezone.utc)


def begin(runs: Path, time: datetime, plan: str) -> str:
    folder = new_folder(runs, time, plan)
    folder.mkdir()
    return folder.name


def test_a_run_is_named_by_its_time_and_its_plan(tmp_path: Path) -> None:
    assert new_folder(tmp_path / "none yet", NOON, "ab12cd34").name == "20261122-120000-ab12cd"


def test_a_clock_that_was_set_back_does_not_make_an_older_run_the_newest(tmp_path: Path) -> None:
    times = (NOON, NOON - timedelta(days=400), NOON - timedelta(hours=1), NOON + timedelta(hours=1))
    names = [begin(tmp_path, time, "ab12cd34") for time in times]
    assert names == sorted(names)
    assert names[-1] == "20261122-130000-ab12cd"


def test_runs_that_begin_within_a_second_sort_as_they_came(tmp_path: Path) -> None:
    names = [begin(tmp_path, NOON, plan) for plan in ("ff0000", "000000", "000000")]
    assert names == sorted(set(names))


def test_a_folder_that_is_no_run_counts_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "kept by me").mkdir()
    assert new_folder(tmp_path, NOON, "ab12cd34").name == "20261122-120000-ab12cd"
