"""A Python that this machine does not have, brought by uv from a mirror of the test's own."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.homes import Home, without_pythons
from tests.e2e.system.brought import LIST, make_archive, make_list
from tests.run.server import WheelIndex, make_stand_ins

pytestmark = pytest.mark.e2e


@pytest.fixture
def index(tmp_path: Path) -> Iterator[WheelIndex]:
    with WheelIndex(make_stand_ins(tmp_path)) as server:
        yield server


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    """What uv reads in place of its own list: one Python 3.10, packed from one that is here."""
    archive = make_archive(tmp_path)
    return make_list(tmp_path / "downloads.json", archive, archive.as_uri())


def test_uv_brings_python_310_without_root_and_the_venv_is_made_of_it(
    tmp_path: Path, index: WheelIndex, mirror: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LIST, str(mirror))
    home = Home(tmp_path / "home", path=without_pythons("python3.10", "python3.9", "python3.8"))
    home.folder.mkdir()
    venv = home.folder / "rocm52"
    plan = home.run("plan", "--stack", "rocm52", "--venv", str(venv))
    if "uv python install" not in plan.stdout:
        pytest.skip("this machine has a Python for rocm52 in a place that is always looked at")
    options = ("--torch-index", index.simple, "--without-card", "--venv", str(venv), "--yes")
    done = home.run("apply", "--stack", "rocm52", *options)
    assert done.returncode == 0, done.stdout + done.stderr
    program = "import sys; print(sys.version_info[:2], sys.base_prefix)"
    asked = subprocess.run(
        (venv / "bin/python", "-c", program), capture_output=True, text=True, check=True
    )
    assert asked.stdout.startswith("(3, 10)")
    assert str(home.folder / ".local/share/rdna1-setup/python") in asked.stdout
    assert home.run("rollback", "--yes").returncode == 0
    left = {name.split("/")[0] for name in home.listing()}
    assert left == {".local"}, "only the Python that uv brought stays, as the plan says"
