"""The journal: on disk before a launch, and enough to go on with."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.conv2d.sweeping import small, sweep_of
from wizard.conv2d.journal import Journal, JournalBusy, open_journal
from wizard.conv2d.requests import journal_of
from wizard.conv2d.shapes import Published
from wizard.conv2d.verdicts import Loaded, Result, Verdict

RESULT = Result(
    shape=small(3).shape,
    engine="miopen",
    verdict=Verdict.WRONG,
    detail="off by one",
    runs=2,
    loaded=Loaded("2.0", "5.2", "card", "gfx1030", ("/lib/a.so",), (("HSA_X", "1"),)),
    cold_s=0.5,
    warm_s=0.1,
    max_abs_error=1.0,
    nonfinite=0,
    tolerance=1e-5,
    memory_bytes=12,
    process="fork",
    published=Published("hung", None, None, None, "text", "source"),
)


def lines_of(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new" / "folder" / "sweep.jsonl"


def left_by_a_frozen_machine(path: Path, launches: list[int], results: list[int]) -> None:
    """A journal whose process never got to close it."""
    journal = open_journal(path, resume=True)
    for index in launches:
        journal.launch(index, "fork")
        if index in results:
            journal.outcome(index, RESULT)
    journal.file.close()


def test_a_launch_is_on_disk_once_it_is_synchronised(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda _: synced.append(path.read_text()))
    journal = open_journal(path, resume=True)
    journal.launch(4, "fork")
    journal.sync()

    assert json.loads(synced[0].splitlines()[-1]) == {"launch": 4, "process": "fork"}
    journal.close()


def test_results_come_back_as_they_were_written(path: Path) -> None:
    left_by_a_frozen_machine(path, [0], [0])

    journal = open_journal(path, resume=True)
    assert journal.results == {0: RESULT}
    assert journal.lost == {}
    journal.close()


@pytest.mark.parametrize(
    "of_shape",
    [{"dtype": "float8_e4m3fn"}, {"c_in": 0}, {"groups": 0}, {"h": "4"}, {"later": 1}, None],
    ids=str,
)
def test_a_verdict_of_another_version_or_a_damaged_one_is_measured_anew(
    path: Path, of_shape: dict[str, object] | None
) -> None:
    left_by_a_frozen_machine(path, [0, 1], [0, 1])
    lines = lines_of(path)
    written = next(line for line in lines if line.get("outcome") == 1)
    shape = written["result"]["shape"]  # type: ignore[index]
    written["result"]["shape"] = None if of_shape is None else {**shape, **of_shape}  # type: ignore[index]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))

    journal = open_journal(path, resume=True)
    known = {0, 1} if of_shape == {"later": 1} else {0}  # a field more does no harm
    assert journal.results.keys() == known
    journal.close()


def test_a_launch_without_an_outcome_is_counted_as_lost_once_each_time(path: Path) -> None:
    left_by_a_frozen_machine(path, [0, 1], [0])
    once = open_journal(path, resume=True)
    assert once.lost == {1: 1}
    once.close()
    untouched = open_journal(path, resume=True)
    assert untouched.lost == {1: 1}
    untouched.launch(1, "fork")
    untouched.file.close()

    twice = open_journal(path, resume=True)
    assert twice.lost == {1: 2}
    twice.close()


def test_a_shape_that_we_stopped_ourselves_is_not_lost(path: Path) -> None:
    journal = open_journal(path, resume=True)
    journal.launch(0, "fork")
    journal.close()

    again = open_journal(path, resume=True)
    assert again.lost == {}
    again.close()


def test_a_torn_last_line_is_passed_over(path: Path) -> None:
    left_by_a_frozen_machine(path, [0, 1], [0, 1])
    path.write_bytes(path.read_bytes()[:-20])

    journal = open_journal(path, resume=True)
    assert set(journal.results) == {0}
    assert journal.lost == {1: 1}
    journal.outcome(1, RESULT)
    journal.close()
    again = open_journal(path, resume=True)
    assert set(again.results) == {0, 1}
    again.close()


@pytest.mark.parametrize("resume", [True, False])
def test_a_finished_sweep_or_an_unwanted_one_starts_afresh(path: Path, resume: bool) -> None:
    left_by_a_frozen_machine(path, [0], [0])
    if resume:
        finished = open_journal(path, resume=True)
        finished.finish()
        finished.close()

    journal = open_journal(path, resume=resume)
    assert journal.results == {}
    assert lines_of(path) == [{"journal": 1}]
    journal.close()


def test_two_processes_never_share_a_journal(path: Path) -> None:
    first: Journal = open_journal(path, resume=True)
    with pytest.raises(JournalBusy):
        open_journal(path, resume=True)
    first.close()


def test_the_same_request_has_the_same_journal_and_another_setting_another() -> None:
    home = {"HOME": "/home/sam", "PATH": "/bin"}
    sweep = sweep_of("/venv/bin/python", 3, 4)

    path = journal_of(sweep, home)
    assert path.parent == Path("/home/sam/.local/state/rdna1-setup/conv2d")
    assert path == journal_of(sweep, {**home, "PATH": "/usr/bin"})
    others = (
        journal_of(sweep, {**home, "MIOPEN_FIND_MODE": "2"}),
        journal_of(sweep_of("/venv/bin/python", 3), home),
        journal_of(sweep_of("/other/bin/python", 3, 4), home),
    )
    assert len({path, *others}) == 4
    state = {**home, "XDG_STATE_HOME": "/state"}
    assert journal_of(sweep, state).parent == Path("/state/rdna1-setup/conv2d")
