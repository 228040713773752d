"""A sweep that cannot start says what happened, what it means and what to do."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conv2d.sweeping import PATIENT, end_of, environ, events_of, sweep_of
from wizard.conv2d.sweep import ShapeStarted, StopReason, SweepDone
from wizard.conv2d.verdicts import Verdict


async def trouble_of(python: str, folder: Path, variables: dict[str, str]) -> StopReason:
    """The trouble of a sweep that measures nothing and gives no verdict."""
    done = end_of(await events_of(sweep_of(python, 3, 4), folder, variables))
    assert done.results == ()
    assert done.trouble is not None
    assert all((done.trouble.happened, done.trouble.meaning, done.trouble.next_step))
    return done.trouble


async def test_a_python_that_does_not_exist(tmp_path: Path) -> None:
    trouble = await trouble_of("/nowhere/bin/python", tmp_path, environ())

    assert "/nowhere/bin/python could not be started: No such file" in trouble.happened


async def test_a_python_that_may_not_be_run(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\n")

    assert "Permission denied" in (await trouble_of(str(python), tmp_path, environ())).happened


async def test_a_program_that_is_no_python(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho I am a shell script\nexit 4\n")
    python.chmod(0o755)

    trouble = await trouble_of(str(python), tmp_path, environ())
    assert "did not run the worker" in trouble.happened
    assert "ended with status 4" in trouble.happened
    assert "I am a shell script" in trouble.happened


async def test_a_python_without_torch(worker_python: str, tmp_path: Path) -> None:
    variables = {**environ(), "PYTHONPATH": str(tmp_path), "PYTHONNOUSERSITE": "1"}

    assert (await trouble_of(worker_python, tmp_path, variables)).happened.endswith("has no torch.")


async def test_a_torch_that_cannot_be_imported(worker_python: str, tmp_path: Path) -> None:
    trouble = await trouble_of(worker_python, tmp_path, environ(importing="raise"))

    assert "cannot enable executable stack" in trouble.happened
    assert "glibc 2.41" in trouble.meaning
    assert "patchelf --clear-execstack" in trouble.next_step


@pytest.mark.parametrize(
    ("fault", "seconds", "verdict", "words"),
    [
        ("hang", 0.2, Verdict.HUNG, "import torch did not finish within 0.2 s"),
        ("crash", 30.0, Verdict.CRASHED, "was killed by SIGSEGV"),
    ],
)
async def test_an_import_that_never_ends_or_crashes_is_a_verdict(
    worker_python: str, tmp_path: Path, fault: str, seconds: float, verdict: Verdict, words: str
) -> None:
    sweep = sweep_of(worker_python, 3, 4, deadlines=replace(PATIENT, imports=seconds))
    events = await events_of(sweep, tmp_path, environ(importing=fault))

    done = end_of(events)
    assert [result.verdict for result in done.results] == [verdict, Verdict.UNUSABLE]
    assert words in done.results[0].detail
    assert done.results[0].phase == "import"
    assert done.trouble is not None
    assert words in done.trouble.happened


@pytest.mark.parametrize("spawn", [False, True], ids=["fork", "spawn"])
async def test_a_torch_that_sees_no_card(worker_python: str, tmp_path: Path, spawn: bool) -> None:
    sweep = sweep_of(worker_python, 3, 4, device="cuda", spawn=spawn)

    done = end_of(await events_of(sweep, tmp_path))
    assert done.results == ()
    assert done.trouble is not None
    assert done.trouble.happened == "torch 0.0+fake finds no GPU."


async def test_nothing_is_launched_without_a_journal(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    events = await events_of(sweep_of(sys.executable, 3), tmp_path / "file" / "folder")

    done = end_of(events)
    assert not any(isinstance(event, ShapeStarted) for event in events)
    assert isinstance(done, SweepDone)
    assert done.trouble is not None
    assert "cannot be written: Not a directory" in done.trouble.happened
