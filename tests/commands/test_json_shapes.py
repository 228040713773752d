"""The shape of what is printed for programs stays: the man page names its fields."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.commands.running import MACHINE, ROOT, answered, wizard
from tests.commands.test_apply import begin, run_folder
from tests.conftest import Golden

RUN = "20260101-a"


def shape(value: Any, depth: int = 2) -> Any:
    """The fields of a document and what they hold, without the values; a list by its fullest."""
    if isinstance(value, dict):
        fields = {name: shape(held, depth - 1) for name, held in sorted(value.items())}
        return fields if depth else "object"
    if isinstance(value, list):
        return sorted((shape(each, depth) for each in value), key=lambda one: -len(str(one)))[:1]
    return type(value).__name__


@pytest.mark.parametrize(
    ("name", "title", "words"),
    [
        ("rollback-list", "rollback --list --json", "rollback --list --json"),
        ("about", "about --json", "about --json"),
        ("about-topic", "about TOPIC --json", "about games --json"),
        ("about-approaches", "about TOPIC --json", "about approaches --json"),
        ("report", "report --json", f"report --json --machine {MACHINE}"),
    ],
)
def test_the_fields_are_as_agreed_and_the_man_page_names_them(
    tmp_path: Path, golden: Golden, name: str, title: str, words: str
) -> None:
    run_folder(tmp_path, RUN, begin(tmp_path))
    run_folder(tmp_path, "20260102-b", {"event": "begin", "schema": 99, "plan": {}})
    ended = wizard(tmp_path, *words.split())
    assert (ended.returncode, ended.stderr) == (0, "")
    document = json.loads(ended.stdout)
    golden.check(f"json/{name}.json", json.dumps(shape(document), indent=1) + "\n")
    page = (ROOT / "assets" / "man" / "rdna1-setup.1").read_text("utf-8").replace("\\-", "-")
    section = page.partition(".SH FOR OTHER PROGRAMS")[2]
    told = re.search(rf"^{title}\n(.+)$", section, re.MULTILINE)
    assert told is not None
    assert set(document) - {"schema"} <= set(re.findall(r"\w+", told[1]))


def test_the_list_of_runs_tells_what_the_text_tells(tmp_path: Path) -> None:
    run_folder(tmp_path, RUN, begin(tmp_path))
    form = json.loads(wizard(tmp_path, "rollback", "--list", "--json").stdout)
    (run,) = form["runs"]
    text = wizard(tmp_path, "rollback", "--list").stdout
    assert text == f"{run['id']}  {run['name']}  {run['venv']}  {run['state']}\n"
    alone = wizard(tmp_path, "rollback", "--json")
    assert (alone.returncode, alone.stdout) == (2, "")
    assert "--json only works with --list" in alone.stderr


@pytest.mark.parametrize(("more", "happened"), [((), "removed"), (("--forget",), "changed")])
def test_without_a_terminal_a_rollback_says_what_confirms_it(
    tmp_path: Path, more: tuple[str, ...], happened: str
) -> None:
    run_folder(tmp_path, RUN, begin(tmp_path))
    ended = wizard(tmp_path, "rollback", RUN, *more)
    assert ended.returncode == 2
    assert (
        f"Nothing was {happened}, because there is no terminal in which to prompt" in ended.stderr
    )
    command = ended.stderr.splitlines()[-1].strip()
    assert command == " ".join(("rdna1-setup rollback", RUN, *more, "--yes"))
    declined = answered(tmp_path, "n", "rollback", RUN, *more)
    assert declined.returncode == 2
    assert declined.stderr.endswith(f"Nothing was {happened}.\n")
    assert wizard(tmp_path, *command.split()[1:]).returncode == 0
