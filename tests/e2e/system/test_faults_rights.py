"""Faults of sudo, and an owner who changes his mind."""

from __future__ import annotations

import re

import pytest

from tests.e2e.system.archive_server import ArchiveServer
from tests.e2e.system.asking import packages
from tests.e2e.system.bases import OWNER, PASSWORD, PREFIX
from tests.e2e.system.owner import PATIENCE_S, QUESTION, Owner, agree, end_of, one_line

pytestmark = pytest.mark.e2e


def test_somebody_who_may_not_use_sudo(owner: Owner) -> None:
    owner.root.give_sudo("none")
    with owner.start() as terminal:
        terminal.wait_for("password for", PATIENCE_S)
        terminal.send(f"{PASSWORD}\n")
        told = end_of(terminal)
    assert "owner is not in the sudoers file" in told
    assert "this account is not allowed to use sudo" in told
    assert "add you to the group sudo" in told
    assert "run them as root yourself: sh /home/owner/" in told
    owner.root.give_sudo("with password")
    owner.is_as_before()
    owner.goes_through()


def test_a_password_that_is_wrong_three_times(owner: Owner) -> None:
    with owner.start() as terminal:
        for _ in range(3):
            terminal.wait_for("password for", PATIENCE_S)
            terminal.send("wrong\n")
        told = end_of(terminal)
    assert "3 incorrect password attempts" in told
    assert "The wrong password was entered three times" in told
    assert "Start again" in told
    owner.is_as_before()
    owner.goes_through()


def test_no_sudo_at_all(owner: Owner) -> None:
    program = owner.root.path("/usr/bin/sudo")
    program.rename(program.with_name("no-sudo"))
    with owner.start() as terminal:
        terminal.wait_for("FAILED", PATIENCE_S)
        told = end_of(terminal)
    assert "sudo is not installed" in told
    assert "su -c 'apt-get install sudo'" in told
    (script,) = re.findall(r"run them as root yourself: sh (\S+by-hand\.sh)", told)
    program.with_name("no-sudo").rename(program)
    owner.is_as_before()
    owner.root.run("sh", script, text="y\n")
    assert packages(owner.root)["rocm-core"].status == "ii"
    owner.goes_through()


def test_a_no_to_roots_question(owner: Owner) -> None:
    with owner.start() as terminal:
        terminal.wait_for("password for", PATIENCE_S)
        terminal.send(f"{PASSWORD}\n")
        terminal.wait_for(QUESTION)
        terminal.send("y\n")
        told = end_of(terminal)
    assert "The plan was not confirmed" in told
    assert "Nothing was changed" in told
    owner.is_as_before()


def test_ctrl_c_twice_where_the_password_is_asked(owner: Owner) -> None:
    with owner.start() as terminal:
        terminal.wait_for("password for", PATIENCE_S)
        owner.interrupts(terminal)
        terminal.wait_for("Stopping after this step, or immediately")
        owner.interrupts(terminal)
        told = end_of(terminal, 130)
    assert re.search(
        "Run the same command again to (?:repeat the step and )?continue", told
    )  # sudo may be faster
    owner.is_as_before()
    owner.goes_through()


def test_ctrl_c_twice_while_apt_works(owner: Owner, archive: ArchiveServer) -> None:
    archive.stall(0.5, "/5.2/", "hsa-rocr_")
    with owner.start() as terminal:
        agree(terminal)
        terminal.wait_until(archive.held.is_set, "apt's download stalls", PATIENCE_S)
        owner.interrupts(terminal)
        terminal.wait_for("immediately during a download. Press Ctrl+C again to end the")
        owner.interrupts(terminal)
        told = end_of(terminal, 130)
    assert "Stopped, but the root helper is still working" in told
    assert re.search(r"its own\.\s`rdna1-setup watch` shows its progress\. Then", told)
    program = f"{PREFIX}/bin/rdna1-setup"
    with owner.root.start(program, "watch", user=OWNER) as watching:
        assert watching.stdout is not None
        assert "the root helper is still working" in watching.stdout.readline()
        archive.restore()  # which cuts the connection that stalled; it is tried once more
        assert "package files kept" in one_line(watching.stdout.read())
    assert watching.returncode == 0
    owner.lost_nothing()
    owner.goes_through()
