"""Faults of dpkg, and packages that stand in the way."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.e2e.system import debs
from tests.e2e.system.asking import packages
from tests.e2e.system.debs import Deb
from tests.e2e.system.owner import Owner, OwnerIn, with_57
from tests.e2e.system.roots import Root
from tests.e2e.system.states import install_dependent
from tests.root.archive import StandIn, publish

pytestmark = pytest.mark.e2e


def test_dpkg_killed_in_mid_work(owner: Owner) -> None:
    kill_dpkg_at_work(owner.root, "half-there")
    told = owner.refusal()
    assert "These packages are not fully installed: half-there (half-installed" in told
    remedy = "dpkg --remove --force-remove-reinstreq half-there"
    assert f"`sudo {remedy}`" in told
    owner.root.run(*remedy.split())
    owner.is_as_before()
    owner.goes_through()


def kill_dpkg_at_work(root: Root, name: str) -> None:
    """SIGKILL for dpkg, and all that it has started, while a package's first script runs."""
    place = root.path(f"/srv/{name}.deb")
    waits = "#!/bin/sh\ntouch /run/reached\nexec sleep 600\n"
    debs.build(Deb(name, "1.0", scripts={"preinst": waits}), place)
    with root.start("dpkg", "--install", f"/srv/{name}.deb") as process:
        until = time.monotonic() + 30
        while not root.path("/run/reached").exists():
            assert time.monotonic() < until, "dpkg never came to the script"
            time.sleep(0.02)
        for one in root.running():
            with suppress(ProcessLookupError):  # it went with the one before it
                os.kill(one.pid, signal.SIGKILL)
        process.wait(30)


def test_a_postinst_that_fails(owner: Owner) -> None:
    record = "/var/lib/dpkg/alternatives/rocm"
    owner.root.write(record, "damaged\n")
    told = owner.failure()
    assert "The package rocm-core" in told
    assert "sudo apt-get purge rocm-core" in told
    assert "sudo dpkg --configure -a" in told
    owner.lost_nothing("/etc/ld.so.cache")
    owner.root.path(record).unlink()
    owner.goes_through()


def test_something_of_the_users_that_needs_what_would_go(owner_in: OwnerIn) -> None:
    owner = with_57(owner_in)
    install_dependent(owner.root, "hip-runtime-amd")
    told = owner.refusal()
    assert "raytracer" in told
    assert packages(owner.root)["raytracer"].status == "ii"
    owner.root.run("dpkg", "--remove", "raytracer")
    owner.is_as_before()
    owner.goes_through()


def test_a_transaction_that_wants_amdgpu_dkms(owner: Owner, tmp_path: Path) -> None:
    newer = StandIn("libelf1", "99.0", fields=("Depends: amdgpu-dkms",))
    publish(owner.root, newer, StandIn("amdgpu-dkms", "99.0"), scratch=tmp_path)
    source = "/etc/apt/sources.list.d/of-the-user.list"
    owner.root.write(source, "deb [trusted=yes] file:/srv/archive stand-in main\n")
    owner.root.run("apt-get", "-qq", "update")
    told = owner.refusal()
    assert "apt would install amdgpu-dkms, which builds a kernel module" in told
    assert "`apt-cache policy amdgpu-dkms` shows which source provides it" in told
    owner.root.path(source).unlink()
    owner.root.run("apt-get", "-qq", "update")
    owner.is_as_before()
    owner.reaches_roots_question()
