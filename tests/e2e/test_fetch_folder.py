"""A folder of wheels and a Python: filled, killed, damaged, and used without a network."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.homes import Home, listing, without_pythons
from tests.e2e.small_torch import make_small_torch
from tests.e2e.system.brought import DAY, LIST, make_archive, make_list
from tests.run.wheels import make_stand_ins

pytestmark = pytest.mark.e2e

NO_NETWORK = ("unshare", "--user", "--map-root-user", "--net")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small torch, and pip."""
    folder = tmp_path_factory.mktemp("house")
    make_small_torch(folder, 3_000_000)
    _download_pip(folder)
    return folder


def _download_pip(folder: Path) -> None:
    pip = (sys.executable, "-m", "pip", "download", "--quiet", "--dest", folder)
    subprocess.run((*pip, "pip", "setuptools"), check=True, stdin=subprocess.DEVNULL, timeout=600)


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

    apply_without_network(home, "--stack", "cpu", "--wheelhouse", str(folder / "wheels"))
    assert filled.stdout.endswith(f"--stack cpu --wheelhouse {folder}/wheels\n")


def apply_without_network(home: Home, *options: str) -> Path:
    """The venv of a plan that is carried out, and then found done."""
    venv = home.folder / "venv"
    words = ("apply", *options, "--venv", str(venv), "--without-card", "--yes", "--json")
    for changed in (True, False):
        done = subprocess.run(
            (*NO_NETWORK, sys.executable, "-m", "wizard", *words),
            env={n: v for n, v in home.environment().items() if not n.startswith("PIP_")},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if "unshare: " in done.stderr:
            pytest.skip(f"no network namespace here: {done.stderr.strip()}")
        assert done.returncode == 0, done.stdout + done.stderr
        assert ending(done.stdout)["changed"] is changed
    return venv


def test_a_machine_without_python_310_and_without_a_network_gets_the_one_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = make_archive(tmp_path / "archive")
    monkeypatch.setenv(LIST, str(make_list(tmp_path / "downloads.json", archive)))
    home = Home(tmp_path / "home", path=without_pythons("python3.10", "python3.9", "python3.8"))
    home.folder.mkdir()
    if "uv python install" not in home.run("plan", "--stack", "rocm52").stdout:
        pytest.skip("this machine has a Python for rocm52 in a place that is always looked at")
    house, folder = tmp_path / "house", home.folder / "a folder"
    make_stand_ins(house)
    _download_pip(house)
    fetch = ("fetch", "--stack", "rocm52", "--wheelhouse", str(house), str(folder))
    first = home.run(*fetch)
    assert first.returncode == 1, "the archive of Python 3.10.99 cannot be on GitHub"
    assert "FAILED: " in first.stdout
    # Somebody else got it and put it where uv looks.
    shutil.copytree(archive.parent, folder / "python" / DAY, dirs_exist_ok=True)
    done = home.run(*fetch)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{archive.name} is already downloaded" in done.stdout

    *_, told = done.stdout.splitlines()
    command = shlex.split(told.partition("rdna1-setup apply ")[2])
    assert command[-2:] == ["--python-mirror", (folder / "python").as_uri()]
    venv = apply_without_network(home, *command)
    program = "import sys, torch; print(torch.__version__, sys.version_info[:2], sys.base_prefix)"
    seen = subprocess.run((venv / "bin/python", "-c", program), capture_output=True, text=True)
    place = home.folder / ".local/share/rdna1-setup/python"
    assert seen.stdout.startswith(f"1.13.1+rocm5.2 (3, 10) {place}"), seen.stderr


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
        assert not (folder / "SHA256SUMS").exists()
    assert home.run(*words(house, folder)).returncode == 0
    assert listing(folder) == listing(whole)


def test_a_damaged_file_and_a_missing_one_come_again(home: Home, house: Path) -> None:
    folder = home.folder / "folder"
    assert home.run(*words(house, folder)).returncode == 0
    before = listing(folder)
    (torch,) = (folder / "wheels").glob("torch-*.whl")
    torch.unlink()
    torch.write_bytes(b"damaged")
    (folder / "wheels.lock").unlink()
    fixed = home.run(*words(house, folder), "--json")
    assert ending(fixed.stdout)["changed"] is True, fixed.stdout + fixed.stderr
    assert listing(folder) == before


def test_what_a_house_lacks_is_named_and_the_folder_is_not_done(home: Home) -> None:
    empty, folder = home.folder / "house", home.folder / "folder"
    empty.mkdir()
    done = home.run(*words(empty, folder))
    assert done.returncode == 1
    assert "The folder is incomplete. Remaining steps: " in done.stdout
    assert f"{folder} is not complete. Run the same command again to continue." in done.stdout
    assert not (folder / "SHA256SUMS").exists()


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
    assert "This wheel cannot be read: torch==2.13.0." in done.stdout
    assert "The file is damaged" in done.stdout
    assert not (folder / "wheels").exists()
    torch.unlink()
    os.link(next(house.glob("torch-*.whl")), torch)
    assert home.run(*words(damaged, folder)).returncode == 0
