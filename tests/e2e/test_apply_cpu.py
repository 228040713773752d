"""The road for real: torch for the CPU from the package index, measured, killed, undone."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from tests.e2e.homes import Home, listing, wait_for

pytestmark = pytest.mark.e2e

APPLY = ("apply", "--stack", "cpu", "--torch-index", "pip", "--yes", "--venv")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    (tmp_path / "photo.txt").write_text("mine")
    return Home(tmp_path)


def test_torch_is_installed_measured_killed_half_way_and_undone(home: Home) -> None:
    before = home.listing()
    venv = home.folder / "ai" / "cpu"

    whole = home.run(*APPLY, str(venv))
    assert whole.returncode == 0, whole.stdout + whole.stderr
    complete = listing(venv)
    sweep = home.run("conv2d", "--python", f"{venv}/bin/python", "--device", "cpu", "--json")
    assert sweep.returncode == 0, sweep.stdout + sweep.stderr
    results = json.loads(sweep.stdout)["results"]
    assert len(results) >= 15
    assert {result["verdict"] for result in results} == {"pass"}
    assert all(result["max_abs_error"] <= result["tolerance"] for result in results)
    assert home.run("rollback", "--yes").returncode == 0
    assert home.listing() == before

    half = home.start(*APPLY, str(venv))
    wait_for(venv, ".rdna1-setup-uv/**/torch/__init__.py")
    os.killpg(half.pid, signal.SIGKILL)
    half.communicate()
    assert not list(venv.glob("lib/python3.*/site-packages/torch-*/RECORD")), "killed too late"
    again = home.run(*APPLY, str(venv))
    assert again.returncode == 0, again.stdout + again.stderr
    assert "done before" in again.stdout
    assert listing(venv) == complete

    (venv / "my-model.bin").write_text("mine too")
    assert home.run("rollback", "--yes").returncode == 0
    assert home.listing() == {**before, **mine(venv, home)}


def mine(venv: Path, home: Home) -> dict[str, str]:
    """The user's file in the venv's folder, and the folders that hold it."""
    expected = {"ai": "folder", "ai/cpu": "folder"}
    file = venv / "my-model.bin"
    assert file.read_text() == "mine too"
    return {**expected, str(file.relative_to(home.folder)): listing(venv)["my-model.bin"]}
