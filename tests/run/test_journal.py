"""The journal tells how a run stands, also after a crash in the middle of a line."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.run.earlier_runs import OLDER, leave_older_run
from tests.run.places import places_below, plan_of
from wizard.core.journal import ROLLED_BACK, SCHEMA, Kind, OlderRun
from wizard.core.trouble import Trouble
from wizard.operations.install_python import InstallPython
from wizard.operations.write_file import WriteFile
from wizard.plan.form import plan_form
from wizard.plan.steps import Plan
from wizard.run.journal import Journal
from wizard.run.obstacles import run_to_resume
from wizard.run.runs import older_runs, read_record, read_records, unreadable_runs

PLAN = Plan(
    id="abc",
    kind=Kind.INSTALL,
    stack="cpu",
    footprint="venv",
    venv="/tmp/x",
    steps=(WriteFile("why", "/tmp/x", "/tmp/x/a", "text", 0o644),),
    download_bytes=None,
    installed_bytes=None,
    notes=(),
)


FORM: dict[str, Any] = plan_form(PLAN)
DAMAGED: tuple[dict[str, Any], ...] = (
    {"plan": FORM},
    *({"schema": n, "plan": FORM} for n in (SCHEMA + 1, 99, 0, -1, True, None, 2.0, "2")),
    *(
        {"schema": SCHEMA, "plan": {**FORM, name: wrong}}
        for name in ("kind", "cause", "takes_back", "stack")
        for wrong in (None, 1, ["install"])
    ),
    {"schema": SCHEMA, "plan": {**FORM, "kind": "way back"}},
    {"schema": SCHEMA, "plan": {name: FORM[name] for name in FORM if name != "kind"}},
)
"""What stands in the first line of journals that cannot be used."""


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
        b'{"event": "begin", "schema": 3}',
        b'{"event": "begin", "schema": 3, "plan": {"venv": "/x"}}',
        b'{"event": "begin", "schema": 3, "plan": 5}',
        b'{"event": "begin", "schema": 3, "plan": {"venv": 1, "stack": [], "id": {}, "steps": 0}}',
        b"\xff\xfe not a journal",
        *(json.dumps({"event": "begin", "time": "t", **each}).encode() for each in DAMAGED),
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
    assert older_runs(runs) == ()


@pytest.mark.parametrize(
    ("plan", "venv", "needs_root"),
    [
        ({**FORM, "steps": [{"kind": "x", "needs_root": True}]}, "/tmp/x", True),
        (FORM, "/tmp/x", False),
        ({"venv": 5, "steps": [5, {"needs_root": "yes"}]}, "", False),
        ({"steps": {"needs_root": True}}, "", False),
        (5, "", False),
        (None, "", False),
    ],
)
def test_a_journal_of_an_older_version_is_told_apart_whatever_its_plan_looks_like(
    tmp_path: Path, plan: object, venv: str, needs_root: bool
) -> None:
    file = tmp_path / "runs/one/journal.jsonl"
    file.parent.mkdir(parents=True)
    begin = json.dumps({"event": "begin", "schema": SCHEMA - 1, "plan": plan})
    file.write_text(f'{begin}\n{{"event": "state", "state": 5}}\n{{"event": "sta')
    run = OlderRun("one", str(file.parent), venv, needs_root, rolled_back=False)
    assert older_runs(tmp_path / "runs") == (run,)
    assert read_records(tmp_path / "runs") == ()
    assert unreadable_runs(tmp_path / "runs") == ()


def test_the_next_plan_for_the_folder_of_an_older_run_is_refused_until_that_is_gone(
    tmp_path: Path,
) -> None:
    leave_older_run(tmp_path)
    plan, runs = plan_of(tmp_path), Path(places_below(tmp_path).runs)
    assert run_to_resume(plan, (), older_runs(runs)) is None
    (tmp_path / "venv").mkdir()
    assert run_to_resume(plan, (), older_runs(runs)) is None
    (tmp_path / "venv/ours").touch()
    with pytest.raises(Trouble, match=f"Run {OLDER} was recorded by an older version"):
        run_to_resume(plan, (), older_runs(runs))
    # A run of this version that came later is gone on with.
    Journal(runs / "20260101-one").begin(plan, "t")
    assert run_to_resume(plan, read_records(runs), older_runs(runs)) is not None
    Journal(runs / "20260101-one").close(ROLLED_BACK, "t")
    assert run_to_resume(plan, read_records(runs), older_runs(runs)) is None


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
    step = InstallPython("why", "uv", "3.10", "/pythons", "https://me:hunter2@host/simple")
    assert "hunter2" not in str(step)
    journal = Journal(tmp_path / "run")
    journal.begin(replace(PLAN, steps=(step,)), "t")
    assert "hunter2" not in (journal.folder / "journal.jsonl").read_text()
