"""A group that was joined since the login counts at once for programs that need the GPU."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from wizard.system.joined_groups import with_joined_group

CALL = (sys.executable, "-c", "import os, sys; print(sys.argv[1:], os.getgid())", "a b", "$HOME")


def groups(monkeypatch: pytest.MonkeyPatch, *members: str) -> None:
    """What the file of groups says of render, and of no other group."""

    def named(name: str) -> SimpleNamespace:
        if name != "render":
            raise KeyError(name)
        return SimpleNamespace(gr_mem=list(members), gr_gid=54_321)

    monkeypatch.setattr("grp.getgrnam", named)
    monkeypatch.setattr("pwd.getpwuid", lambda _: SimpleNamespace(pw_name="owner"))


def test_without_a_joined_group_the_call_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    groups(monkeypatch, "somebody")
    assert with_joined_group(CALL, {}) == CALL


def test_a_group_in_force_needs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    groups(monkeypatch, "owner")
    monkeypatch.setattr("os.getgroups", lambda: [54_321])
    assert with_joined_group(CALL, {}) == CALL


def test_a_joined_group_is_taken_by_sg_and_every_word_arrives_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    groups(monkeypatch, "owner")
    monkeypatch.setattr("shutil.which", lambda _: "/usr/bin/sg")
    program, group, option, line = with_joined_group(CALL, {"HOME": "/home/owner"})
    assert (program, group, option) == ("sg", "render", "-c")
    shell = ("/bin/sh", "-c", line)  # as sg hands it on
    said = subprocess.run(shell, capture_output=True, text=True, check=True)
    assert said.stdout == f"['a b', '$HOME'] {os.getgid()}\n"


def test_what_the_loader_takes_from_programs_with_rights_arrives_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    groups(monkeypatch, "owner")
    monkeypatch.setattr("shutil.which", lambda _: "/usr/bin/sg")
    given = {"LD_LIBRARY_PATH": "/a b:/c", "TMPDIR": "/x", "MALLOC_ARENA_MAX": "1", "HOME": "/h"}
    call = (sys.executable, "-c", "import os; print(os.environ.get('LD_LIBRARY_PATH'))")
    line = with_joined_group(call, given)[-1]
    assert "HOME" not in line
    environment = {name: value for name, value in os.environ.items() if name not in given}
    said = subprocess.run(
        ("/bin/sh", "-c", line), env=environment, capture_output=True, text=True, check=True
    )
    assert said.stdout == "/a b:/c\n"
