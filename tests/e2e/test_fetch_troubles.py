"""What goes wrong while a folder is filled: a full disk, Ctrl+C, other bytes, a closed place.

The mirror is a server of the test's own; disk and signals are real.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.homes import Home, listing
from tests.e2e.small_torch import SIZE, make_small_torch
from tests.run.server import Manner, WheelIndex

pytestmark = pytest.mark.e2e

HELD = Manner(hold_at=0.4)
TORCH = "torch-2.13.0-py3-none-any.whl"
NAMESPACE = ("unshare", "--user", "--map-root-user", "--mount")


@pytest.fixture(scope="module")
def torch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_small_torch(tmp_path_factory.mktemp("wheels"), SIZE)[0]


def with_numpy(torch: Path) -> tuple[Path, ...]:
    """Both wheels of the stack."""
    return torch, *torch.parent.glob("numpy-*.whl")


@pytest.fixture(scope="module")
def whole(torch: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What lies in a folder that was filled without any trouble."""
    home = Home(tmp_path_factory.mktemp("undisturbed"))
    with WheelIndex(with_numpy(torch), metadata=True) as index:
        done = home.run(*words(index, home.folder / "folder"))
    assert done.returncode == 0, done.stdout + done.stderr
    return listing(home.folder / "folder")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    return Home(tmp_path)


def words(index: WheelIndex, folder: Path) -> tuple[str, ...]:
    return ("fetch", "--stack", "cpu", "--torch-index", index.simple, str(folder))


def came_in_part(index: WheelIndex, folder: Path) -> Path:
    """The part of torch, once the server has sent what it is to send of it."""
    assert index.held.wait(120)
    part, limit = folder / f"wheels/{TORCH}.part", time.monotonic() + 30
    while not part.exists() or not part.stat().st_size:
        assert time.monotonic() < limit
        time.sleep(0.01)
    return part


def test_ctrl_c_inside_a_download_stops_and_the_same_command_goes_on(
    home: Home, torch: Path, whole: dict[str, str]
) -> None:
    folder = home.folder / "folder"
    with WheelIndex(with_numpy(torch), metadata=True) as index:
        index.put(f"/files/{TORCH}", torch.read_bytes(), HELD)
        with home.start(*words(index, folder)) as run:
            part = came_in_part(index, folder)
            os.kill(run.pid, signal.SIGINT)
            output, errors = run.communicate(timeout=60)
        assert run.returncode == 130, output + errors
        assert f"{folder} is not complete. Run the same command again to continue." in output
        assert not (folder / "SHA256SUMS").exists()
        arrived = part.stat().st_size
        assert 0 < arrived < SIZE
        index.served.released.set()
        again = home.run(*words(index, folder))
        assert again.returncode == 0, again.stdout + again.stderr
        assert index.ranges_asked(f"/files/{TORCH}")[-1] == f"bytes={arrived}-"
    assert listing(folder) == whole


def test_a_part_that_was_damaged_meanwhile_is_fetched_anew(
    home: Home, torch: Path, whole: dict[str, str]
) -> None:
    folder = home.folder / "folder"
    with WheelIndex(with_numpy(torch), metadata=True) as index:
        index.put(f"/files/{TORCH}", torch.read_bytes(), HELD)
        with home.start(*words(index, folder)) as run:
            part = came_in_part(index, folder)
            os.killpg(run.pid, signal.SIGKILL)
            run.communicate()
        part.write_bytes(bytes(part.stat().st_size))
        index.served.released.set()
        again = home.run(*words(index, folder))
    assert again.returncode == 0, again.stdout + again.stderr
    assert "the partial download from an earlier run was damaged. Downloading" in again.stdout
    assert listing(folder) == whole


@pytest.mark.parametrize("cut", [0.5, 1.0])
def test_a_mirror_with_other_bytes_is_named_and_nothing_of_them_stays(
    home: Home, torch: Path, whole: dict[str, str], cut: float
) -> None:
    """Half of the file, told as if it were all of it; as much, and not the same."""
    folder, content = home.folder / "folder", torch.read_bytes()
    with WheelIndex(with_numpy(torch), metadata=True) as index:
        other = content[: int(len(content) * cut)] if cut < 1 else content[:-9] + bytes(9)
        index.put(f"/files/{TORCH}", other)
        done = home.run(*words(index, folder))
        assert done.returncode == 1, done.stdout + done.stderr
        assert f"FAILED: {TORCH} has the wrong SHA-256" in done.stdout
        assert "If it fails a second time, use another network or index" in done.stdout
        assert "Remaining steps: Download the wheels of cpu;" in done.stdout
        assert [path.name for path in (folder / "wheels").iterdir() if "torch" in path.name] == []
        index.put(f"/files/{TORCH}", content)
        again = home.run(*words(index, folder))
    assert again.returncode == 0, again.stdout + again.stderr
    assert listing(folder) == whole


