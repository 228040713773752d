"""What keeps the package system from working."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.machine.records import make
from wizard.apt.packages import PackageWork
from wizard.core.fact import Unknown
from wizard.machine.packages import PACKAGES, read_packages

FRONTEND = "/var/lib/dpkg/lock-frontend"
DPKG = "/var/lib/dpkg/lock"
LISTS = "/var/lib/apt/lists/lock"
INODES = {FRONTEND: 11, DPKG: 12, LISTS: 13}
MOUNTS = """21 1 254:0 / / rw,relatime - ext4 /dev/vda rw
22 21 0:21 / /proc rw - proc proc rw
23 21 8:17 / /var/lib rw - ext4 /dev/sdb1 rw
"""
BTRFS = "21 1 0:27 /@ / rw,relatime shared:1 - btrfs /dev/nvme0n1p2 rw,subvol=/@\n"


def lock(inode: int, device: str = "08:11", pid: int = 4711, waits: str = "") -> str:
    """One line of the kernel's list of locks."""
    return f"1: {waits}POSIX  ADVISORY  WRITE {pid} {device}:{inode} 0 EOF\n"


def work(
    folder: Path,
    locks: str,
    *,
    mounts: str = MOUNTS,
    files: dict[str, str] | None = None,
    inodes: dict[str, int] = INODES,
    rows: tuple[str, ...] = (),
    links: dict[str, str] | None = None,
) -> PackageWork:
    """The work on a machine with these locks."""
    every = {
        **dict.fromkeys(INODES, ""),
        "/proc/locks": locks,
        "/proc/self/mountinfo": mounts,
        "/proc/4711/comm": "unattended-upgr\n",
        **(files or {}),
    }
    answers = {"DPKG_PACKAGES": list(rows)}
    host = make(folder, every, inodes=inodes, answers=answers, links=links or {})
    return read_packages(host).value.work


@pytest.mark.parametrize("inode", INODES.values())
def test_who_holds_a_lock_of_dpkgs_or_apts_is_named(inode: int, tmp_path: Path) -> None:
    holder = work(tmp_path, lock(99) + lock(inode)).lock_holder

    assert holder == "unattended-upgr (process 4711)"


@pytest.mark.parametrize(
    "locks",
    [
        "",
        lock(99),
        lock(11, device="fe:00"),  # the same number on another file system
        lock(11, waits="-> "),
        lock(11, pid=-1),
        "1: POSIX\n\x00\xff 08:11:11\n",
    ],
)
def test_nobody_holds_a_lock(locks: str, tmp_path: Path) -> None:
    assert work(tmp_path, locks).lock_holder == ""


def test_the_device_is_that_of_the_mount_and_not_of_a_btrfs_subvolume(tmp_path: Path) -> None:
    holder = work(tmp_path, lock(11, device="00:1b"), mounts=BTRFS).lock_holder

    assert holder == "unattended-upgr (process 4711)"


def test_a_later_mount_on_the_same_folder_counts(tmp_path: Path) -> None:
    mounts = MOUNTS + "40 23 8:33 / /var/lib rw - ext4 /dev/sdc1 rw\n"

    assert work(tmp_path, lock(11), mounts=mounts).lock_holder == ""
    assert work(tmp_path, lock(11, device="08:21"), mounts=mounts).lock_holder


def test_a_holder_without_a_name_is_told_by_its_number(tmp_path: Path) -> None:
    assert work(tmp_path, lock(12, pid=815)).lock_holder == "a process (process 815)"


def test_without_the_kernels_list_the_holder_is_unknown(tmp_path: Path) -> None:
    host = make(tmp_path, {DPKG: ""}, inodes=INODES, answers={"DPKG_PACKAGES": []})

    assert read_packages(host).value.work.lock_holder == Unknown("there is no /proc/locks")


def test_an_unknown_number_of_one_file_does_not_hide_the_lock_on_another(tmp_path: Path) -> None:
    some = {DPKG: 12}

    assert work(tmp_path, lock(12), inodes=some).lock_holder == "unattended-upgr (process 4711)"
    assert isinstance(work(tmp_path, "", inodes=some).lock_holder, Unknown)


def test_a_machine_without_dpkg_has_no_lock(tmp_path: Path) -> None:
    host = make(tmp_path, {"/etc/hostname": ""}, answers={"RPM_PACKAGES": ["bash\t5\tii \t"]})

    assert read_packages(host).value.work == PackageWork("", (), interrupted=False)


def test_every_package_that_is_not_fully_installed_is_named(tmp_path: Path) -> None:
    rows = (
        "bash\t5.2\tii \tx", "amdgpu-dkms\t1:5.16\tiF \tx", "firefox\t1\tiU \tx",
        "man-db\t2\tit \tx", "libc-bin\t2\tiW \tx", "broken\t1\tiHR\tx",
        "old\t1\trc \tx", "gone\t1\tun \tx",
    )  # fmt: skip

    assert work(tmp_path, "", rows=rows).unfinished == (
        "amdgpu-dkms (half-configured)",
        "firefox (unpacked)",
        "man-db (triggers pending)",
        "libc-bin (triggers awaited)",
        "broken (half-installed, must be reinstalled)",
    )


@pytest.mark.parametrize(
    ("names", "interrupted"), [((), False), (("tmp.i",), False), (("0001",), True)]
)
def test_a_journal_that_dpkg_left_is_seen(
    names: tuple[str, ...], interrupted: bool, tmp_path: Path
) -> None:
    files = {f"/var/lib/dpkg/updates/{name}": "" for name in names}

    assert work(tmp_path, "", files=files).interrupted is interrupted


def test_the_row_says_what_must_be_done_first(tmp_path: Path) -> None:
    broken = work(tmp_path, "", files={"/var/lib/dpkg/updates/0001": ""})
    busy = work(tmp_path, lock(11), files={"/var/lib/dpkg/updates/0001": ""})

    def told(one: PackageWork) -> tuple[str, ...]:
        host = make(tmp_path, {"/etc/hostname": ""}, answers={"DPKG_PACKAGES": []})
        facts = read_packages(host).value
        return PACKAGES.tell(type(facts)(facts.rocm, one))[1]

    assert told(broken) == ("dpkg was interrupted: run dpkg --configure -a to finish its work",)
    assert told(busy) == ("unattended-upgr (process 4711) is installing or removing packages now",)
