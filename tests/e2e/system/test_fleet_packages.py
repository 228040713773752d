"""A fetched folder with AMD's packages: a Debian root without a network plans from it, exactly."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.homes import SOURCE
from tests.e2e.own_wheels import download_own
from tests.e2e.system.bases import BOOKWORM, PREFIX, base_tar, require_root
from tests.e2e.system.fleet_hosts import HOME, as_owner
from tests.e2e.system.rocm_archive import rocm_archive
from tests.e2e.system.roots import fresh_root
from tests.run.wheels import make_wheel

pytestmark = pytest.mark.e2e

FAMILY = {"torch": "2.2.2+rocm5.7", "torchvision": "0.17.2+rocm5.7", "torchaudio": "2.2.2+rocm5.7"}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("house")
    for name, version in {**FAMILY, "numpy": "1.26.4"}.items():
        make_wheel(folder, name, version, {f"{name}/__init__.py": ""})
    download_own(folder, "3.11")
    return folder


def test_a_machine_without_a_network_plans_its_packages_from_the_folder(
    house: Path, tmp_path: Path
) -> None:
    require_root()
    amd = rocm_archive()
    key = ("--rocm-key-fingerprint", amd.fingerprint)
    with fresh_root(BOOKWORM, base_tar(BOOKWORM)) as root:
        assert root.wizard("report", "--record", f"{HOME}/record").returncode == 0
        shutil.move(root.path(f"{HOME}/record"), tmp_path / "record")
        system = ("--stack", "rocm57", "--footprint", "venv+system", *key)
        repository = (amd.folder / "rocm/apt").as_uri()
        source = ("--wheelhouse", str(house), "--for", str(tmp_path / "record"))
        folder = root.path("/srv/folder")
        done = subprocess.run(
            (sys.executable, "-m", "wizard", "fetch", *system, *source,
             "--rocm-repo", repository, str(folder)),
            env={**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.endswith(f"--rocm-repo {folder.as_uri()}/debs {' '.join(key)}\n")
        copy = ("--rocm-repo", "file:///srv/folder/debs", "--wheelhouse", "/srv/folder/wheels")
        words = ("plan", *system, *copy, "--without-card", "--exact", "--json")
        planned = subprocess.run(
            as_owner(root, f"{PREFIX}/bin/rdna1-setup", *words),
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert planned.returncode == 0, planned.stdout + planned.stderr
        steps = json.loads(planned.stdout)["steps"]
        (change,) = (step for step in steps if step["kind"] == "AptChange" and step.get("install"))
        names = {name for name, _ in change["install"]}
        there = {path.name.partition("_")[0] for path in folder.rglob("*.deb")}
        assert names
        assert names <= there
