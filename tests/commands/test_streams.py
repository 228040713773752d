"""Standard output and error where no variable is set: their order, and an output that fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

from tests.commands.running import MACHINE, ROOT

LOOKS = ("--version", "--help", "detect", "detect --json", "about", "plan --stack cpu --json")


def clean(home: Path) -> dict[str, str]:
    """What ``env -i`` with a home leaves; nothing of Python's own."""
    return {"HOME": str(home), "PATH": os.defpath, "LANG": "C.UTF-8", "PYTHONPATH": str(ROOT)}


def ran(
    home: Path, words: str, stdout: IO[bytes] | int, stderr: int
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        (sys.executable, "-m", "wizard", *words.split()),
        env=clean(home),
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        text=True,
        check=False,
    )


def into_one_pipe(home: Path, words: str) -> list[str]:
    return ran(home, words, subprocess.PIPE, subprocess.STDOUT).stdout.splitlines()


def test_a_caution_stands_behind_the_request_that_it_is_about(tmp_path: Path) -> None:
    lines = into_one_pipe(tmp_path, "conv2d --demo --dry-run")
    caution = next(at for at, line in enumerate(lines) if line.startswith("The card drives"))
    assert lines[0] == "Nothing is started. The following would be measured:"
    assert lines[caution - 2].endswith("conv2d_worker.py measure --device cuda")


def test_what_was_not_written_is_told_behind_what_would_have_been(tmp_path: Path) -> None:
    folder = tmp_path / "report"
    lines = into_one_pipe(tmp_path, f"report --folder {folder} --machine {MACHINE}")
    assert "Nothing was written" in lines[-1]
    assert not folder.exists()


@pytest.mark.parametrize("words", LOOKS)
def test_a_reader_that_never_read_is_no_fault(tmp_path: Path, words: str) -> None:
    heard, said = os.pipe()
    os.close(heard)
    try:
        done = ran(tmp_path, words, said, subprocess.PIPE)
    finally:
        os.close(said)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("words", LOOKS)
def test_a_full_disk_below_the_output_is_told_in_words(tmp_path: Path, words: str) -> None:
    with Path("/dev/full").open("wb") as full:
        done = ran(tmp_path, words, full, subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr.startswith("rdna1-setup: ")
    assert "No space left on device" in done.stderr
    assert "Exception" not in done.stderr
