"""Faults of the machine itself: disks, locks, the clock, folders."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from tests.e2e.system.archive_server import ArchiveServer
from tests.e2e.system.asking import packages
from tests.e2e.system.bases import PASSWORD, PREFIX
from tests.e2e.system.owner import HOME, PATIENCE_S, Owner, OwnerIn, agree, end_of, with_57
from tests.e2e.system.roots import Root
from tests.e2e.system.snapshot import take
from tests.e2e.system.troubles import held_lock

pytestmark = pytest.mark.e2e

BACKUP = "/var/lib/rdna1-setup"
WAITING = "package libc-bin:amd64"
"""Its trigger waits for what was cut off."""
ENOUGH, TOO_LITTLE = 230 * 10**6, 100 * 10**6
"""Bytes of a disk; 200 MB are wanted to spare."""


def fill(root: Root, folder: str, left: int = 0) -> None:
    """Somebody fills a disk, but for so many bytes."""
    free = os.statvfs(f"/proc/{root.space.init}/root{root.path(folder)}")
    size = free.f_bavail * free.f_frsize - left
    root.run("fallocate", "--length", str(size), f"{folder}/filler")


def test_a_disk_without_room_is_seen_before_anything_is_begun(owner: Owner) -> None:
    owner.root.run("mkdir", BACKUP)
    owner.root.limit_disk(BACKUP, TOO_LITTLE)
    told = owner.refusal()
    assert "has only 0.1 GB free, but 0.2 GB is needed" in told
    assert f"to download ({BACKUP})" in told
    assert "`sudo apt-get clean`" in told
    owner.is_as_before()
    owner.root.space.mount("-o", f"remount,size={ENOUGH}", str(owner.root.path(BACKUP)))
    owner.reaches_roots_question()


def test_a_disk_that_becomes_full_in_the_download(owner: Owner) -> None:
    owner.root.run("mkdir", BACKUP)
    owner.root.limit_disk(BACKUP, ENOUGH)
    with owner.start() as terminal:
        terminal.wait_for("password for", PATIENCE_S)
        fill(owner.root, BACKUP, left=300_000)
        agree(terminal)
        told = end_of(terminal)
    assert "The disk is full" in told
    assert "Free up some space (`sudo apt-get clean`" in told
    owner.lost_nothing()
    owner.root.run("rm", f"{BACKUP}/filler")
    owner.goes_through()


def test_a_disk_that_becomes_full_while_packages_unpack(owner: Owner) -> None:
    owner.root.run("mkdir", "/opt/rocm-5.2.0")
    owner.root.limit_disk("/opt/rocm-5.2.0", 64 * 1024)
    told = owner.failure()
    assert "The disk is full" in told
    assert "Free up some space" in told
    assert "not in the planned state" in told
    owner.lost_nothing(WAITING)
    bigger = ("-o", "remount,size=50m", str(owner.root.path("/opt/rocm-5.2.0")))
    owner.root.space.mount(*bigger)
    owner.goes_through()


def test_a_disk_that_becomes_full_while_packages_are_kept(owner_in: OwnerIn) -> None:
    owner = with_57(owner_in)
    owner.root.run("mkdir", BACKUP)
    owner.root.limit_disk(BACKUP, ENOUGH)
    with owner.start() as terminal:
        terminal.wait_for("password for", PATIENCE_S)
        fill(owner.root, BACKUP, left=300_000)
        agree(terminal)
        told = end_of(terminal)
    assert "The disk is full" in told
    assert "Free up some space" in told
    owner.is_as_before()
    owner.root.run("rm", f"{BACKUP}/filler")
    owner.goes_through()


def test_a_lock_that_is_held_before_anything_is_begun(owner: Owner) -> None:
    with held_lock(owner.root):
        told = owner.refusal()
    assert "python3 (process " in told
    assert "installing or removing packages right now" in told
    assert "Wait until the other program has finished" in told
    owner.is_as_before()
    owner.reaches_roots_question()


def test_a_lock_that_is_held_for_some_seconds_is_waited_for(owner: Owner) -> None:
    with owner.start() as terminal:
        terminal.wait_for("password for", PATIENCE_S)
        with held_lock(owner.root):
            agree(terminal)
            terminal.wait_for("waiting for python3, process ", PATIENCE_S)
            until = time.monotonic() + 5
            terminal.wait_until(lambda: time.monotonic() > until, "five seconds")
        terminal.wait_for(f"--allow-existing {HOME}", PATIENCE_S)
    assert packages(owner.root)["rocm-core"].status == "ii"


def test_a_lock_that_is_held_for_ever(owner: Owner) -> None:
    lose_patience(owner.root)
    with owner.start() as terminal:
        terminal.wait_for("password for", PATIENCE_S)
        with held_lock(owner.root):
            agree(terminal)
            told = end_of(terminal)
    assert "Another program is installing or removing packages: python3, process " in told
    assert "That program has held the package lock for 3 s" in told
    assert "Never delete the lock" in told
    owner.lost_nothing()
    owner.goes_through()


def lose_patience(root: Root) -> None:
    """Root's helper waits 3 s for a lock and not 2 minutes, as nobody does who tests it."""
    site = f"lib/python{root.suite.python}/site-packages"
    helper = root.path(f"{PREFIX}/{site}/assets/root/packages.py")
    text = helper.read_text()
    assert "LOCK_PATIENCE_S = 120.0" in text
    helper.write_text(text.replace("LOCK_PATIENCE_S = 120.0", "LOCK_PATIENCE_S = 3.0"))


