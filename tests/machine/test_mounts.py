"""File systems that do not answer: which are asked, and which are found silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.machine.records import make
from wizard.core.fact import Fact, Unknown
from wizard.host.host import FILE_SYSTEM_ASKER, SilentFileSystem
from wizard.host.mounts import LIMIT, silent_file_systems
from wizard.machine.system import MOUNTED


def line(path: str, kind: str, device: str = "0:50", source: str = "server:/x") -> str:
    """A line of ``/proc/self/mountinfo``."""
    return f"36 35 {device} / {path} rw,relatime shared:1 - {kind} {source} rw,addr=10.0.0.1\n"


class Answers:
    """Every file system ends in time, but for those at these paths; it keeps who was asked."""

    def __init__(self, *silent: str) -> None:
        self.silent = silent
        self.asked: list[str] = []
        self.calls = 0

    def __call__(self, programs: list[tuple[str, ...]], deadline_s: float) -> tuple[bool, ...]:
        assert deadline_s == 2.0
        assert all(argv[:-1] == FILE_SYSTEM_ASKER for argv in programs)
        self.calls += 1
        self.asked += [argv[-1] for argv in programs]
        return tuple(argv[-1] not in self.silent for argv in programs)


def asked(table: Fact[str], **environ: str) -> list[str]:
    """Paths that are asked."""
    answers = Answers()
    assert silent_file_systems(table, environ, answers) == ()
    return answers.asked


@pytest.mark.parametrize(
    "kind",
    ["nfs", "nfs4", "cifs", "smb3", "fuse", "fuse.sshfs", "fuseblk", "9p", "ceph", "afs", "lustre"],
)
def test_a_file_system_that_somebody_else_serves_is_asked(kind: str) -> None:
    assert asked(line("/srv/data", kind)) == ["/srv/data"]


@pytest.mark.parametrize(
    "kind",
    ["ext4", "btrfs", "xfs", "tmpfs", "proc", "autofs", "fusectl", "overlay", "nfsd", "squashfs"],
)
def test_a_file_system_of_the_kernel_is_not_asked(kind: str) -> None:
    assert asked(line("/srv/data", kind)) == []


def test_the_root_is_not_asked_since_we_run_from_it() -> None:
    assert asked(line("/", "nfs4")) == []


def test_a_desktop_share_is_asked_only_when_a_variable_leads_there() -> None:
    table = line("/run/user/1000/gvfs", "fuse.gvfsd-fuse")

    assert asked(table) == []
    assert asked(table, VIRTUAL_ENV="/run/user/1000/gvfs/nas/venv") == ["/run/user/1000/gvfs"]


def test_a_path_with_blanks_is_read_as_the_kernel_escapes_it() -> None:
    assert asked(line(r"/mnt/my\040nas\134x", "nfs")) == ["/mnt/my nas\\x"]


def test_a_file_system_mounted_twice_is_asked_once_and_silent_at_both_places() -> None:
    answers = Answers("/a")
    table = line("/a", "nfs4", "0:50") + line("/b", "nfs4", "0:50") + line("/c", "nfs4", "0:51")

    silent = silent_file_systems(table, {}, answers)

    assert answers.asked == ["/a", "/c"]
    assert silent == (SilentFileSystem("/a", "nfs4"), SilentFileSystem("/b", "nfs4"))


def test_all_are_asked_at_once() -> None:
    answers = Answers()
    silent_file_systems("".join(line(f"/{n}", "nfs", f"0:{n}") for n in range(9)), {}, answers)

    assert (answers.calls, len(answers.asked)) == (1, 9)


def test_what_lies_below_a_silent_file_system_is_not_named_again() -> None:
    table = line("/a", "nfs", "0:50") + line("/a/b", "fuse.x", "0:51") + line("/ab", "nfs", "0:52")

    silent = silent_file_systems(table, {}, Answers("/a", "/a/b", "/ab"))

    assert [one.path for one in silent] == ["/a", "/ab"]


def test_not_more_than_a_hundred_are_asked() -> None:
    table = "".join(line(f"/{n}", "nfs", f"0:{n}") for n in range(500))

    assert len(asked(table)) == LIMIT


def test_without_such_mounts_no_program_is_started() -> None:
    answers = Answers()
    silent_file_systems(line("/", "ext4") + line("/proc", "proc"), {}, answers)

    assert answers.calls == 0


@pytest.mark.parametrize(
    "table",
    [Unknown("no permission"), "", "\n\n", "nfs", "36 35 0:50 / /a rw nfs", " - nfs", "\x00" * 99],
)
def test_a_damaged_table_has_no_mounts(table: Fact[str]) -> None:
    assert asked(table) == []


def test_a_record_tells_what_was_silent(tmp_path: Path) -> None:
    host = make(tmp_path, {"/x": ""}, silent={"/home/owner/nas": "nfs4"})

    assert host.silent() == (SilentFileSystem("/home/owner/nas", "nfs4"),)
    summary, (detail,) = MOUNTED.tell(host.silent())
    assert summary == "no response from /home/owner/nas"
    assert detail == "/home/owner/nas (nfs4): nothing in it was checked"
    assert MOUNTED.read(host).unread == (Unknown("/home/owner/nas does not respond"),)
    assert MOUNTED.tell(()) == ("all respond", ())
