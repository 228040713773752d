"""``--demo`` and ``--dry-run`` go before a command and behind it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conv2d.sweeping import environ
from tests.conv2d.test_command import Home
from wizard.cli.options import COMMANDS, parser

MORE = {
    "explain": ("-",),
    "fetch": ("--stack", "cpu", "DIR"),
    "keep": ("--venv", "DIR", "A=B"),
}
"""What a command cannot do without."""


@pytest.mark.parametrize("command", COMMANDS)
def test_the_words_for_a_look_alone_stand_on_either_side_of_a_command(command: str) -> None:
    known = parser()
    words = (command, *MORE.get(command, ()))
    for word, field in (("--demo", "demo"), ("--dry-run", "dry_run")):
        assert getattr(known.parse_args((word, *words)), field)
        assert getattr(known.parse_args((*words, word)), field)
        assert not getattr(known.parse_args(words), field)


@pytest.mark.parametrize("word", ["--demo", "--dry-run"])
def test_neither_fills_a_folder(tmp_path: Path, word: str) -> None:
    folder = tmp_path / "folder"
    done = subprocess.run(
        (sys.executable, "-m", "wizard", "fetch", "--stack", "cpu", word, str(folder)),
        env=Home(tmp_path).variables(environ()),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert str(folder) in done.stdout
    assert not folder.exists()
