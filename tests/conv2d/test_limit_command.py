"""The search for a limit from the command line: what it must be told, and what it tells."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conv2d.sweeping import environ
from tests.conv2d.test_command import Home
from wizard.conv2d.search.limit import Known, Limit
from wizard.report.conv2d import limit_lines

SEARCH = ("--device", "cpu", "--channels", "16-2", "--sizes", "8", "--find-limit", "size")


def test_a_limit_is_found_and_told(worker_python: str, tmp_path: Path) -> None:
    asked = (
        "--python",
        worker_python,
        *SEARCH,
        "--range",
        "1-6",
        "--hangs",
        "1",
        "--deadline",
        "1",
    )
    manifest = environ(limits={"any": 4})
    code, output, _ = Home(tmp_path).run(*asked, **manifest)
    assert code == 1
    assert "Limit of size: 4 passes (3 of 3 times), 5 does not." in output
    assert "0 of 3 hung; up to 63 % of tries may still fail (95 % sure)" in output.replace(
        "\n", " "
    )
    code, output, _ = Home(tmp_path).run(*asked, "--json", **manifest)
    limit = json.loads(output)["limit"]
    assert (limit["known"]["passes"], limit["known"]["hangs"], limit["edge_runs"]) == (4, 5, 3)


def test_a_dry_run_says_how_far_it_would_go(tmp_path: Path) -> None:
    asked = ("--dry-run", "--python", "python3", *SEARCH, "--hangs", "2", "--range", "8-64")
    code, output, _ = Home(tmp_path).run(*asked)
    assert code == 0
    assert "Nothing is started." in output
    assert (
        "This would search for the largest size from 8 to 64 that passes, allowing at most 2"
        in output
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--hangs", "0"), "--hangs 3"),
        (("--hangs", "99"), "--hangs 3"),
        (("--hangs", "1", "--range", "9-3"), "write it like 1-256"),
        (("--hangs", "1", "--range", "all"), "write it like 1-256"),
    ],
)
def test_what_is_missing_is_asked_for(tmp_path: Path, options: tuple[str, ...], said: str) -> None:
    code, _, errors = Home(tmp_path).run("--python", "python3", *SEARCH, *options)
    assert code == 2
    assert said in errors


@pytest.mark.parametrize(
    ("known", "edge", "said"),
    [
        (Known(64, 65, 3), (3, 3), "64 passes (3 of 3 times), the largest you asked for."),
        (Known(42, 43, 2), (2, 3), "42 passes (2 of 3 times), 43 does not."),
        (Known(42, 43, 2), (2, 3), "42 is flaky: 1 of 3 failed. Stay well below that value."),
        (Known(0, 1, 2), (0, 0), "1, the smallest value you asked for, does not pass."),
        (Known(32, 48, 0), (1, 3), "32 passes, but 48 does not. The limit on hangs was reached."),
    ],
)
def test_every_end_has_its_words(known: Known, edge: tuple[int, int], said: str) -> None:
    assert said in " ".join(limit_lines(Limit("size", 64, known, *edge)))
