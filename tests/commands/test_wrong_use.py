"""A mistyped command line is answered with the right usage and the word that was meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.running import MACHINE, wizard


@pytest.mark.parametrize(
    ("words", "usage", "told"),
    [
        ("plan --stak rocm52", "rdna1-setup plan", "--stak rocm52. Did you mean --stack?"),
        ("plan --stak=rocm52", "rdna1-setup plan", "--stak=rocm52. Did you mean --stack?"),
        ("conv2d --find-limits size", "rdna1-setup conv2d", "Did you mean --find-limit?"),
        ("conv2d --foregrund", "rdna1-setup conv2d", "Did you mean --foreground?"),
        ("detect --qqqq", "rdna1-setup detect", "error: unknown: --qqqq\n"),
        ("detect more words", "rdna1-setup detect", "error: unknown: more words\n"),
        ("detect -- more", "rdna1-setup detect", "error: unknown: "),
        ("--plein", "rdna1-setup", "error: unknown: --plein. Did you mean --plain?"),
        ("--plein detect", "rdna1-setup", "Did you mean --plain?"),
        ("detct", "rdna1-setup", "Did you mean detect?"),
        ("conv2d --device cdua", "rdna1-setup conv2d", "Did you mean cuda?"),
        ("plan --footprint venv+sytem", "rdna1-setup plan", "Did you mean venv+system?"),
    ],
)
def test_what_is_mistyped_gets_its_usage_and_a_suggestion(
    tmp_path: Path, words: str, usage: str, told: str
) -> None:
    ended = wizard(tmp_path, *words.split())
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"usage: {usage} [-h]")
    assert told in ended.stderr


def test_options_before_the_command_still_count(tmp_path: Path) -> None:
    assert wizard(tmp_path, "--machine", MACHINE, "plan", "--stack", "cpu").returncode == 0
    assert wizard(tmp_path, "plan", "--machine", MACHINE, "--stack", "cpu").returncode == 0


def test_help_shows_what_most_people_need_and_help_all_the_rest(tmp_path: Path) -> None:
    short = wizard(tmp_path, "conv2d", "--help").stdout
    whole = wizard(tmp_path, "conv2d", "--help-all").stdout
    for title in ("what to measure", "where", "deadlines", "searches", "results", "files"):
        assert any(line.startswith(title) for line in short.splitlines())
    assert "\n  --sizes N,N " in short
    assert "\n  --operations " in short
    for rare in ("--spawn", "--engine", "--import-deadline", "--even-if-in-use"):
        assert rare not in short
        assert f"\n  {rare}" in whole
    assert short.splitlines()[-1].endswith("rdna1-setup conv2d --help-all")
    assert "more options, rarely" not in whole
    assert wizard(tmp_path, "conv2d", "--help-all").returncode == 0
