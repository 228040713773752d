"""What earlier runs of this wizard left."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.machine.records import make
from wizard.core.fact import Unknown
from wizard.core.journal import SCHEMA
from wizard.machine.facts import OwnRun
from wizard.machine.own_runs import OWN_RUNS, RUN_LIMIT, read_own_runs

INSTALL = {"kind": "install", "cause": "", "takes_back": ""}
RUNS = "/home/owner/.local/state/rdna1-setup/runs"


def journal(*states: str, venv: str = "/home/owner/ai/rocm52") -> str:
    """A journal of a run of one step, closed with these states."""
    steps = [{"kind": "WriteFile"}]
    plan = {"id": "3f9a", **INSTALL, "stack": "rocm52", "venv": venv, "steps": steps}
    lines: list[object] = [{"event": "begin", "schema": SCHEMA, "time": "2026", "plan": plan}]
    lines += [{"event": "state", "state": state} for state in states]
    return "".join(f"{json.dumps(line)}\n" for line in lines)


@pytest.mark.parametrize(
    ("states", "told"),
    [
        ((), "unfinished"),
        (("unfinished",), "unfinished"),
        (("unfinished", "finished"), "finished"),
        (("finished", "partly rolled back"), "partly undone"),
        (("finished", "partly rolled back", "rolled back"), "undone"),
        (("a state of a later version",), "unfinished"),
    ],
)
def test_a_run_tells_how_it_stands(states: tuple[str, ...], told: str, tmp_path: Path) -> None:
    host = make(tmp_path, {f"{RUNS}/20261101-1200/journal.jsonl": journal(*states)})

    assert read_own_runs(host).value == (
        OwnRun("20261101-1200", "/home/owner/ai/rocm52", "rocm52", "rocm52", told),
    )


def test_a_run_is_called_by_what_it_was_for(tmp_path: Path) -> None:
    other = {"kind": "fix", "stack": "", "cause": "noop-setting"}
    text = journal().replace('"install"', '"fix"').replace('"stack": "rocm52"', '"stack": ""')
    text = text.replace('"cause": ""', '"cause": "noop-setting"')
    assert json.loads(text.splitlines()[0])["plan"].items() >= other.items()

    host = make(tmp_path, {f"{RUNS}/20261101/journal.jsonl": text})

    (run,) = read_own_runs(host).value
    assert (run.name, run.stack) == ("fix noop-setting", "")


def test_a_journal_of_an_older_version_is_unread_and_says_so(tmp_path: Path) -> None:
    path = f"{RUNS}/20261101/journal.jsonl"
    text = journal("finished").replace(f'"schema": {SCHEMA}', f'"schema": {SCHEMA - 1}')

    found = read_own_runs(make(tmp_path, {path: text}))

    words = f"{path} was recorded by an older version of this program"
    assert (found.value, found.unread) == ((), (Unknown(words),))


def test_the_newest_run_comes_first(tmp_path: Path) -> None:
    files = {f"{RUNS}/2026110{day}/journal.jsonl": journal() for day in (1, 3, 2)}

    assert [run.id for run in read_own_runs(make(tmp_path, files)).value] == [
        "20261103",
        "20261102",
        "20261101",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "\n",
        "{}\n",
        "not json\n",
        "[" * 100_000 + "\n",
        '{"event": "begin", "schema": 99, "plan": {}}\n',
        journal().replace(f'"schema": {SCHEMA}', '"schema": "1"'),
        journal().replace(f'"schema": {SCHEMA}, ', ""),
        "\x00\xff\n",
        journal()[1:],
    ],
)
def test_a_damaged_journal_is_unread_and_the_others_are_told(text: str, tmp_path: Path) -> None:
    damaged = f"{RUNS}/20261102/journal.jsonl"
    host = make(tmp_path, {f"{RUNS}/20261101/journal.jsonl": journal(), damaged: text})

    found = read_own_runs(host)

    assert [run.id for run in found.value] == ["20261101"]
    assert found.unread == (
        (Unknown(f"{damaged} is damaged or was written by a newer version"),)
        if text.strip()
        else ()
    )


@pytest.mark.parametrize("text", ["", journal().rstrip("\n"), '{"event": "beg'])
def test_a_run_whose_first_line_never_reached_the_disk_did_not_begin(
    text: str, tmp_path: Path
) -> None:
    found = read_own_runs(make(tmp_path, {f"{RUNS}/20261101/journal.jsonl": text}))

    assert (found.value, found.unread) == ((), ())


def test_a_journal_without_permission_is_unread(tmp_path: Path) -> None:
    path = f"{RUNS}/20261101/journal.jsonl"

    found = read_own_runs(make(tmp_path, {path: journal()}, unreadable=[path]))

    assert found.unread == (Unknown(f"no permission to read {path}"),)


def test_the_state_folder_may_be_elsewhere(tmp_path: Path) -> None:
    files = {"/data/state/rdna1-setup/runs/20261101/journal.jsonl": journal("finished")}

    host = make(tmp_path, files, environ={"XDG_STATE_HOME": "/data/state"})

    assert len(read_own_runs(host).value) == 1


def test_only_the_newest_runs_are_read(tmp_path: Path) -> None:
    files = {f"{RUNS}/{number:04}/journal.jsonl": journal() for number in range(RUN_LIMIT + 3)}

    assert len(read_own_runs(make(tmp_path, files)).value) == RUN_LIMIT


def test_runs_are_told_with_their_folders(tmp_path: Path) -> None:
    host = make(tmp_path, {f"{RUNS}/20261101/journal.jsonl": journal("finished")})

    assert OWN_RUNS.tell(read_own_runs(host).value) == (
        "1, the newest finished",
        ("20261101: rocm52 in /home/owner/ai/rocm52, finished",),
    )
