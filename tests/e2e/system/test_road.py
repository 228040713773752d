"""The whole road: from another ROCm to the system footprint of a stack, and back, to the byte."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.homes import python_310
from tests.e2e.system.archive_server import ArchiveServer
from tests.e2e.system.asking import of_amd, packages
from tests.e2e.system.bases import JAMMY, NOBLE, OWNER, PASSWORD, PREFIX, Suite
from tests.e2e.system.namespaces import Running
from tests.e2e.system.roots import Root
from tests.e2e.system.snapshot import Difference, differences, take, told
from tests.e2e.system.states import (
    AMDGPU_INSTALL,
    DISTRIBUTION,
    HALF_DELETED,
    NOTHING,
    ROCM_57,
    ROCM_62,
    ROCM_70,
    Enter,
    State,
)
from tests.e2e.terminal import Terminal
from tests.root.conversation import wait_until

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
        terminal.wait_for("change nothing: ", 60)
        terminal.send("yes\n")
        terminal.wait_for(says, APPLY_S)
        assert terminal.exit_code(APPLY_S) == 0
        return terminal.text()


def by_rollback(root: Root) -> None:
    """With the wizard, as its owner."""
    carry_out(root, "rollback", "--yes", says="Undone")


def by_script(root: Root) -> None:
    """Root's part by UNDO.sh alone, without a network; then the wizard needs no root for the rest.

    The folder of the environment is the owner's, and no business of a script that runs as root.
    """
    wait_until(lambda: not _helpers(root), "the end of the helper")
    (script,) = root.folder.glob("var/lib/rdna1-setup/runs/*/UNDO.sh")
    done = root.run("unshare", "--net", "sh", f"/{script.relative_to(root.folder)}", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rest = root.wizard("rollback", "--yes")
    assert (rest.returncode, rest.stdout.splitlines()[-1]) == (0, "Undone."), rest.stderr


def _helpers(root: Root) -> list[Running]:
    return [each for each in root.running() if any("assets/root" in w for w in each.command)]


WAYS = pytest.mark.parametrize(
    "go_back", [by_rollback, by_script], ids=lambda way: way.__name__.replace("_", " ")
)
STATES = (NOTHING, ROCM_57, ROCM_62, ROCM_70, AMDGPU_INSTALL, HALF_DELETED, DISTRIBUTION)


@WAYS
@pytest.mark.parametrize("state", STATES, ids=str)
def test_to_rocm52_and_back(
    enter: Enter,
    archive: ArchiveServer,
    wheels: Path,
    state: State,
    go_back: Callable[[Root], None],
) -> None:
    there_and_back(enter(state), archive, wheels, go_back)


@WAYS
@pytest.mark.parametrize("suite", [JAMMY, NOBLE], ids=lambda suite: suite.name)
def test_to_rocm52_and_back_on_ubuntu(
    enter: Enter,
    archive: ArchiveServer,
    wheels: Path,
    suite: Suite,
    go_back: Callable[[Root], None],
) -> None:
    """Skipped by name where no archive of Ubuntu is given."""
    there_and_back(enter(ROCM_57, suite), archive, wheels, go_back)


def there_and_back(
    root: Root, archive: ArchiveServer, wheels: Path, go_back: Callable[[Root], None]
) -> None:
    """The road, and nothing of it to be seen afterwards."""
    words = prepared(root, archive, wheels)
    edit_settings(root)
    before = take(root.folder)
    carry_out(root, "apply", *words, "--yes", says="Finished.")
    rows = packages(root)
    assert rows["rocm-core"].version.startswith("5.2.0.50200")
    others = {name for name in of_amd(root) if ".50200" not in rows[name].version}
    assert not {name for name in others if "amdgpu" not in name}, "only its graphics may stay"
    assert "amdgpu-dkms" not in rows
    go_back(root)
    found = differences(before, take(root.folder))
    left = tuple(each for each in found if not justified(each))
    assert not left, told(left)


def edit_settings(root: Root) -> None:
    """Every settings file of AMD's packages has a line of the owner's, and is for root alone."""
    for name in of_amd(root):
        told = root.run("dpkg-query", "-W", "-f", "${Conffiles}", name).stdout
        for path in (root.path(row.split()[0]) for row in told.splitlines() if row):
            if path.exists():
                path.write_bytes(path.read_bytes() + b"# mine\n")
                path.chmod(0o600)


def justified(found: Difference) -> bool:
    """True for what is not as before, and why that is right; also for new folders above it."""
    above = found.before is None and found.after is not None and found.after.kind == "folder"
    return _says_the_archive(found) or any(
        found.name == path
        or found.name.startswith(f"{path}/")
        or (above and path.startswith(f"{found.name}/"))
        for path in JUSTIFIED
    )


def _says_the_archive(found: Difference) -> bool:
    """True where only what the archive says of an installed package has changed in the status."""
    if found.before is None or found.after is None or found.before.kind != "package":
        return False
    before, after = (
        [line for line in seen.text.splitlines() if not line.startswith(ARCHIVES_WORD)]
        for seen in (found.before, found.after)
    )
    return before == after


ARCHIVES_WORD = ("Priority:", "Section:")
JUSTIFIED = {
    f"/home/{OWNER}/.local/state/rdna1-setup": "what was done and undone: until the owner goes",
    f"/home/{OWNER}/.cache/rdna1-setup": "what the archives said when they were asked",
    "/etc/group-": "the copy that gpasswd keeps of the list as it was before its last change",
    "/etc/gshadow-": "the same",
    f"/var/lib/dpkg/status: {ARCHIVES_WORD}": "apt tells dpkg what the archive says of packages",
}
"""At most eight paths, each with its reason."""


def test_the_list_of_what_is_justified_is_short() -> None:
    assert len(JUSTIFIED) <= 8
