"""A host without a network: wheels and a Python of a fetched folder, packages of a copy."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.homes import SOURCE, listing
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
STAYS = (".local/share/rdna1-setup", ".local/state")
"""The Python that uv brought, as the plan says, and the journal."""
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
    """Stand-ins of the stack, what an environment holds from the start, and a Python."""
    require_root()
    work = tmp_path_factory.mktemp("supply")
    make_stand_ins(work / "house")
    pip = (sys.executable, "-m", "pip", "download", "--quiet", "--dest", work / "house")
    seeds = ("pip", "setuptools")
    subprocess.run((*pip, *seeds), check=True, stdin=subprocess.DEVNULL, timeout=600)
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


def test_a_venv_alone_is_made_goes_on_after_a_kill_and_leaves_nothing_but_its_python(
    host: Root, supply: Supply, tmp_path: Path
) -> None:
    filled(host, supply, tmp_path)
    assert not host.path("/usr/bin/python3.10").exists()
    home = host.path(HOME)
    (home / "mine.txt").write_text("mine")
    before = listing(home)
    words = ("apply", "--stack", "rocm52", *WHEELS, "--yes")
    kill_at(started(host, *words), "/uv pip install ")
    done = run(*started(host, *words))
    assert done.returncode == 0, done.stdout + done.stderr
    program = "import sys, torch; print(torch.__version__, sys.version_info[:2])"
    seen = run(*as_owner(host, f"{HOME}/ai/rocm52/bin/python", "-c", program))
    assert seen.stdout == "1.13.1+rocm5.2 (3, 10)\n", seen.stderr
    again = run(*started(host, *words, "--json"))
    assert json.loads(again.stdout.splitlines()[-1])["changed"] is False, again.stdout
    undone = run(*started(host, "rollback", "--yes"))
    assert undone.returncode == 0, undone.stdout + undone.stderr
    left = {name: seen for name, seen in listing(home).items() if not name.startswith(STAYS)}
    assert {name for name in left if name not in before} <= {".local", ".local/share"}
    assert {name: left.get(name) for name in before} == before


def kill_at(command: tuple[str, ...], words: str) -> None:
    """Run it until the step begins that shows these words, then kill it and all that it started."""
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("[") and words in line:
                os.killpg(process.pid, signal.SIGKILL)
                break
        process.communicate()
    assert process.returncode == -signal.SIGKILL, f"{words} was never reached"


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
