"""The worker against real torch, on the processor: RDNA1_SETUP_TORCH_PYTHONS names Pythons."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
from pathlib import Path

import psutil
import pytest

from tests.commands.test_card_test import SAFE, Owner
from tests.e2e.homes import SOURCE, Home

pytestmark = pytest.mark.e2e

PYTHONS = [path for path in os.environ.get("RDNA1_SETUP_TORCH_PYTHONS", "").split(":") if path]
WHY_NONE = "RDNA1_SETUP_TORCH_PYTHONS names no Python that has torch (split by colons)"
MANY = ("--sizes", "32,44,48,64", "--channels", "16-32,32-64")


@pytest.fixture(params=PYTHONS or [""])
def torch_python(request: pytest.FixtureRequest) -> str:
    """A Python that has torch."""
    if not request.param:
        pytest.skip(WHY_NONE)
    return str(request.param)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def results_of(output: str) -> list[dict[str, object]]:
    results: list[dict[str, object]] = json.loads(output)["results"]
    return results


@pytest.mark.parametrize("mode", [(), ("--spawn",)], ids=["fork", "spawn"])
def test_every_shape_is_measured_and_right(
    home: Home, torch_python: str, mode: tuple[str, ...]
) -> None:
    shapes = MANY if mode else ()
    command = ("conv2d", "--python", torch_python, "--device", "cpu", "--json", *mode, *shapes)
    done = home.run(*command)

    assert done.returncode == 0, done.stdout + done.stderr
    results = results_of(done.stdout)
    assert len(results) == (8 if mode else 15)
    for result in results:
        assert result["verdict"] == "pass"
        assert 0 < float(str(result["max_abs_error"])) <= float(str(result["tolerance"]))
        assert result["process"] == ("spawn" if mode else "fork")
        assert str(result["torch"])[0].isdigit()
        assert result["device"] == "cpu"


@pytest.mark.parametrize("preset", ["notes000-kernels", "notes000-batches", "notes002"])
def test_presets_are_measured_and_right(home: Home, torch_python: str, preset: str) -> None:
    done = home.run("conv2d", "--python", torch_python, "--device", "cpu", "--preset", preset)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "Published" not in done.stdout.splitlines()[0]
    assert "graphics card" in done.stdout, "it says that published figures are for cards"


def test_what_a_card_is_checked_with_is_right_on_a_processor(torch_python: str) -> None:
    program = (
        "import torch\n"
        "from assets.conv2d_worker import is_healthy\n"
        "class Channel:\n"
        "    def tell(self, event, **fields): print(event, fields)\n"
        "print(is_healthy(torch, Channel(), 'cpu', 7))\n"
    )
    asked = (torch_python, "-W", "ignore", "-c", program)
    done = subprocess.run(asked, cwd=SOURCE, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [
        "phase {'ticket': 7, 'phase': 'sum'}",
        "phase {'ticket': 7, 'phase': 'product'}",
        "health {'ticket': 7, 'wrong': []}",
        "True",
    ], done.stderr


def test_killed_half_way_and_run_again_it_ends_the_same(home: Home, torch_python: str) -> None:
    command = ("conv2d", "--python", torch_python, "--device", "cpu", "--json", "--foreground")
    with home.start(*command) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("5/15 "):
                break
        workers = [os.pidfd_open(p.pid) for p in psutil.Process(process.pid).children(True)]
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=20)
    assert workers
    for worker in workers:
        assert select.select([worker], [], [], 20)[0]
        os.close(worker)

    again = home.run(*command)
    assert again.returncode == 0, again.stdout + again.stderr
    assert "Continuing an unfinished measurement" in again.stderr
    results = results_of(again.stdout)
    assert [result["verdict"] for result in results] == ["pass"] * 15


def test_a_test_of_the_card_takes_no_processor_for_it(
    torch_python: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if Path("/dev/kfd").exists() or Path("/dev/nvidia0").exists():
        pytest.skip("this machine has a card")
    owner = Owner(tmp_path, monkeypatch)
    assert owner.start("--python", torch_python, *SAFE) == 2
    errors = capsys.readouterr().err
    assert "finds no GPU" in errors
    assert "The graphics card was not measured, so no result card was written." in errors
    assert owner.folders == []


def test_a_torch_without_a_card_says_so(home: Home, torch_python: str) -> None:
    if Path("/dev/kfd").exists() or Path("/dev/nvidia0").exists():
        pytest.skip("this machine has a card")
    done = home.run("conv2d", "--python", torch_python, "--device", "cuda", "--yes")

    assert done.returncode == 2
    assert "finds no GPU" in done.stderr
