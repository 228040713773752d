"""The child that asks MIOpen: its environment, its deadline, and what becomes of it."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from wizard.conv2d.candidates import Candidates, NotAsked
from wizard.conv2d.shapes import Row, Shape
from wizard.conv2d.sweep import Deadlines, Sweep
from wizard.conv2d.worker import process
from wizard.conv2d.worker.questions import RESTART, ask_miopen

ROW = Row(Shape(16, 32, 64, 64))


@pytest.fixture
def environ(torch_folder: Path, tmp_path: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path / "home"),
        "PYTHONPATH": str(torch_folder),
    }


def sweep(python: str, seconds: float = 30.0) -> Sweep:
    return Sweep(python, (), deadlines=Deadlines(imports=seconds, first=seconds))


async def test_rows_under_several_settings_get_the_candidates_of_their_own(
    worker_python: str, environ: dict[str, str]
) -> None:
    off = ("MIOPEN_DEBUG_CONV_GEMM", "0")
    rows = (ROW, replace(ROW, setting=(off,)), Row(Shape(1, 1, 8, 8, dtype="float64")))
    plain, without, other = await ask_miopen(sweep(worker_python), rows, environ)
    assert isinstance(plain, Candidates)
    assert isinstance(without, Candidates)
    assert plain.names - without.names == {"GemmFwdRest"}
    assert dict(without.library.setting)[off[0]] == "0"
    assert "MIOPEN_USER_DB_PATH" in dict(without.library.setting)
    assert isinstance(other, NotAsked)
    cache = Path(environ["HOME"]) / ".cache" / "rdna1-setup" / "conv2d"
    assert list(cache.iterdir()) == []
    assert psutil.Process().children(recursive=True) == []


async def test_to_cancel_it_ends_the_child(worker_python: str, environ: dict[str, str]) -> None:
    hanging = {**environ, "FAKE_HANG": "64"}
    task = asyncio.create_task(ask_miopen(sweep(worker_python), (ROW,), hanging))
    while not psutil.Process().children():  # noqa: ASYNC110 - it is another process that begins
        await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert psutil.Process().children(recursive=True) == []


async def test_a_child_that_cannot_be_killed_is_left_and_told(
    worker_python: str, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[int] = []
    monkeypatch.setattr(process, "kill_tree", kept.append)
    monkeypatch.setattr(process, "LEAVE_SECONDS", 0.2)
    asking = ask_miopen(sweep(worker_python, 1.0), (ROW,), {**environ, "FAKE_HANG": "64"})
    (answer,) = await asking
    assert isinstance(answer, NotAsked)
    assert "did not answer within 1 s" in answer.why
    assert "The process cannot be killed (state sleeping)." in answer.why
    assert answer.next_step == RESTART
    for pid in kept:
        os.kill(pid, signal.SIGKILL)
        psutil.Process(pid).wait(5)
