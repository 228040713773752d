"""The whole road: from another ROCm to the system footprint of a stack, and back, to the byte."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.e2e.homes import python_310
from tests.e2e.system.archive_server import ArchiveServer
from tests.e2e.system.asking import of_amd, packages
from tests.e2e.system.bases import OWNER, PASSWORD, PREFIX
from tests.e2e.system.roots import Root
from tests.e2e.system.snapshot import differences, take, told
from tests.e2e.system.states import (
    AMDGPU_INSTALL,
    DISTRIBUTION,
    HALF_DELETED,
    ROCM_57,
    ROCM_62,
    ROCM_70,
    Enter,
    State,
)
from tests.e2e.terminal import Terminal
from tests.run.wheels import make_stand_ins

pytestmark = pytest.mark.e2e

PYTHONS, WHEELS = "/srv/python", "/srv/wheels"
APPLY_S = 400


def prepared(root: Root, archive: ArchiveServer, wheels: Path) -> tuple[str, ...]:
    """A Python and wheels in reach; gives the words that every apply needs."""
    for source, name in ((python_310().parents[1], PYTHONS), (wheels, WHEELS)):
        root.path(name).mkdir(parents=True)
        root.space.mount("--bind", str(source), str(root.path(name)))
    root.give_sudo("with password")
    fingerprint = ("--rocm-key-fingerprint", archive.archive.fingerprint)
    system = ("--footprint", "venv+system", *fingerprint)
    return ("--stack", "rocm52", *system, "--wheelhouse", WHEELS, "--without-card")


def at_a_terminal(root: Root, *words: str) -> Terminal:
    """The wizard as its owner starts it, at a terminal of its own."""
    env = {"PATH": f"{PYTHONS}/bin:/usr/local/bin:/usr/bin:/bin", "TERM": "xterm"}
    command = root.command(f"{PREFIX}/bin/rdna1-setup", *words, user=OWNER, env=env)
    return Terminal(command, os.environ)


def carry_out(root: Root, *words: str, says: str) -> str:
    """Answer what is asked: the password, and root's question."""
    with at_a_terminal(root, *words) as terminal:
        terminal.wait_for("password for", APPLY_S)
        terminal.send(f"{PASSWORD}\n")
        terminal.wait_for("leave all as it is: ", 60)
        terminal.send("yes\n")
        terminal.wait_for(says, APPLY_S)
        return terminal.text()


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    make_stand_ins(folder)
    pip = ("python3", "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, "pip")
    subprocess.run(pip, check=True, stdin=subprocess.DEVNULL)
    folder.chmod(0o755)
    return folder


def not_exact(state: State, why: str) -> object:
    """A state from which the way back is not exact yet, and why."""
    return pytest.param(state, marks=pytest.mark.xfail(reason=why, strict=True))


@pytest.mark.parametrize(
    "state",
    [
        ROCM_57,
        ROCM_70,
        DISTRIBUTION,
        not_exact(ROCM_62, "the way back registers amdclang, which was not registered before"),
        not_exact(AMDGPU_INSTALL, "amdgpu-dkms stays away: it builds a kernel module"),
        not_exact(HALF_DELETED, "packages come back whole, with files that had been deleted"),
    ],
    ids=str,
)
def test_to_rocm52_and_back(
    enter: Enter, archive: ArchiveServer, wheels: Path, state: State
) -> None:
    root = enter(state)
    words = prepared(root, archive, wheels)
    before = take(root.folder)
    carry_out(root, "apply", *words, "--yes", says="Finished.")
    rows = packages(root)
    assert rows["rocm-core"].version.startswith("5.2.0.50200")
    others = {name for name in of_amd(root) if ".50200" not in rows[name].version}
    assert not others
    carry_out(root, "rollback", "--yes", says="Undone")
    found = differences(before, take(root.folder))
    left = tuple(each for each in found if not justified(each.name))
    assert not left, told(left)


def justified(name: str) -> bool:
    """True for what is not as before, and why that is right."""
    return any(name == path or name.startswith(f"{path}/") for path in JUSTIFIED)


JUSTIFIED = {
    f"/home/{OWNER}/.local": "the journal of what was done and undone: kept until the user goes",
    f"/home/{OWNER}/.cache": "the folder of downloads, empty",
    # The postinst of AMD's packages makes the priority out of the time of its run.
    "/var/lib/dpkg/alternatives/rocm": "a priority out of the clock",
    "/var/lib/dpkg/alternatives/rocm-smi": "a priority out of the clock",
    "/var/lib/dpkg/alternatives/rocm_agent_enumerator": "a priority out of the clock",
    "/var/lib/dpkg/alternatives/rocminfo": "a priority out of the clock",
    "/var/lib/dpkg/alternatives/amdclang": "a priority out of the clock",
    "package readline-common:all": "dpkg takes over a Priority that the archive has changed",
}
"""At most eight paths, each with its reason."""
