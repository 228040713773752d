"""Lines of the user's own files are taken out and put back; every other byte stays."""

from __future__ import annotations

import contextlib
import os
import struct
from pathlib import Path

import pytest

from wizard.core.trouble import Trouble
from wizard.operations.edit_lines import PutLinesBack, TakeLinesOut, sha256, without_lines
from wizard.plan.shell_lines import rocm_lines
from wizard.system.system import System

TEXT = "alias ll='ls -l'\r\nexport ROCM_PATH=/opt/rocm\nexport TOKEN=s\u00e9cret\n# end"


def edit(step: TakeLinesOut | PutLinesBack) -> str:
    return step.act(System({}, "", lambda: False), {})


def taking(file: Path, text: str = TEXT) -> TakeLinesOut:
    lines = rocm_lines(str(file), text).out
    after = sha256(without_lines(text, lines))
    return TakeLinesOut("", str(file), lines, sha256(text), after)


def putting(step: TakeLinesOut) -> PutLinesBack:
    return PutLinesBack("", step.path, step.lines, step.after, step.before)


def acl_for(user: int) -> bytes:
    """An ACL in the kernel's form: this user may read, beside the owner."""
    nobody = 0xFFFFFFFF
    entries = (1, 6, nobody), (2, 4, user), (4, 0, nobody), (16, 4, nobody), (32, 0, nobody)
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *each) for each in entries)


@pytest.fixture
def bashrc(tmp_path: Path) -> Path:
    file = tmp_path / ".bashrc"
    file.write_bytes(TEXT.encode())
    file.chmod(0o600)
    return file


def test_the_line_goes_and_comes_back_and_the_mode_stays(bashrc: Path) -> None:
    step = taking(bashrc)
    edit(step)
    assert bashrc.read_bytes() == TEXT.replace("export ROCM_PATH=/opt/rocm\n", "").encode()
    edit(putting(step))
    assert bashrc.read_bytes() == TEXT.encode()
    assert bashrc.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in bashrc.parent.iterdir()] == [".bashrc"]


def test_group_and_attributes_stay(bashrc: Path) -> None:
    groups = [group for group in (*os.getgroups(), 4) if group != bashrc.stat().st_gid]
    kept = bashrc.stat().st_gid
    for group in groups:
        with contextlib.suppress(PermissionError):
            os.chown(bashrc, -1, group)
            kept = group
    try:
        os.setxattr(bashrc, "user.note", b"mine")
    except OSError:
        pytest.skip("this file system has no attributes")
    edit(taking(bashrc))
    assert bashrc.stat().st_gid == kept
    assert os.getxattr(bashrc, "user.note") == b"mine"


def test_an_acl_stays_and_that_of_the_folder_does_not_come_in(bashrc: Path) -> None:
    acl, default = "system.posix_acl_access", "system.posix_acl_default"
    try:
        os.setxattr(bashrc.parent, default, acl_for(1))
        os.setxattr(bashrc, acl, acl_for(2))
    except OSError:
        pytest.skip("this file system has no ACLs")
    step = taking(bashrc)
    edit(step)
    assert os.getxattr(bashrc, acl) == acl_for(2)
    os.removexattr(bashrc, acl)
    edit(putting(step))
    assert acl not in os.listxattr(bashrc)


def test_a_file_with_a_second_name_is_left_alone(bashrc: Path) -> None:
    step = taking(bashrc)
    os.link(bashrc, bashrc.with_name("dotfiles"))
    with pytest.raises(Trouble, match="has 2 names"):
        edit(step)
    assert bashrc.read_bytes() == TEXT.encode()
    assert bashrc.stat().st_nlink == 2


def test_doing_it_twice_does_it_once(bashrc: Path) -> None:
    step = taking(bashrc)
    edit(step)
    assert edit(step) == "already done"


def test_a_file_that_was_changed_since_is_left_alone(bashrc: Path) -> None:
    step = taking(bashrc)
    bashrc.write_text("mine\n")
    with pytest.raises(Trouble) as raised:
        edit(step)
    assert bashrc.read_text() == "mine\n"
    assert "export ROCM_PATH=/opt/rocm" in raised.value.next_step


def test_a_link_to_the_file_stays_a_link(tmp_path: Path, bashrc: Path) -> None:
    kept = tmp_path / "dotfiles"
    bashrc.rename(kept)
    bashrc.symlink_to(kept)
    edit(taking(bashrc))
    assert bashrc.is_symlink()
    assert b"ROCM_PATH" not in kept.read_bytes()


def test_bytes_that_are_no_text_are_never_written_anew(bashrc: Path) -> None:
    bashrc.write_bytes(b"\xff\nexport ROCM_PATH=/opt/rocm\n")
    with pytest.raises(Trouble):
        edit(taking(bashrc, "\ufffd\nexport ROCM_PATH=/opt/rocm\n"))
    assert bashrc.read_bytes().startswith(b"\xff")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_somebody_else_is_left_alone(bashrc: Path) -> None:
    os.chown(bashrc, 65534, 65534)
    with pytest.raises(Trouble, match="belongs to another user"):
        edit(taking(bashrc))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_home_that_cannot_be_written_is_an_error_and_changes_nothing(bashrc: Path) -> None:
    bashrc.parent.chmod(0o555)
    try:
        with pytest.raises(PermissionError):
            edit(taking(bashrc))
    finally:
        bashrc.parent.chmod(0o755)
    assert bashrc.read_bytes() == TEXT.encode()