HTTP = ("--rocm-repo", "http://repo.radeon.com/rocm/apt")
"""Without certificates, which the clock matters for too."""


@pytest.mark.parametrize(
    ("more", "by", "words"),
    [
        ((), "-400d", "The clock is wrong"),
        (HTTP, "-1000d", "This machine's clock is slow"),
    ],
    ids=["https", "http"],
)
def test_a_clock_that_is_behind(owner: Owner, more: tuple[str, ...], by: str, words: str) -> None:
    install_faketime(owner.root)
    owner = replace(owner, before=take(owner.root.folder))
    with clock_moved(owner, by) as mistaken:
        told = mistaken.refusal(*more)
    assert words in told
    assert "Check the date" in told or "Set the clock" in told
    owner.is_as_before()
    owner.reaches_roots_question(*more)


def test_a_clock_that_is_set_back_in_mid_run(owner: Owner, archive: ArchiveServer) -> None:
    install_faketime(owner.root)
    archive.drop(0.5, "/5.2/", "hsa-rocr_")
    assert "The network connection failed" in owner.failure(*HTTP)
    archive.restore()
    with clock_moved(owner, "-100d") as mistaken:
        mistaken.goes_through(*HTTP)


def install_faketime(root: Root) -> None:
    """The library by which programs see another time."""
    root.apt("install", "--no-install-recommends", "libfaketime")


@contextmanager
def clock_moved(owner: Owner, by: str) -> Iterator[Owner]:
    """The owner with another time for the wizard and for apt; root's helper only notes it."""
    library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"
    moved = {"LD_PRELOAD": library, "FAKETIME": by, "DONT_FAKE_MONOTONIC": "1"}
    words = " ".join(f"{name}={value}" for name, value in moved.items())
    program = owner.root.path("/usr/bin/apt-get")
    real = program.rename(program.with_name("apt-get-as-it-is"))
    owner.root.write("/usr/bin/apt-get", f'#!/bin/sh\n{words} exec {real.name} "$@"\n', 0o755)
    yield replace(owner, env={**owner.env, **moved})
    real.rename(program)


def test_a_home_that_cannot_be_written(owner: Owner) -> None:
    home = str(owner.root.path(HOME))
    owner.root.space.mount("--bind", home, home)
    owner.root.space.mount("-o", "remount,bind,ro", home)
    told = owner.refusal()
    assert "Read-only file system" in told
    owner.is_as_before()
    owner.root.space.mount("-o", "remount,bind,rw", home)
    owner.reaches_roots_question()


def test_a_backup_folder_that_is_a_link(owner: Owner) -> None:
    owner.root.run("mkdir", "/srv/elsewhere")
    owner.root.run("ln", "-s", "/srv/elsewhere", BACKUP)
    with owner.start() as terminal:
        terminal.wait_for("password for", PATIENCE_S)
        terminal.send(f"{PASSWORD}\n")
        told = end_of(terminal)
    assert f"{BACKUP} must be a folder" in told
    assert "Replace the link or file with a real folder" in told
    assert not list(owner.root.path("/srv/elsewhere").iterdir())
    owner.is_as_before()
    owner.root.run("rm", BACKUP)
    owner.goes_through()
