"""This very machine: never raising, never blocking, never opening what is no file."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from wizard.core.fact import Unknown
from wizard.host.deadline import output, which_end
from wizard.host.files import TEXT_LIMIT
from wizard.host.host import Disk, Query
from wizard.host.live import LiveHost

PATIENCE_S = 30
SHORT_S = 0.3


@pytest.fixture
def host() -> LiveHost:
    """A host on this machine."""
    return LiveHost()


def test_a_pipe_is_not_opened(host: LiveHost, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    assert host.read(f"{tmp_path}/pipe") == Unknown(f"{tmp_path}/pipe is not a regular file")


def test_a_device_is_not_opened(host: LiveHost) -> None:
    assert host.read("/dev/null") == Unknown("/dev/null is not a regular file")


def test_a_huge_file_is_read_to_its_first_four_megabytes(host: LiveHost, tmp_path: Path) -> None:
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(450 * 1024 * 1024)

    text = host.read(f"{tmp_path}/huge")

    assert isinstance(text, str)
    assert len(text) == TEXT_LIMIT == 4 * 1024 * 1024


def test_the_head_and_size_of_a_file_are_told_and_of_a_device_not(
    host: LiveHost, tmp_path: Path
) -> None:
    (tmp_path / "library").write_bytes(b"\x7fELF" + bytes(100))
    assert host.head(str(tmp_path / "library"), 4) == b"\x7fELF"
    assert host.size(str(tmp_path / "library")) == 104
    assert host.inode(str(tmp_path / "library")) == (tmp_path / "library").stat().st_ino
    assert isinstance(host.inode(str(tmp_path / "absent")), Unknown)
    for path in ("/dev/null", str(tmp_path), str(tmp_path / "absent")):
        assert isinstance(host.head(path, 4), Unknown)
        assert isinstance(host.size(path), Unknown)


def test_a_kernel_file_that_refuses_large_reads_is_read(host: LiveHost) -> None:
    assert host.read("/proc/sys/kernel/osrelease") == f"{os.uname().release}\n"


def test_bytes_that_are_no_text_are_replaced(host: LiveHost, tmp_path: Path) -> None:
    (tmp_path / "bad").write_bytes(b"a\xff\x00b")

    assert host.read(f"{tmp_path}/bad") == "a\ufffd\x00b"


def test_names_that_are_no_text_are_left_out(host: LiveHost, tmp_path: Path) -> None:
    for name in (b"good", b"bad\xff"):
        os.mkdir(os.fsencode(tmp_path) + b"/" + name)  # noqa: PTH102 - a Path cannot hold it

    assert host.names(str(tmp_path)) == ("good",)
    assert host.folders(str(tmp_path)) == ("good",)


def test_links_to_folders_are_no_folders_so_that_a_search_cannot_loop(
    host: LiveHost, tmp_path: Path
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "loop").symlink_to(tmp_path)
    (tmp_path / "link").symlink_to("real")

    assert host.folders(str(tmp_path)) == ("real",)
    assert host.link(f"{tmp_path}/link") == f"{tmp_path}/real"


@pytest.mark.parametrize("path", ["", "\x00", "/\x00", "/nowhere", "x" * 5000])
def test_no_path_makes_any_question_raise(host: LiveHost, path: str) -> None:
    answers = (
        host.read(path), host.names(path), host.folders(path), host.link(path), host.group_of(path)
    )  # fmt: skip

    assert all(isinstance(answer, Unknown) for answer in answers)
    host.resolve(path), host.is_file(path), host.is_folder(path), host.exists(path)
    host.usable(path), host.disk(path)


def test_a_missing_folder_is_on_the_disk_of_its_nearest_parent(
    host: LiveHost, tmp_path: Path
) -> None:
    disk = host.disk(f"{tmp_path}/not/yet/there")

    assert isinstance(disk, Disk)
    assert disk.path == f"{tmp_path}/not/yet/there"
    assert os.path.ismount(disk.filesystem)
    assert 0 < disk.free_bytes <= disk.total_bytes


def test_permissions_are_asked_of_the_kernel(host: LiveHost) -> None:
    assert host.usable("/dev/null")
    assert not host.usable("/dev/nowhere")


def test_the_user_and_groups_are_those_of_this_process(host: LiveHost) -> None:
    groups = host.groups_in_force()

    assert host.uid == os.getuid()
    assert host.user
    assert not isinstance(groups, Unknown)
    assert len(groups) == len({*os.getgroups(), os.getegid()})


def test_a_program_past_its_deadline_is_killed_with_its_children() -> None:
    began = time.monotonic()

    answer = output(("sh", "-c", "sleep 1000 & echo early; wait"), SHORT_S)

    assert answer == Unknown("sh did not respond within 0.3 s")
    assert time.monotonic() - began < PATIENCE_S


def test_programs_asked_at_once_share_one_deadline_and_the_late_are_killed() -> None:
    began = time.monotonic()
    late = ("sh", "-c", "sleep 1000 & wait")

    ended = which_end([late, ("true",), late, ("false",), late, ("nowhere",)], SHORT_S)

    assert ended == (False, True, False, True, False, True)
    assert time.monotonic() - began < PATIENCE_S


def test_nobody_asked_is_nobody_late() -> None:
    assert which_end([], SHORT_S) == ()


def test_a_program_that_fails_is_unknown_with_its_code() -> None:
    assert output(("sh", "-c", "exit 3"), PATIENCE_S) == Unknown("sh ended with code 3")


def test_a_program_is_not_looked_up_through_the_users_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "mine").write_text("#!/bin/sh\necho taken\n")
    (tmp_path / "mine").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert output(("mine",), PATIENCE_S) == Unknown("mine is not installed")


def test_a_program_sees_a_plain_language_and_nothing_of_the_users_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")

    printed = output(("sh", "-c", "env; cat"), PATIENCE_S)

    assert isinstance(printed, str)
    assert "LC_ALL=C.UTF-8" in printed
    assert "hf_secret" not in printed


def test_the_closed_list_of_programs_is_answered_or_said_to_be_missing(host: LiveHost) -> None:
    for query in Query:
        answer = host.ask(query)
        assert (
            isinstance(answer, str) or "not installed" in answer.because or "code" in answer.because
        )


STALLED = """
import sys, threading
from pathlib import Path
from wizard.machine.detect import detect
from wizard.machine.recorded import RecordedHost

class Stalled(RecordedHost):
    def folders(self, folder):
        threading.Event().wait()

machine = detect(Stalled(Path(sys.argv[1])), patience_s=0.5)
print([one.because for one in machine.unread])
print(machine.gpus[0].name)
"""


def test_a_read_that_never_returns_costs_its_part_and_the_process_still_ends() -> None:
    record = Path(__file__).parents[1] / "machines" / "rx5600xt-noble-rocm57"

    done = subprocess.run(
        (sys.executable, "-c", STALLED, str(record)),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    unread, name = done.stdout.splitlines()
    assert "Pythons: no response in time" in unread
    assert "Python environments: no response in time" in unread
    assert ", which was reading /" in unread
    assert name == "Radeon RX 5600 XT"
