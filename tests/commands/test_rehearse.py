"""``rehearse`` around its edges: where it is refused, and what it prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.running import MACHINE, wizard
from wizard.cli.rehearse import _print, _print_json
from wizard.overlay.changes import Counts
from wizard.overlay.rehearsed import Rehearsed


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "rehearse needs --stack or --app"),
        (("--app", "linear-algebra", "--without-groups"), "no root steps"),
        (("--app", "linear-algebra", "--dry-run"), "a dry run starts nothing"),
        (("--stack", "rocm52", "--dry-run"), "a dry run starts nothing"),
        (("--stack", "rocm52", "--machine", MACHINE), "a dry run starts nothing"),
        (("--stack", "rocm52", "--json"), "With --json"),
        (("--stack", "rocm52", "--snapshot", "sh"), "'sh' is not a snapshot tool"),
    ],
)
def test_what_is_not_to_be_rehearsed_is_refused(
    tmp_path: Path, words: tuple[str, ...], says: str
) -> None:
    done = wizard(tmp_path, "rehearse", *words)
    assert done.returncode == 2
    assert says in done.stderr
    assert list(tmp_path.iterdir()) == []


def outcome(folder: Path) -> Rehearsed:
    seen = {"kind": "file", "mode": 0o644, "owner": 0, "group": 0, "size": 1_000, "target": ""}
    file = folder / "changes.jsonl"
    records = ({"path": f"/opt/{n}", "how": "created", "after": seen} for n in range(300))
    file.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return Rehearsed("x", Counts(300, 0, 0, str(file)), Counts(0, 0, 0, ""), 0, 0, (), 5)


def test_the_numbers_come_before_the_list_and_the_list_has_an_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _print(outcome(tmp_path))
    lines = capsys.readouterr().out.splitlines()
    assert "300 new, 0 changed, 0 gone" in lines[1]
    assert "+ /opt/0 (file, 1 kB)" in lines
    assert lines[-2:] == [
        f"and 100 more: {tmp_path}/changes.jsonl",
        "The system itself was not changed.",
    ]


def test_json_names_the_file_that_has_the_whole_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _print_json(outcome(tmp_path))
    form = json.loads(capsys.readouterr().out)
    assert (form["schema"], form["event"], form["ok"]) == (1, "Rehearsed", True)
    assert form["there"] == {"created": 300, "changed": 0, "gone": 0} | {
        "file": f"{tmp_path}/changes.jsonl"
    }
