"""A disk that fills up while a Conv2d run is under way, for real: a file system of one megabyte."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path

import pytest

from tests.conv2d.apart import Apart, events_of_run
from tests.conv2d.sweeping import sweep_of
from wizard.conv2d.runs.events import followed
from wizard.conv2d.runs.folders import RESERVED
from wizard.conv2d.sweep import ShapeDone, SweepDone

pytestmark = pytest.mark.e2e


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Apart]:
    """A home on a file system of its own."""
    if os.geteuid():
        pytest.skip("only root can mount a small file system")
    mount = ("mount", "-t", "tmpfs", "-o", "size=1m", "none", str(tmp_path))
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    home = Apart(tmp_path)
    yield home
    left = home.wait_until_idle()
    unmount = ("umount", "--lazy", str(tmp_path))
    subprocess.run(unmount, check=False)
    assert left == []


async def test_a_full_disk_ends_the_run_in_words_and_keeps_its_verdicts(
    small_disk: Apart,
) -> None:
    run = small_disk.start(sweep_of(sys.executable, *range(3, 60)))
    full = small_disk.folder / "full"
    async with aclosing(followed(run)) as events:
        async for event in events:
            if isinstance(event, ShapeDone) and not full.exists():
                room = os.statvfs(small_disk.folder)
                with full.open("wb", buffering=0) as file:
                    file.write(bytes(room.f_bavail * room.f_frsize))
    done = (await events_of_run(run))[-1]

    assert isinstance(done, SweepDone)
    assert done.trouble is not None
    assert "No space left on device" in done.trouble.happened
    assert "space on the full disk" in done.trouble.next_step
    assert done.results


async def test_a_disk_without_room_starts_nothing(small_disk: Apart) -> None:
    from wizard.conv2d.runs.runner import start_run
    from wizard.conv2d.sweep import StopReason

    room = os.statvfs(small_disk.folder)
    (small_disk.folder / "full").write_bytes(bytes(room.f_bavail * room.f_frsize - RESERVED // 2))
    refused = start_run(small_disk.places, sweep_of(sys.executable, 3), small_disk.environ())

    assert isinstance(refused, StopReason)
    assert "No space left on device" in refused.happened
    assert small_disk.processes() == []
