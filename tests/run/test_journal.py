"""The journal tells how a run stands, also after a crash in the middle of a line."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from wizard.plan.steps import Plan, RunProgram, WriteFile
from wizard.run.journal import Journal
from wizard.run.records import read_record, read_records, unreadable_runs

PLAN = Plan(
    id="abc",
    stack="cpu",
    footprint="venv",
    venv="/tmp/x",
    steps=(WriteFile("why", "/tmp/x/a", "text", 0o644, "remove"),),
    download_bytes=None,
    installed_bytes=None,
    relogin_needed=False,
    notes=(),
)


def begun(folder: Path) -> Journal:
    journal = Journal(folder / "runs" / "one")
    journal.begin(PLAN, "2026-01-01T10:00:00+00:00")
    return journal


def test_a_step_that_was_begun_and_not_finished_counts_as_interrupted(tmp_path: Path) -> None:
    journal = begun(tmp_path)
    journal.intend(1, {"kind": "WriteFile"})
    record = read_record(journal.folder)
    assert record is not None
    assert record.interrupted == (1,)
    assert record.state == "unfinished"
    assert record.plan["steps"][0]["path"] == "/tmp/x/a"


def test_the_outcome_closes_the_step_and_the_state_closes_the_run(tmp_path: Path) -> None:
    journal = begun(tmp_path)
    journal.intend(1, {"kind": "WriteFile"})
    journal.finish(1, "4 bytes written")
    journal.close("finished", "2026-01-01T10:00:01+00:00")
    record = read_record(journal.folder)
    assert record is not None
    assert record.interrupted == ()
    assert record.outcomes == {1: "4 bytes written"}
    assert record.state == "finished"


def test_a_line_that_a_crash_cut_off_is_skipped_and_the_next_one_is_whole(tmp_path: Path) -> None:
    journal = begun(tmp_path)
    file = journal.folder / "journal.jsonl"
    with file.open("ab") as torn:
        torn.write(b'{"event": "outcome", "st')
    journal.intend(1, {"kind": "WriteFile"})
    record = read_record(journal.folder)
    assert record is not None
    assert record.interrupted == (1,)
    assert json.loads(file.read_bytes().splitlines()[-1])["event"] == "intent"


def test_runs_come_newest_first_and_foreign_folders_are_left_out(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    for name in ("20260101-100000-aaa", "20260301-100000-bbb"):
        Journal(runs / name).begin(PLAN, "t")
    (runs / "not-ours").mkdir()
    assert [record.id for record in read_records(runs)] == [
        "20260301-100000-bbb",
        "20260101-100000-aaa",
    ]


def test_without_a_state_folder_there_are_no_runs(tmp_path: Path) -> None:
    assert read_records(tmp_path / "runs") == ()


@pytest.mark.parametrize(
    "line",
    [
        b'{"event": "begin", "schema": 1}',
        b'{"event": "begin", "schema": 1, "plan": {"venv": "/x"}}',
        b'{"event": "begin", "schema": 1, "plan": 5}',
        b'{"event": "begin", "schema": 2, "plan": {"venv": "/x", "stack": "s", "id": "i"}}',
        b'{"event": "begin", "schema": 1, "plan": {"venv": 1, "stack": [], "id": {}, "steps": 0}}',
        b"\xff\xfe not a journal",
    ],
)
def test_a_journal_that_cannot_be_used_is_told_from_a_run_that_never_began(
    tmp_path: Path, line: bytes
) -> None:
    runs = tmp_path / "runs"
    for name, content in (("20260101-a", line + b"\n"), ("20260102-b", b""), ("20260103-c", b"{")):
        (runs / name).mkdir(parents=True)
        (runs / name / "journal.jsonl").write_bytes(content)
    assert read_records(runs) == ()
    assert unreadable_runs(runs) == ("20260101-a",)


def test_lines_with_missing_keys_are_left_out(tmp_path: Path) -> None:
    journal = begun(tmp_path)
    with (journal.folder / "journal.jsonl").open("ab") as file:
        for line in ({"event": "intent"}, {"event": "intent", "step": 1, "noted": 3}):
            file.write(json.dumps(line).encode() + b"\n")
        file.write(b'{"event": "outcome", "step": "1", "outcome": 2}\n{"event": "state"}\n')
    record = read_record(journal.folder)
    assert record is not None
    assert (record.intents, record.outcomes, record.state) == ({}, {}, "unfinished")


def test_a_step_that_is_begun_again_counts_as_interrupted_until_it_ends_again(
    tmp_path: Path,
) -> None:
    journal = begun(tmp_path)
    journal.intend(1, {"kind": "WriteFile"})
    journal.finish(1, "4 bytes written")
    journal.intend(1, {"kind": "WriteFile"})
    record = read_record(journal.folder)
    assert record is not None
    assert record.interrupted == (1,)


def test_a_login_in_an_address_is_not_written_down(tmp_path: Path) -> None:
    step = RunProgram("why", ("pip", "--index-url", "https://me:hunter2@host/simple"), "undo")
    assert "hunter2" not in str(step)
    journal = Journal(tmp_path / "run")
    journal.begin(replace(PLAN, steps=(step,)), "t")
    assert "hunter2" not in (journal.folder / "journal.jsonl").read_text()
