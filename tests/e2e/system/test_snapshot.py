"""A snapshot sees every kind of change that a way back could miss, and no change that is none."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from tests.e2e.system import seeds
from tests.e2e.system.roots import OWNER, Root
from tests.e2e.system.snapshot import differences, take, told
from tests.e2e.system.states import NOTHING, ROCM_57, Enter

pytestmark = pytest.mark.e2e
PROFILE = "/etc/profile.d/rocm-rdna1-57.sh"
LIBRARY = "/opt/rocm-5.7.1/lib/libMIOpen.so.1.0.50701"


def change_a_byte(root: Root) -> None:
    path = root.path(LIBRARY)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


def change_a_mode(root: Root) -> None:
    root.path(PROFILE).chmod(0o640)


def change_an_owner(root: Root) -> None:
    os.chown(root.path(f"/home/{OWNER}/.bashrc"), 0, 0)


def change_a_mark(root: Root) -> None:
    root.run("apt-mark", "manual", "rocblas")


def hold_a_package(root: Root) -> None:
    root.run("apt-mark", "hold", "rocblas")


def change_an_alternative(root: Root) -> None:
    root.run("update-alternatives", "--set", "rocm", "/opt/rocm-5.7.1")


def change_a_link(root: Root) -> None:
    link = root.path("/opt/rocm-5.7.1/lib/libMIOpen.so.1")
    link.unlink()
    link.symlink_to("./libMIOpen.so.1.0.50701")


def leave_a_group(root: Root) -> None:
    root.run("gpasswd", "-d", OWNER, "render")


def add_an_empty_folder(root: Root) -> None:
    root.path("/opt/left").mkdir()


def lose_compiled_kernels(root: Root) -> None:
    root.path(seeds.KERNELS).write_text("other kernels\n")


def change_a_link_of_an_alternative(root: Root) -> None:
    root.path("/usr/bin/rocminfo").unlink()


def let_dpkg_forget_a_file(root: Root) -> None:
    root.path("/var/lib/dpkg/info/rocblas.list").write_text("/.\n")


CHANGES: tuple[tuple[Callable[[Root], None], str], ...] = (
    (change_a_byte, f"changed {LIBRARY}: content"),
    (change_a_mode, f"changed {PROFILE}: mode 0644 -> 0640"),
    (change_an_owner, f"changed /home/{OWNER}/.bashrc: owner 1000:1000 -> 0:0"),
    (change_a_mark, "removed automatic rocblas:amd64 (mark)"),
    (hold_a_package, "changed package rocblas:amd64: content"),
    (change_an_alternative, "changed /var/lib/dpkg/alternatives/rocm: content"),
    (change_a_link, "changed /opt/rocm-5.7.1/lib/libMIOpen.so.1: content"),
    (leave_a_group, "changed /etc/group: content"),
    (add_an_empty_folder, "added /opt/left (folder)"),
    (lose_compiled_kernels, f"changed {seeds.KERNELS}: content"),
    (change_a_link_of_an_alternative, "removed /usr/bin/rocminfo (link)"),
    (let_dpkg_forget_a_file, "changed /var/lib/dpkg/info/rocblas.list: content"),
)


def test_each_change_is_seen_and_named(enter: Enter) -> None:
    root = enter(ROCM_57)
    for change, words in CHANGES:
        before = take(root.folder)
        change(root)
        found = told(differences(before, take(root.folder)))
        assert words in found, f"{change.__name__}: {found}"


def test_looking_changes_nothing(enter: Enter) -> None:
    root = enter(ROCM_57)
    before = take(root.folder)
    root.run("apt-get", "-s", "-o", "Dir::Log::Planner=/dev/null", "purge", "rocm-core")
    root.run("apt-cache", "policy", "rocm-core")
    root.wizard("detect")
    after = take(root.folder)
    assert differences(before, after) == (), told(differences(before, after))


def test_a_copy_is_the_same_as_another(enter: Enter) -> None:
    first, second = (take(enter(ROCM_57).folder) for _ in range(2))
    hosts = {"/etc/hosts", "/etc/resolv.conf"}
    found = [d for d in differences(first, second) if d.name not in hosts]
    assert found == []


def test_dpkgs_order_and_apts_zeros_are_no_difference(enter: Enter) -> None:
    root = enter(ROCM_57)
    before = take(root.folder)
    status = root.path("/var/lib/dpkg/status")
    paragraphs = [part for part in status.read_text().split("\n\n") if part.strip()]
    status.write_text("\n\n".join(reversed(paragraphs)) + "\n\n")
    with root.path("/var/lib/apt/extended_states").open("a") as marks:
        marks.write("Package: made-up\nArchitecture: amd64\nAuto-Installed: 0\n\n")
    assert differences(before, take(root.folder)) == ()


def test_the_lines_that_differ_are_shown_up_to_a_limit(enter: Enter) -> None:
    root = enter(NOTHING)
    root.write("/etc/made.conf", "".join(f"old {number}\n" for number in range(40)))
    before = take(root.folder)
    root.write("/etc/made.conf", "".join(f"new {number}\n" for number in range(40)))
    (found,) = differences(before, take(root.folder))
    lines = str(found).splitlines()
    assert "    -old 0" in lines
    assert lines[-1].endswith("lines more")
    assert len(lines) < 20
