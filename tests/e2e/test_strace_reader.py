"""The reader of traces sees what it must see: else the tests that use it could not fail."""

from pathlib import Path

import pytest

from tests.e2e.strace import changes, programs

HARMFUL = (
    '12 openat(AT_FDCWD, "/home/a/x", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3',
    'mkdir("/home/a/.cache", 0777) = 0',
    '7 unlink("/tmp/x") = 0',
    '7 rename("/home/a/x", "/home/a/y") = 0',
    "7 connect(3, {sa_family=AF_INET, sin_port=htons(443), sin_addr=...}, 16) = -1 EINPROGRESS (x)",
    '7 connect(3, {sa_family=AF_UNIX, sun_path="/run/docker.sock"}, 110) = 0',
)
HARMLESS = (
    '12 openat(AT_FDCWD, "/etc/passwd", O_RDONLY|O_CLOEXEC) = 3',
    '12 openat(AT_FDCWD, "/home/a/x", O_WRONLY|O_CREAT, 0666) = -1 EACCES (Permission denied)',
    '12 openat(AT_FDCWD, "/dev/null", O_RDWR|O_CLOEXEC) = 3',
    '12 openat(AT_FDCWD, "/dev/pts/3", O_RDWR|O_NOCTTY) = 3',
    '12 connect(3, {sa_family=AF_UNIX, sun_path="/var/run/nscd/socket"}, 110) = -1 ENOENT (x)',
    '12 sendto(5, "\\0", 1, 0, NULL, 0) = 1',
)


@pytest.mark.parametrize("line", HARMFUL)
def test_a_change_is_seen(line: str, tmp_path: Path) -> None:
    (tmp_path / "trace").write_text(line + "\n")
    assert list(changes(tmp_path / "trace")) == [line]


@pytest.mark.parametrize("line", HARMLESS)
def test_a_look_is_no_change(line: str, tmp_path: Path) -> None:
    (tmp_path / "trace").write_text(line + "\n")
    assert list(changes(tmp_path / "trace")) == []


def test_started_programs_are_named(tmp_path: Path) -> None:
    (tmp_path / "trace").write_text(
        'execve("/usr/bin/python3", ["python3"], 0x7 /* 9 vars */) = 0\n'
        '7 execve("/usr/bin/dpkg-query", ["dpkg-query"], 0x7) = 0\n'
        '7 execve("/opt/none", ["none"], 0x7) = -1 ENOENT (No such file)\n'
    )
    assert programs(tmp_path / "trace") == ["python3", "dpkg-query"]
