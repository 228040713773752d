"""Two thousand random damages of each recorded machine: no traceback, no hang, little memory."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from tests.e2e.homes import SOURCE
from tests.machine.corrupting import HUGE, look
from tests.machine.records import MACHINES, NAMES
from wizard.machine.recorded import RecordedHost

pytestmark = pytest.mark.e2e

COUNT = int(os.environ.get("RDNA1_SETUP_CORRUPTIONS", "2000"))
SEED = int(os.environ.get("RDNA1_SETUP_SEED", "0"))
PEAK_BYTES = 200_000_000
SLOWEST_S = 15
"""Less than the patience of detection: nothing was given up. Usual is a hundredth of a second."""
PATIENCE_S = 900
BATCH = 250
"""By one child: a real detection is one process each, and memory given back is not always gone."""
ON_DISK = 40


def corruptions(name: str) -> dict[str, Any]:
    """The worst that the children say, one after the other, that damage and detect this machine."""
    worst: dict[str, Any] = {"slowest_s": 0.0, "peak_bytes": 0}
    for seed in range(SEED, SEED + COUNT, BATCH):
        told = batch(name, seed, min(BATCH, SEED + COUNT - seed))
        if "failed" in told:
            return told
        if told["slowest_s"] > worst["slowest_s"]:
            worst |= {"slowest_s": told["slowest_s"], "slowest": told["slowest"]}
        if told["peak_bytes"] > worst["peak_bytes"]:
            worst |= {"peak_bytes": told["peak_bytes"], "batch": seed}
    return worst


def batch(name: str, seed: int, count: int) -> dict[str, Any]:
    """What one child says."""
    command = (sys.executable, "-B", "-m", "tests.machine.corrupting", name, str(count), str(seed))
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=SOURCE, timeout=PATIENCE_S
    )
    if done.returncode:
        return {"failed": "the child itself", "traceback": done.stderr}
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.fixture(scope="module")
def told() -> Iterator[dict[str, Any]]:
    """All machines, as many at once as there are processors."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield dict(zip(NAMES, pool.map(corruptions, NAMES), strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_no_damage_gives_a_traceback_a_hang_or_much_memory(name: str, told: dict[str, Any]) -> None:
    found = told[name]

    assert "failed" not in found, f"seed {found['failed']}: {found['traceback']}"
    assert found["slowest_s"] < SLOWEST_S, f"seed {found['slowest']}"
    assert found["peak_bytes"] < PEAK_BYTES, f"seeds from {found['batch']}"


def harm(chance: random.Random, path: Path) -> None:
    """Real damage on a real disk."""
    kind = chance.randrange(6)
    if kind == 0:
        path.unlink()
        os.mkfifo(path)
    elif kind == 1:
        os.truncate(path, HUGE)
    elif kind == 2:
        path.chmod(0)
    elif kind == 3:
        path.unlink()
        path.symlink_to(path.name)
    elif kind == 4:
        path.parent.joinpath("up").symlink_to("..")
    else:
        path.unlink()
        path.mkdir()


@pytest.mark.parametrize("name", NAMES)
def test_pipes_holes_loops_and_closed_files_on_a_disk_give_facts_or_reasons(
    name: str, tmp_path: Path
) -> None:
    chance = random.Random(SEED)  # noqa: S311 - to be repeated, not to be secret
    copytree((MACHINES / name).resolve(), tmp_path / "machine")
    files = sorted(path for path in (tmp_path / "machine" / "files").rglob("*") if path.is_file())
    for path in chance.sample(files, min(ON_DISK, len(files))):
        if not path.parent.joinpath("up").is_symlink():
            harm(chance, path)

    look(RecordedHost(tmp_path / "machine"))
