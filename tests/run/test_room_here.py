"""Room on this very machine: small file systems that are really mounted."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from zipfile import ZIP_DEFLATED

import pytest

from tests.run.places import places_below, plan_of
from tests.run.test_live import ending, events_of, live
from tests.run.wheels import make_wheel
from wizard.core.amounts import MB
from wizard.core.events import StepFailed
from wizard.operations.fetch_wheels import FetchWheels
from wizard.operations.install_wheels import InstallWheels
from wizard.plan.steps import Plan
from wizard.run.journal import Journal
from wizard.run.obstacles import obstacle


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A folder with 300 MB of its own."""
    if os.geteuid():
        pytest.skip("only root can mount a small file system")
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ("mount", "-t", "tmpfs", "-o", "size=300m", "none", str(folder))
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    yield folder
    unmount = ("umount", "--lazy", str(folder))
    subprocess.run(unmount, check=False)


def plan(venv: Path, work: Path, *, download: int, installed: int) -> Plan:
    """Downloads below the one folder, an environment in the other; sizes in MB."""
    report, staging, lock = (str(work / name) for name in ("lock.json", "wheels", "lock.txt"))
    steps = (
        FetchWheels("why", report, staging, lock),
        InstallWheels("why", "/usr/bin/uv", str(venv), staging, lock),
    )
    made = replace(plan_of(venv.parent, *steps), venv=str(venv))
    return replace(made, download_bytes=download * MB, installed_bytes=installed * MB)


async def test_a_small_disk_is_refused_before_the_first_step_and_in_the_same_words_before_apply(
    small: Path, tmp_path: Path
) -> None:
    wanted = plan(small / "venv", tmp_path / "work", download=10, installed=250)
    found = obstacle(wanted, places_below(tmp_path))
    assert found is not None
    assert f"{small} has only 0.3 GB free, but 0.5 GB is needed" in found.happened
    assert f"0.2 GB for the environment ({small}/venv)" in found.happened
    events = await events_of(live(tmp_path), wanted)
    assert isinstance(events[0], StepFailed)
    assert events[0].happened == found.happened
    assert not ending(events).ok
    assert list(small.iterdir()) == []


async def test_wheels_of_unknown_size_that_do_not_fit_are_told_before_one_is_installed(
    small: Path, tmp_path: Path
) -> None:
    staging, venv = tmp_path / "work" / "wheels", small / "venv"
    packages = venv / "lib/python3.10/site-packages"
    for folder in (staging, packages):
        folder.mkdir(parents=True)
    make_wheel(staging, "big", "1", {"big.bin": bytes(20 * MB)}, compression=ZIP_DEFLATED)
    (small / "mine").write_bytes(bytes(305 * MB))
    wanted = plan(venv, tmp_path / "work", download=0, installed=0)
    events = await events_of(live(tmp_path), replace(wanted, steps=wanted.steps[1:]))
    failed = next(event for event in events if isinstance(event, StepFailed))
    assert failed.happened.startswith(f"{small} has only")
    assert "but the installation needs 20 MB." in failed.happened
    assert list(packages.iterdir()) == []


def test_a_full_home_refuses_no_environment_on_another_disk(small: Path, tmp_path: Path) -> None:
    wanted = plan(tmp_path / "venv", small / "work", download=10, installed=250)
    assert obstacle(wanted, places_below(small)) is None


def test_downloads_and_environment_on_the_same_disk_add_up(small: Path) -> None:
    wanted = plan(small / "venv", small / "work", download=60, installed=60)
    found = obstacle(wanted, places_below(small))
    assert found is not None
    assert "60 MB for downloads" in found.happened
    assert "60 MB for the environment" in found.happened


def test_what_an_unfinished_run_has_downloaded_needs_no_room_again(
    small: Path, tmp_path: Path
) -> None:
    wanted = plan(tmp_path / "venv", small / "work", download=80, installed=1)
    staging = small / "work" / "wheels"
    staging.mkdir(parents=True)
    (staging / "torch.whl").write_bytes(bytes(70 * MB))
    assert obstacle(wanted, places_below(tmp_path)) is None
    (staging / "torch.whl").rename(small / "mine")
    assert obstacle(wanted, places_below(tmp_path)) is not None


def test_an_installation_that_was_cut_off_is_not_refused_for_what_it_wrote(
    small: Path, tmp_path: Path
) -> None:
    wanted = plan(small / "venv", tmp_path / "work", download=1, installed=90)
    (small / "written").write_bytes(bytes(60 * MB))
    assert obstacle(wanted, places_below(tmp_path)) is not None
    journal = Journal(Path(places_below(tmp_path).runs) / "20260101-120000-x")
    journal.begin(wanted, "2026-01-01T12:00:00+00:00")
    journal.intend(2, {"kind": "InstallWheels"})
    assert obstacle(wanted, places_below(tmp_path)) is None
