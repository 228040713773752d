"""One folder that needs no internet: filled, killed, damaged, and used without a network."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.homes import Home, listing
from tests.e2e.own_wheels import download_own
from tests.e2e.small_torch import make_small_torch

pytestmark = pytest.mark.e2e

NO_NETWORK = ("unshare", "--user", "--map-root-user", "--net")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small torch, and what the wizard depends on, from PyPI."""
    folder = tmp_path_factory.mktemp("house")
    make_small_torch(folder, 3_000_000)
    download_own(folder, "{}.{}".format(*sys.version_info[:2]))
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def words(house: Path, folder: Path) -> tuple[str, ...]:
    return ("fetch", "--stack", "cpu", "--wheelhouse", str(house), str(folder))


def ending(output: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(output.splitlines()[-1])
    assert found["event"] == "PlanFinished"
    return found


def test_a_folder_is_filled_once_and_installs_without_a_network(home: Home, house: Path) -> None:
    folder = home.folder / "folder"
    filled = home.run(*words(house, folder))
    assert filled.returncode == 0, filled.stdout + filled.stderr
    again = home.run(*words(house, folder), "--json")
    assert ending(again.stdout)["changed"] is False

    venv = home.folder / "venv"
    options = ("--wheelhouse", str(folder / "wheels"), "--venv", str(venv), "--without-card")
    apply = ("apply", "--stack", "cpu", *options, "--yes", "--json")
    for changed in (True, False):
        done = subprocess.run(
            (*NO_NETWORK, "sh", folder / "start.sh", *apply),
            env={"HOME": str(home.folder), "PATH": os.environ["PATH"]},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if "unshare: " in done.stderr:
            pytest.skip(f"no network namespace here: {done.stderr.strip()}")
        assert done.returncode == 0, done.stdout + done.stderr
        assert ending(done.stdout)["changed"] is changed
    assert (venv / "bin/python").exists()


def test_killed_at_every_step_it_goes_on_and_ends_the_same(home: Home, house: Path) -> None:
    whole = home.folder / "whole"
    first = home.run(*words(house, whole))
    assert first.returncode == 0
    folder, total = home.folder / "folder", first.stdout.count("    ok, ")
    for number in range(1, total + 1):
        with home.start(*words(house, folder)) as run:
            assert run.stdout is not None
            for line in run.stdout:
                if line.startswith(f"[{number}/{total}]"):
                    os.killpg(run.pid, signal.SIGKILL)
                    break
            run.communicate()
        assert run.returncode == -signal.SIGKILL, f"step {number} was never reached"
        assert not (folder / "fleet.json").exists()
    assert home.run(*words(house, folder)).returncode == 0
    assert listing(folder) == listing(whole)


def test_a_damaged_file_and_a_missing_one_come_again(home: Home, house: Path) -> None:
    folder = home.folder / "folder"
    assert home.run(*words(house, folder)).returncode == 0
    before = listing(folder)
    (torch,) = (folder / "wheels").glob("torch-*.whl")
    torch.unlink()
    torch.write_bytes(b"damaged")
    (folder / "bin/uv").unlink()
    mended = home.run(*words(house, folder), "--json")
    assert ending(mended.stdout)["changed"] is True, mended.stdout + mended.stderr
    assert listing(folder) == before


def test_what_a_house_lacks_is_named_and_the_folder_is_not_done(home: Home) -> None:
    empty, folder = home.folder / "house", home.folder / "folder"
    empty.mkdir()
    done = home.run(*words(empty, folder))
    assert done.returncode == 1
    assert "The folder is not finished; missing: " in done.stdout
    assert f"{folder} is not finished. The same command goes on from here." in done.stdout
    assert not (folder / "fleet.json").exists()


def test_a_truncated_wheel_in_a_house_is_named_and_nothing_of_it_is_taken(
    home: Home, house: Path
) -> None:
    damaged, folder = home.folder / "house", home.folder / "folder"
    shutil.copytree(house, damaged, copy_function=os.link)
    (torch,) = damaged.glob("torch-*.whl")
    content = torch.read_bytes()[:1_000_000]
    torch.unlink()
    torch.write_bytes(content)
    done = home.run(*words(damaged, folder))
    assert done.returncode == 1
    assert f"located at {torch} is invalid" in done.stdout
    assert "the file is damaged" in done.stdout
    assert not (folder / "wheels").exists()
    torch.unlink()
    os.link(next(house.glob("torch-*.whl")), torch)
    assert home.run(*words(damaged, folder)).returncode == 0
