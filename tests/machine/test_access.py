"""Who we are, and which devices we may open."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from tests.machine.records import machine, make
from wizard.core.fact import Unknown
from wizard.host.accounts import Account, groups_of
from wizard.host.host import Host
from wizard.machine.access import ACCESS, groups_after_login, read_access

PASSWD = "root:x:0:0:root:/root:/bin/bash\nowner:x:1000:1000::/home/owner:/bin/bash\n"
GROUP = "owner:x:1000:\nrender:x:992:someone,owner\nvideo:x:44:\n"
DEVICES = {"/dev/kfd": "", "/dev/dri/card0": "", "/dev/dri/renderD128": ""}


def told(host: Host) -> str:
    """The summary of the part."""
    return ACCESS.tell(read_access(host).value)[0]


def test_a_user_added_to_render_must_log_in_again() -> None:
    host = machine("rx5500xt-apu-vga")

    assert groups_after_login(read_access(host).value) == ("render", "video")
    assert told(host) == "owner: cannot open /dev/kfd until the next login"


def test_a_user_in_no_gpu_group_is_not_promised_a_login() -> None:
    host = machine("rx5700xt-jammy-clean")

    assert groups_after_login(read_access(host).value) == ()
    assert told(host) == "owner: cannot open /dev/kfd"


def test_the_primary_group_counts_although_the_group_file_lists_no_member(tmp_path: Path) -> None:
    host = make(tmp_path, {"/etc/passwd": PASSWD, "/etc/group": GROUP})

    assert read_access(host).value.groups_in_file == ("owner", "render")


def test_a_name_that_only_contains_the_users_name_is_somebody_else(tmp_path: Path) -> None:
    host = make(tmp_path, {"/etc/passwd": PASSWD, "/etc/group": "render:x:992:owner2,coowner\n"})

    assert read_access(host).value.groups_in_file == ()


def test_only_render_nodes_are_asked_for_and_none_is_opened(tmp_path: Path) -> None:
    access = read_access(make(tmp_path, DEVICES, access=["/dev/dri/renderD128"])).value

    assert [node.path for node in access.render_nodes] == ["/dev/dri/renderD128"]
    assert access.render_nodes[0].usable
    assert (access.kfd.present, access.kfd.usable) == (True, False)


def test_without_kfd_the_summary_says_that_it_is_not_there(tmp_path: Path) -> None:
    assert told(make(tmp_path, {"/etc/passwd": PASSWD})) == "owner: there is no /dev/kfd"


def test_an_unreadable_group_file_is_unknown_with_its_reason(tmp_path: Path) -> None:
    host = make(tmp_path, {"/etc/group": GROUP}, unreadable=["/etc/group"])

    assert read_access(host).value.groups_in_file == Unknown("no permission to read /etc/group")


@pytest.mark.parametrize("row", ["a\n", "\n", "owner:x:1000:\n", ":::\n"])
def test_a_group_file_of_megabytes_takes_little_memory(row: str) -> None:
    text = row * (4 * 1024 * 1024 // len(row))

    tracemalloc.start()
    groups_of(text, Account(name="owner"))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 100_000_000
