"""Completions: paths stay paths, and stacks, topics, runs and the like are known."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from tests.documents.made import ROOT
from tests.run.places import places_below
from wizard.knowledge.stacks import load_stacks

BASH = ROOT / "assets" / "completions" / "rdna1-setup.bash"
COMPLETE = """
source {script}
COMP_WORDS=({words}) COMP_CWORD={place}
_shtab_rdna1_setup rdna1-setup {word} {before} 2>/dev/null
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def completed(home: Path, line: str) -> list[str]:
    """What bash offers for the last word of a line; a blank at its end begins a new one."""
    words = [*shlex.split(line), *([""] if line.endswith(" ") else [])]
    quoted = list(map(shlex.quote, words))
    script = COMPLETE.format(
        script=shlex.quote(str(BASH)),
        words=" ".join(quoted),
        place=len(words) - 1,
        word=quoted[-1],
        before=quoted[-2],
    )
    done = subprocess.run(
        ("/bin/bash", "-c", script),
        cwd=home,
        env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
        timeout=20,
    )
    return done.stdout.split("\n")[:-1]


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("plan --stack rocm5", ["rocm52", "rocm57"]),
        ("apply --stack nat", ["native"]),
        ("plan --app comf", ["comfyui"]),
        ("plan --preset GEMM", ["GEMM\\ only"]),
        ("conv2d --preset notes002", ["notes002", "notes002-sizes"]),
        ("about appr", ["approaches"]),
        ("diagnose --fix kfd-p", ["kfd-permission"]),
        ("plan --footprint venv+", ["venv+system"]),
        ("conv2d --spaw", ["--spawn"]),
    ],
)
def test_bash_offers_the_words_that_are_known(
    tmp_path: Path, line: str, offered: list[str]
) -> None:
    found = completed(tmp_path, f"rdna1-setup {line}")
    assert found
    assert set(found) <= set(offered)
    assert offered[0] in found


def test_bash_offers_the_runs_that_are_there(tmp_path: Path) -> None:
    places = places_below(tmp_path)
    (Path(places.runs) / "20260101-000000-aaaaaa").mkdir(parents=True)
    (Path(places.conv2d) / "runs" / "20260202-000000-bbbbbb").mkdir(parents=True)
    assert completed(tmp_path, "rdna1-setup rollback 2") == ["20260101-000000-aaaaaa"]
    for option in ("--run", "--attach"):
        assert completed(tmp_path, f"rdna1-setup conv2d {option} ") == ["20260202-000000-bbbbbb"]


@pytest.mark.parametrize(
    "line",
    [
        *("plan --machine ", "plan --wheelhouse ", "plan --venv ", "fetch ", "report --record "),
        *("conv2d --layers ", "conv2d --import ", "explain ", "apply --plan ", "--machine "),
    ],
)
def test_bash_offers_paths_where_a_path_is_expected(tmp_path: Path, line: str) -> None:
    (tmp_path / "some folder").mkdir()
    assert [path.rstrip("/") for path in completed(tmp_path, f"rdna1-setup {line}so")] == [
        "some folder"
    ]


def test_bash_falls_back_to_paths() -> None:
    last = BASH.read_text("utf-8").rstrip().splitlines()[-1]
    assert last == "complete -o default -o bashdefault -F _shtab_rdna1_setup rdna1-setup"


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_shells_are_told_the_same_words(shell: str) -> None:
    text = (BASH.parent / f"rdna1-setup.{shell}").read_text("utf-8")
    assert " ".join(sorted(stack.id for stack in load_stacks())) in text
    assert "approaches" in text
    assert "rdna1-setup/runs" in text
    assert "rdna1-setup/conv2d/runs" in text
    assert ("_files -/" if shell == "zsh" else "__fish_complete_directories") in text
