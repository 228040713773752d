"""The Ansible role on three Debian roots: one right, one half done, one broken; no network."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.e2e.homes import SOURCE
from tests.e2e.own_wheels import download_own
from tests.e2e.small_torch import make_small_torch
from tests.e2e.system.bases import BOOKWORM, base_tar, require_root
from tests.e2e.system.fleet_hosts import HOME, ROLES, Fleet, ansible, as_owner, recap, tree
from tests.e2e.system.roots import OWNER, Root, fresh_root

pytestmark = pytest.mark.e2e

SHIPPED = f"{HOME}/.cache/rdna1-setup/folder"
APPLY = ("apply", "--stack", "cpu", "--wheelhouse", f"{SHIPPED}/wheels", "--without-card", "--yes")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small torch, and what the wizard depends on, from PyPI."""
    folder = tmp_path_factory.mktemp("house")
    make_small_torch(folder, 200_000)
    download_own(folder, "3.11")
    return folder


@pytest.fixture(scope="module")
def roots() -> Iterator[dict[str, Root]]:
    require_root()
    ansible("ansible-playbook")
    with ExitStack() as stack:
        names = ("right", "half", "broken")
        tar = base_tar(BOOKWORM)
        yield {name: stack.enter_context(fresh_root(BOOKWORM, tar)) for name in names}


@pytest.fixture(scope="module")
def fleet(roots: dict[str, Root], house: Path, tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    """The hosts, and a folder that was fetched for a record of one of them."""
    work = tmp_path_factory.mktemp("fleet")
    recorded = roots["right"].wizard("report", "--record", f"{HOME}/record")
    assert recorded.returncode == 0, recorded.stdout + recorded.stderr
    shutil.move(roots["right"].path(f"{HOME}/record"), work / "record")
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
    return Fleet(roots, work / "folder", work)


def cut_off(root: Root, folder: Path, step: int) -> None:
    """A run that somebody killed: the folder is there, and some steps are done."""
    there = root.path(SHIPPED)
    shutil.copytree(folder, there)
    for path in (there.parents[1], there.parent, there, *there.rglob("*")):
        os.chown(path, *root.numbers())
    command = as_owner(root, "sh", f"{SHIPPED}/start.sh", *APPLY)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, text=True, **pipes) as run:  # type: ignore[call-overload]
        seen = []
        for line in run.stdout:
            seen.append(line)
            if line.startswith(f"[{step}/"):
                break
        for process in root.running():
            if {"wizard", "pip"} & set(process.command):
                os.kill(process.pid, signal.SIGKILL)
        run.communicate()
    assert run.returncode != 0, seen


def test_the_role_on_a_right_a_half_done_and_a_broken_host(fleet: Fleet) -> None:
    first = fleet.play("--limit", "right")
    assert recap(first)["right"]["failed"] == 0, first.stdout + first.stderr
    cut_off(fleet.hosts["half"], fleet.folder, 5)
    broken = fleet.hosts["broken"]
    closed = broken.path(f"{HOME}/ai")
    closed.mkdir(mode=0o700)

    before = {name: tree(root) for name, root in fleet.hosts.items()}
    looked = fleet.play("--check")
    assert {name: tree(root) for name, root in fleet.hosts.items()} == before
    counts = recap(looked)
    assert (counts["right"]["changed"], counts["right"]["failed"]) == (0, 0), looked.stdout
    assert (counts["half"]["changed"], counts["half"]["failed"]) == (1, 0), looked.stdout
    assert counts["broken"]["failed"] == 1, looked.stdout

    played = fleet.play()
    counts = recap(played)
    assert (counts["right"]["changed"], counts["right"]["failed"]) == (0, 0), played.stdout
    assert (counts["half"]["changed"], counts["half"]["failed"]) == (1, 0), played.stdout
    assert counts["broken"]["failed"] == 1, played.stdout
    assert f"No folder can be made at {HOME}/ai/cpu" in played.stdout
    assert "FACTS half changed=True relogin=False" in played.stdout
    assert fleet.hosts["half"].path(f"{HOME}/ai/cpu/bin/python").exists()

    after = _outside_of_our_state(fleet.hosts["half"])
    again = fleet.play("--limit", "right,half")
    counts = recap(again)
    assert [counts[name]["changed"] for name in ("right", "half")] == [0, 0], again.stdout
    assert _outside_of_our_state(fleet.hosts["half"]) == after

    shutil.rmtree(closed)
    mended = recap(fleet.play("--limit", "broken"))["broken"]
    assert (mended["failed"], mended["unreachable"]) == (0, 0)


def _outside_of_our_state(root: Root) -> dict[str, str]:
    """The journal notes that it was looked through once more."""
    return {name: seen for name, seen in tree(root).items() if ".local/state/" not in name}


def test_hosts_of_another_release_are_refused_before_anything_is_shipped(fleet: Fleet) -> None:
    text = (fleet.folder / "fleet.json").read_text()
    other = fleet.work / "other"
    other.mkdir()
    (other / "fleet.json").write_text(text.replace('"release": "12"', '"release": "13"'))
    before = tree(fleet.hosts["right"])
    done = Fleet(fleet.hosts, other, fleet.work).play("--limit", "right")
    assert recap(done)["right"]["failed"] == 1
    assert "is for debian 13 x86_64; this host is Debian 12" in " ".join(done.stdout.split())
    assert tree(fleet.hosts["right"]) == before


def test_groups_are_joined_once_and_the_new_login_is_told_once(fleet: Fleet) -> None:
    root, groups = fleet.hosts["right"], ("render", "video")
    root.give_sudo("without password")
    assert recap(fleet.play("--limit", "right"))["right"]["failed"] == 0
    asked = ("--limit", "right", "-e", json.dumps({"rdna1_setup_groups": groups}))

    before = tree(root)
    looked = fleet.play("--check", *asked)
    assert tree(root) == before
    assert "FACTS right changed=False relogin=True" in looked.stdout
    assert f"{OWNER} on right must log in again" not in " ".join(looked.stdout.split())

    joined = fleet.play(*asked)
    assert recap(joined)["right"]["changed"] == 1, joined.stdout
    assert "FACTS right changed=False relogin=True" in joined.stdout
    assert f"{OWNER} on right must log in again" in " ".join(joined.stdout.split())
    assert set(groups) <= set(root.run("id", "-nG", OWNER).stdout.split())

    again = fleet.play(*asked)
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
