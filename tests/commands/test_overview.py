"""Without a terminal: one page of this machine, on every machine that was recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.running import ROOT, wizard

MACHINES = sorted(path.name for path in (ROOT / "tests" / "machines").iterdir())
MOST_LINES = 40


@pytest.mark.parametrize("name", MACHINES)
def test_the_overview_is_one_page_with_verdict_recommendation_and_commands(
    tmp_path: Path, name: str
) -> None:
    ended = wizard(tmp_path, "--machine", str(ROOT / "tests" / "machines" / name))
    assert ended.returncode == 0, ended.stderr
    lines = ended.stdout.splitlines()
    assert len(lines) <= MOST_LINES
    assert all(len(line) <= 79 for line in lines)
    assert lines[0] == "rdna1-setup: DRY RUN, nothing is changed"
    assert lines[1] == f"RECORDED MACHINE {name}: not this computer"
    text = ended.stdout
    for word in ("== Recommended", "rdna1-setup plan --stack ", "Size:  ", "Root:  ", "Undo:  "):
        assert word in text
    for command in ("plan", "detect", "diagnose", "conv2d", "about"):
        assert f"rdna1-setup {command}  " in text


def test_the_overview_and_diagnose_name_the_same_problems(tmp_path: Path) -> None:
    words = ("--machine", str(ROOT / "tests" / "machines" / "rx5500xt-apu-vga"))
    page = wizard(tmp_path, *words).stdout
    assert page.splitlines()[3].startswith("2 problems found with your RX 5500 XT (gfx1012).")
    assert "3 warnings: `rdna1-setup diagnose` explains them." in page
    found = wizard(tmp_path, "diagnose", *words).stdout
    listed = page.split("== Needs attention\n")[1].split("\n\n")[0].splitlines()
    assert [line.partition(":")[0] for line in listed] == ["FAULT"] * 2 + ["WARNING"] * 3
    assert all(line.partition(": ")[2] in " ".join(found.split()) for line in listed)


def test_this_machine_gets_a_page_too_and_its_commands_keep_what_was_named(tmp_path: Path) -> None:
    there = str(tmp_path / "torch here")
    ended = wizard(tmp_path, "--venv", there)
    assert ended.returncode == 0
    assert len(ended.stdout.splitlines()) <= MOST_LINES
    assert ended.stdout.splitlines()[0] == "rdna1-setup: nothing is changed"
    assert f"--venv '{there}'" in ended.stdout
