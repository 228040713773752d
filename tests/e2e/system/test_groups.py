"""The group of the GPU: joined by a plan for one folder, in force from the next login alone."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conv2d.sweeping import FAKE_TORCH
from tests.e2e.system.archive_server import ArchiveServer
from tests.e2e.system.bases import OWNER, PASSWORD, PREFIX
from tests.e2e.system.card import give_card
from tests.e2e.system.roots import Root
from tests.e2e.system.snapshot import differences, take, told
from tests.e2e.system.states import NOTHING, Enter
from tests.e2e.system.test_road import (
    APPLY_S,
    PYTHONS,
    WHEELS,
    at_a_terminal,
    carry_out,
    justified,
    prepared,
)

pytestmark = pytest.mark.e2e

TELLS = """\
import json, os, sys
if "--events" in sys.argv:
    path = os.environ.get("LD_LIBRARY_PATH")
    seen = {"role": sys.argv[1], "groups": os.getgroups(), "path": path}
    with open("/tmp/told", "a") as file:
        file.write(json.dumps(seen) + "\\n")
"""
"""Every Python that starts with it says in which groups it runs."""
SHAPES = ("--sizes", "8", "--channels", "2-2", "--no-resume", "--json", "--yes")


def measure(root: Root, device: str) -> tuple[dict[str, object], str]:
    """What came out, measured by the owner in a session without any group of the GPU."""
    variables = {
        "HOME": f"/home/{OWNER}",
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "PYTHONPATH": "/srv/torch",
        "FAKE_TORCH": "{}",
        "FAKE_TORCH_HIP": "5.2",
        "LD_LIBRARY_PATH": "/srv/a b",
    }
    words = (f"{name}={value}" for name, value in variables.items())
    become = ("setpriv", "--reuid", OWNER, "--regid", OWNER, "--clear-groups", "--")
    call = ("conv2d", "--python", "/usr/bin/python3", "--device", device, *SHAPES)
    start = (*become, "env", "-i", *words, f"{PREFIX}/bin/rdna1-setup", *call)
    done = root.run(*start, check=False)
    found: dict[str, object] = json.loads(done.stdout)
    return found, done.stderr


def test_until_the_next_login_the_measuring_worker_starts_through_sg(enter: Enter) -> None:
    root = enter(NOTHING)
    shutil.copytree(FAKE_TORCH, root.path("/srv/torch"))
    root.write("/srv/torch/sitecustomize.py", TELLS)
    root.run("groupadd", "--force", "--system", "render")
    root.run("usermod", "-a", "-G", "render", OWNER)
    render = int(root.run("getent", "group", "render").stdout.split(":")[2])
    found, said = measure(root, "cuda")
    results = found["results"]
    assert isinstance(results, list)
    assert [row["verdict"] for row in results] == ["pass"], said
    assert "through `sg render -c`" in " ".join(said.split())
    told = [json.loads(line) for line in root.path("/tmp/told").read_text().splitlines()]
    groups = {row["role"]: row["groups"] for row in told}
    assert render in groups["measure"]
    assert render not in groups["reference"]
    assert {row["path"] for row in told} == {"/srv/a b"}
    root.path("/tmp/told").unlink()
    _, said = measure(root, "cpu")
    assert "sg render" not in said


WORDS = ("--stack", "rocm52", "--wheelhouse", WHEELS, "--yes")


def without_asking(root: Root, *words: str) -> subprocess.CompletedProcess[str]:
    """The wizard without a terminal: nobody could give rights."""
    return root.wizard(*words, env={"PATH": f"{PYTHONS}/bin:/usr/local/bin:/usr/bin:/bin"})


def left_without_rights(root: Root) -> str:
    """What a run says that stops where its account may not use sudo."""
    with at_a_terminal(root, "apply", *WORDS) as terminal:
        terminal.wait_for("password for", APPLY_S)
        terminal.send(f"{PASSWORD}\n")
        assert terminal.exit_code(APPLY_S) == 1
        return " ".join(terminal.text().split())


def groups(root: Root) -> list[str]:
    return root.run("id", "-nG", OWNER).stdout.split()


def test_one_folder_brings_the_permission_along_and_rollback_takes_it_back(
    enter: Enter, archive: ArchiveServer, card_wheels: Path
) -> None:
    root = enter(NOTHING)
    prepared(root, archive, card_wheels)
    give_card(root)
    assert "render" not in groups(root)
    before = take(root.folder)
    said = carry_out(root, "apply", *WORDS, says="Finished.")
    assert "render" in groups(root)
    assert "the new groups take effect. Until then" in " ".join(said.split())
    again = without_asking(root, "apply", *WORDS)
    assert again.returncode == 0, again.stderr
    assert "No changes were needed." in again.stdout
    carry_out(root, "rollback", "--yes", says="Undone")
    assert "render" not in groups(root)
    left = tuple(e for e in differences(before, take(root.folder)) if not justified(e))
    assert not left, told(left)


def test_who_may_not_use_sudo_takes_the_run_back_and_installs_without_that_step(
    enter: Enter, archive: ArchiveServer, card_wheels: Path
) -> None:
    root = enter(NOTHING)
    prepared(root, archive, card_wheels)
    give_card(root)
    root.give_sudo("none")
    before = take(root.folder)
    assert "this account is not allowed to use sudo" in left_without_rights(root)
    refused = without_asking(root, "apply", *WORDS, "--without-groups")
    assert refused.returncode != 0
    assert "undo it first: rdna1-setup rollback" in " ".join(
        (refused.stdout + refused.stderr).split()
    )
    undone = without_asking(root, "rollback", "--yes")
    assert undone.returncode == 0, undone.stderr
    left = tuple(e for e in differences(before, take(root.folder)) if not justified(e))
    assert not left, told(left)
    root.run("usermod", "-a", "-G", "render", OWNER)  # whoever keeps the machine
    done = without_asking(root, "apply", *WORDS)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_group_that_was_given_meanwhile_lets_the_run_go_on_without_rights(
    enter: Enter, archive: ArchiveServer, card_wheels: Path
) -> None:
    root = enter(NOTHING)
    prepared(root, archive, card_wheels)
    give_card(root)
    root.give_sudo("none")
    left_without_rights(root)
    root.run("usermod", "-a", "-G", "render", OWNER)
    done = without_asking(root, "apply", *WORDS)
    assert done.returncode == 0, done.stdout + done.stderr
    undone = without_asking(root, "rollback", "--yes")
    assert undone.returncode == 0, undone.stdout + undone.stderr
    assert "render" in groups(root), "it was not the run that gave it"
