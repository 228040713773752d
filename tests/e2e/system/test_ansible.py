"""The Ansible role on three Debian roots: one right, one half done, one broken; no network."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from tests.e2e.homes import SOURCE
from tests.e2e.small_torch import make_small_torch
from tests.e2e.system.ansible_hosts import HOME, ROLES, Hosts, ansible, as_owner, recap, tree
from tests.e2e.system.bases import BOOKWORM, base_tar, require_root
from tests.e2e.system.roots import OWNER, Root, fresh_root

pytestmark = pytest.mark.e2e

PLACE = f"{HOME}/.local/share/rdna1-setup/ansible"
WHEELS = f"{PLACE}/folder/wheels"
APPLY = ("apply", "--stack", "cpu", "--wheelhouse", WHEELS, "--without-card", "--yes")


@pytest.fixture(scope="module")
def roots() -> Iterator[dict[str, Root]]:
    require_root()
    ansible("ansible-playbook")
    with ExitStack() as stack:
        names = ("right", "half", "broken")
        tar = base_tar(BOOKWORM)
        yield {name: stack.enter_context(fresh_root(BOOKWORM, tar)) for name in names}


@pytest.fixture(scope="module")
def hosts(roots: dict[str, Root], tmp_path_factory: pytest.TempPathFactory) -> Hosts:
    """The hosts, the wizard as wheels, and a folder that was fetched for a record of one host."""
    work = tmp_path_factory.mktemp("ansible")
    recorded = roots["right"].wizard("report", "--record", f"{HOME}/record")
    assert recorded.returncode == 0, recorded.stdout + recorded.stderr
    shutil.move(roots["right"].path(f"{HOME}/record"), work / "record")
    wizard = pack_wizard(work / "wizard")
    house = work / "house"
    make_small_torch(house, 200_000)
    shutil.copy(next(wizard.parent.glob("pip-*.whl")), house)
    source = ("--wheelhouse", str(house), "--for", str(work / "record"))
    done = subprocess.run(
        (sys.executable, "-m", "wizard", "fetch", "--stack", "cpu", *source, str(work / "folder")),
        env={**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return Hosts(roots, wizard, work / "folder", work)


def pack_wizard(folder: Path) -> Path:
    """The wizard's wheel as it is now, with what it depends on and pip beside it."""
    pip, quiet = (sys.executable, "-m", "pip"), ("--quiet", "--disable-pip-version-check")
    own = (*pip, "wheel", *quiet, "--no-deps", "--wheel-dir", str(folder), str(SOURCE))
    subprocess.run(own, check=True, stdin=subprocess.DEVNULL, timeout=600)
    (wheel,) = folder.glob("*.whl")
    options = ("--only-binary=:all:", f"--python-version={BOOKWORM.python}", "--dest", str(folder))
    needed = (*pip, "download", *quiet, *options, str(wheel), "pip")
    subprocess.run(needed, check=True, stdin=subprocess.DEVNULL, timeout=600)
    return wheel


def cut_off(root: Root, hosts: Hosts, step: int) -> None:
    """A run that somebody killed: all of it was shipped, and some steps are done."""
    place = root.path(PLACE)
    shutil.copytree(hosts.folder, place / "folder")
    shutil.copytree(hosts.wizard.parent, place / "wizard-wheels")
    shutil.copy(hosts.wizard, place)
    share = root.path(f"{HOME}/.local")
    for path in (share, *share.rglob("*")):
        os.chown(path, *root.numbers())
    offline = ("--no-index", "--find-links", f"{PLACE}/wizard-wheels")
    for argv in (
        ("python3", "-m", "venv", f"{PLACE}/venv"),
        (f"{PLACE}/venv/bin/pip", "install", *offline, f"{PLACE}/{hosts.wizard.name}"),
    ):
        subprocess.run(as_owner(root, *argv), check=True, stdin=subprocess.DEVNULL)
    command = as_owner(root, f"{PLACE}/venv/bin/rdna1-setup", *APPLY)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, text=True, **pipes) as run:  # type: ignore[call-overload]
        seen = []
        for line in run.stdout:
            seen.append(line)
            if line.startswith(f"[{step}/"):
                break
        for process in root.running():
            if {f"{PLACE}/venv/bin/rdna1-setup", "pip"} & set(process.command):
                os.kill(process.pid, signal.SIGKILL)
        run.communicate()
    assert run.returncode != 0, seen


