"""A host without a network: wheels and a Python of a fetched folder, packages of a copy."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.homes import SOURCE
from tests.e2e.system.ansible_hosts import HOME, as_owner
from tests.e2e.system.asking import packages
from tests.e2e.system.bases import BOOKWORM, PASSWORD, PREFIX, base_tar, require_root
from tests.e2e.system.brought import DAY, LIST, make_archive, make_list
from tests.e2e.system.rocm_archive import rocm_archive
from tests.e2e.system.roots import Root, fresh_root
from tests.e2e.terminal import Terminal
from tests.run.wheels import make_stand_ins

pytestmark = pytest.mark.e2e

FOLDER, DOWNLOADS = "/srv/folder", "/srv/downloads.json"
PYTHON = ("--python-mirror", f"file://{FOLDER}/python")
WHEELS = ("--wheelhouse", f"{FOLDER}/wheels", *PYTHON, "--without-card")
APPLY_S = 400
OF_THE_DISTRIBUTION = ("libdrm-amdgpu1", "libelf1", "libnuma1", "pciutils")
"""What the packages depend on and the copied archive does not have."""


@dataclass(frozen=True, slots=True)
class Supply:
    """What folders are filled from."""

    house: Path
    archive: Path
    downloads: Path

    def fetch(self, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
        """Fill a folder for rocm52, whatever comes of it."""
        words = ("fetch", "--stack", "rocm52", "--wheelhouse", str(self.house), *options)
        return subprocess.run(
            (sys.executable, "-m", "wizard", *words, str(folder)),
            env={
                **os.environ,
                "PYTHONPATH": str(SOURCE),
                "PYTHONDONTWRITEBYTECODE": "1",
                LIST: str(self.downloads),
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(scope="module")
def supply(tmp_path_factory: pytest.TempPathFactory) -> Supply:
    """Stand-ins of the stack, pip, and a Python."""
    require_root()
    work = tmp_path_factory.mktemp("supply")
    make_stand_ins(work / "house")
    pip = (sys.executable, "-m", "pip", "download", "--quiet", "--dest", work / "house", "pip")
    subprocess.run(pip, check=True, stdin=subprocess.DEVNULL, timeout=600)
    archive = make_archive(work / "mirror")
    return Supply(work / "house", archive, make_list(work / "downloads.json", archive))


@pytest.fixture
def host() -> Iterator[Root]:
    require_root()
    with fresh_root(BOOKWORM, base_tar(BOOKWORM)) as root:
        yield root


def filled(root: Root, supply: Supply, work: Path) -> None:
    """A folder for a record of this host, shipped to it."""
    recorded = root.wizard("report", "--record", f"{HOME}/record")
    assert recorded.returncode == 0, recorded.stdout + recorded.stderr
    record = shutil.move(root.path(f"{HOME}/record"), work / "record")
    folder, words = root.path(FOLDER), ("--for", str(record))
    first = supply.fetch(folder, *words)
    assert first.returncode == 1, "the archive of Python 3.10.99 cannot be on GitHub"
    assert "FAILED: " in first.stdout
    # Somebody else got it and put it where uv looks.
    shutil.copytree(supply.archive.parent, folder / "python" / DAY, dirs_exist_ok=True)
    done = supply.fetch(folder, *words)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{supply.archive.name} is already downloaded" in done.stdout
    shutil.copy(supply.downloads, root.path(DOWNLOADS))


def started(root: Root, *words: str, more: tuple[str, ...] = ()) -> tuple[str, ...]:
    """How its owner starts the wizard, with no network."""
    return as_owner(root, "env", f"{LIST}={DOWNLOADS}", *more, f"{PREFIX}/bin/rdna1-setup", *words)


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )


def test_a_venv_and_packages_of_a_copied_archive_go_onto_a_host_without_a_network(
    host: Root, supply: Supply, tmp_path: Path
) -> None:
    amd = rocm_archive()
    filled(host, supply, tmp_path)
    shutil.copytree(amd.folder / "rocm", host.path("/srv/rocm"))
    host.apt("install", "--no-install-recommends", *OF_THE_DISTRIBUTION)
    host.give_sudo("with password")
    copy = ("--rocm-repo", "file:///srv/rocm/apt", "--rocm-key-fingerprint", amd.fingerprint)
    words = ("apply", "--stack", "rocm52", "--footprint", "venv+system", *copy, *WHEELS)
    said = carry_out(started(host, *words, "--yes", more=("TERM=xterm",)), "Finished.")
    assert packages(host)["rocm-core"].version.startswith("5.2.0.50200"), said
    seen = run(*as_owner(host, f"{HOME}/ai/rocm52/bin/python", "-c", "import torch"))
    assert seen.returncode == 0, seen.stderr
    again = run(*started(host, *words, "--yes", "--json"))
    assert json.loads(again.stdout.splitlines()[-1])["changed"] is False, again.stdout
    carry_out(started(host, "rollback", "--yes", more=("TERM=xterm",)), "Undone")
    assert "rocm-core" not in packages(host)


def carry_out(command: tuple[str, ...], says: str) -> str:
    """Answer what is asked: the password, and root's question."""
    with Terminal(command, os.environ) as terminal:
        terminal.wait_for("password for", APPLY_S)
        terminal.send(f"{PASSWORD}\n")
        terminal.wait_for("change nothing: ", 60)
        terminal.send("yes\n")
        terminal.wait_for(says, APPLY_S)
        assert terminal.exit_code(APPLY_S) == 0
        return terminal.text()