def on_a_small_disk(home: Home, place: Path, script: str) -> str:
    """What a script prints whose ``place`` is a file system of 200 MB; skips where none can be."""
    place.mkdir()
    mount = f"mount -t tmpfs -o size=200m none {shlex.quote(str(place))} || exit 77"
    done = subprocess.run(
        (*NAMESPACE, "sh", "-c", f"{mount}\n{script}"),
        env=home.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    if done.returncode == 77 or done.stderr.startswith("unshare: "):
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
    return done.stdout + done.stderr


FILL = """
    free=$(df --output=avail -B1 {place} | tail -1)
    head -c $((free - {leave})) /dev/zero >{place}/ballast
"""
"""Leaves so many bytes on the disk."""


def test_without_room_nothing_is_downloaded_and_with_room_it_goes_on(
    home: Home, torch: Path, whole: dict[str, str]
) -> None:
    folder, content = home.folder / "folder", torch.read_bytes()
    with WheelIndex(with_numpy(torch), metadata=True) as index:
        index.put(f"/files/{TORCH}", content, Manner(announce=10**14))
        done = home.run(*words(index, folder))
        assert done.returncode == 1, done.stdout + done.stderr
        assert re.search(
            r"FAILED: The file system /\S* is full; \S+ \w+ more are needed", done.stdout
        )
        assert f"Everything is downloaded to {folder}/wheels" in done.stdout
        assert "choose a folder on a larger disk" in done.stdout
        assert index.sent(f"/files/{TORCH}") == 0
        index.put(f"/files/{TORCH}", content)
        again = home.run(*words(index, folder))
    assert again.returncode == 0, again.stdout + again.stderr
    assert listing(folder) == whole


def test_a_disk_that_fills_up_in_the_middle_keeps_what_came(home: Home, torch: Path) -> None:
    """The server tells no size, so that nobody can know beforehand."""
    place = home.folder / "disk"
    blind = Manner(head=False)
    with WheelIndex(with_numpy(torch), metadata=True, manner=blind) as index:
        fetch = shlex.join((sys.executable, "-m", "wizard", *words(index, place / "folder")))
        script = f"""
            {FILL.format(place=place, leave=15_000_000)}
            echo FIRST; {fetch}; echo CODE $?
            ls -l {place}/folder/wheels
            rm {place}/ballast
            echo SECOND; {fetch}; echo CODE $?
            cmp {place}/folder/wheels/{TORCH} {torch} && echo SAME
        """
        said = on_a_small_disk(home, place, script)
        first, second = said.partition("FIRST")[2].split("SECOND")
    assert "FAILED: The file system" in first, said
    assert f"{TORCH}.part" in first, said
    assert "is full" in first
    assert "CODE 1" in first
    assert "CODE 0" in second, said
    assert "SAME" in second


def test_a_folder_with_other_content_is_refused_and_left_as_it_was(home: Home) -> None:
    (home.folder / "mine.txt").write_text("mine")
    before = listing(home.folder)
    for more in ((), ("--dry-run",)):
        done = home.run("fetch", "--stack", "cpu", *more, str(home.folder))
        assert done.returncode == 2, done.stdout
        assert "it contains mine.txt, and rdna1-setup did not make this folder" in done.stderr
        assert "Name a folder that does not exist yet" in done.stderr
        assert done.stdout == ""
    assert listing(home.folder) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_closed_place_is_refused_before_anything_is_fetched(home: Home) -> None:
    closed = home.folder / "closed"
    closed.mkdir(mode=0o500)
    done = home.run("fetch", "--stack", "cpu", str(closed / "folder"))
    assert done.returncode == 2
    assert f"you have no permission to write to {closed}." in done.stderr
    assert "Choose a folder that belongs to you" in done.stderr