def test_the_role_on_a_right_a_half_done_and_a_broken_host(hosts: Hosts) -> None:
    first = hosts.play("--limit", "right")
    assert recap(first)["right"]["failed"] == 0, first.stdout + first.stderr
    cut_off(hosts.roots["half"], hosts, 5)
    broken = hosts.roots["broken"]
    closed = broken.path(f"{HOME}/ai")
    closed.mkdir(mode=0o700)

    before = {name: tree(root) for name, root in hosts.roots.items()}
    looked = hosts.play("--check")
    assert {name: tree(root) for name, root in hosts.roots.items()} == before
    counts = recap(looked)
    assert (counts["right"]["changed"], counts["right"]["failed"]) == (0, 0), looked.stdout
    assert (counts["half"]["changed"], counts["half"]["failed"]) == (1, 0), looked.stdout
    assert counts["broken"]["failed"] == 1, looked.stdout

    played = hosts.play()
    counts = recap(played)
    assert (counts["right"]["changed"], counts["right"]["failed"]) == (0, 0), played.stdout
    assert (counts["half"]["changed"], counts["half"]["failed"]) == (1, 0), played.stdout
    assert counts["broken"]["failed"] == 1, played.stdout
    assert f"The folder {HOME}/ai/cpu cannot be created" in played.stdout
    assert "FACTS half changed=True relogin=False" in played.stdout
    assert hosts.roots["half"].path(f"{HOME}/ai/cpu/bin/python").exists()

    after = _outside_of_our_state(hosts.roots["half"])
    again = hosts.play("--limit", "right,half")
    counts = recap(again)
    assert [counts[name]["changed"] for name in ("right", "half")] == [0, 0], again.stdout
    assert _outside_of_our_state(hosts.roots["half"]) == after

    shutil.rmtree(closed)
    fixed = recap(hosts.play("--limit", "broken"))["broken"]
    assert (fixed["failed"], fixed["unreachable"]) == (0, 0)


def _outside_of_our_state(root: Root) -> dict[str, str]:
    """The journal notes that it was looked through once more."""
    return {name: seen for name, seen in tree(root).items() if ".local/state/" not in name}


def test_a_wizard_of_another_content_takes_the_place_of_the_one_that_is_there(
    hosts: Hosts, tmp_path: Path
) -> None:
    assert recap(hosts.play("--limit", "right"))["right"]["failed"] == 0
    venv = hosts.roots["right"].path(f"{PLACE}/venv")
    (venv / "of-the-first").touch()
    wheels = tmp_path / "wheels"
    shutil.copytree(hosts.wizard.parent, wheels)
    with zipfile.ZipFile(wheels / hosts.wizard.name, "a") as wheel:
        wheel.comment = b"another"
    other = replace(hosts, wizard=wheels / hosts.wizard.name)
    played = other.play("--limit", "right")
    assert recap(played)["right"]["failed"] == 0, played.stdout + played.stderr
    assert not (venv / "of-the-first").exists()
    assert recap(other.play("--limit", "right"))["right"]["changed"] == 0


def test_what_was_not_fetched_to_its_end_is_not_shipped(hosts: Hosts, tmp_path: Path) -> None:
    unfinished = tmp_path / "folder"
    shutil.copytree(hosts.folder, unfinished)
    (unfinished / "SHA256SUMS").unlink()
    before = tree(hosts.roots["right"])
    done = replace(hosts, folder=unfinished).play("--limit", "right")
    assert recap(done)["right"]["failed"] == 1
    assert "there is no SHA256SUMS in it" in " ".join(done.stdout.split())
    assert tree(hosts.roots["right"]) == before


def test_groups_are_joined_once_and_the_new_login_is_told_once(hosts: Hosts) -> None:
    root, groups = hosts.roots["right"], ("render", "video")
    root.give_sudo("without password")
    assert recap(hosts.play("--limit", "right"))["right"]["failed"] == 0
    asked = ("--limit", "right", "-e", json.dumps({"rdna1_setup_groups": groups}))

    before = tree(root)
    looked = hosts.play("--check", *asked)
    assert tree(root) == before
    assert "FACTS right changed=False relogin=True" in looked.stdout
    assert f"{OWNER} on right must log in again" not in " ".join(looked.stdout.split())

    joined = hosts.play(*asked)
    assert recap(joined)["right"]["changed"] == 1, joined.stdout
    assert "FACTS right changed=False relogin=True" in joined.stdout
    assert f"{OWNER} on right must log in again" in " ".join(joined.stdout.split())
    assert set(groups) <= set(root.run("id", "-nG", OWNER).stdout.split())

    again = hosts.play(*asked)
    assert recap(again)["right"]["changed"] == 0, again.stdout
    assert "FACTS right changed=False relogin=False" in again.stdout


def test_the_role_is_clean_to_ansible_lint(tmp_path: Path) -> None:
    program = ansible("ansible-lint")
    path = f"{Path(program).parent}:{os.environ['PATH']}"  # it starts ansible-config
    done = subprocess.run(
        (program, "--offline", "--nocolor", "--profile", "production", str(ROLES.parent)),
        cwd=ROLES.parent,
        env={**os.environ, "ANSIBLE_HOME": str(tmp_path), "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
