"""What somebody changed of a package's files comes back whole, by UNDO.sh and by a run."""

from __future__ import annotations

import itertools
import os
import struct
from pathlib import Path

import pytest

from tests.e2e.system.roots import Root
from tests.root.archive import StandIn
from tests.root.conversation import RUNS, apt_change, do_all, keep_debs, undo
from tests.root.listing import dpkg_state
from tests.root.test_restore import WAYS, come_back, go, install

pytestmark = pytest.mark.e2e
LIBRARY = "/opt/rocm-8.0/lib/libMIOpen.so.1.0"
LINK = "/opt/rocm-8.0/lib/libMIOpen.so.1"
TOOL = "/opt/rocm-8.0/bin/tool"
QUIET = "/opt/rocm-8.0/share/quiet.txt"
SETTINGS = "/etc/stand-changed/x.conf"
CHANGED = StandIn(
    "stand-changed",
    "1.0",
    {LIBRARY: "library\n", TOOL: "tool\n", QUIET: "quiet\n", SETTINGS: "as delivered\n"},
    settings=(SETTINGS,),
    links={LINK: "libMIOpen.so.1.0"},
)
PAIR = (CHANGED.name, CHANGED.version)
_numbers = itertools.count(1)
Seen = dict[str, tuple[object, ...]]


@pytest.fixture
def run() -> str:
    """The name of a run that no other test has."""
    return f"changed-{next(_numbers)}"


@pytest.fixture
def installed(root: Root, scratch: Path) -> Root:
    """A root with the package as it is delivered."""
    remove(root)
    install(root, CHANGED, scratch)
    return root


def remove(root: Root) -> None:
    there = root.run("dpkg-query", "-W", "-f", "${Package}\n").stdout.split()
    if CHANGED.name in there:
        root.run("dpkg", "--purge", "--force-depends", CHANGED.name)
    root.run("rm", "-rf", "/opt/rocm-8.0", "/etc/stand-changed")


def acl(*users: int) -> bytes:
    """A POSIX ACL that lets these users read, as the kernel keeps it."""
    everybody = 0xFFFFFFFF
    entries = [(1, 6, everybody), *((2, 4, user) for user in users), (4, 4, everybody)]
    entries += [(0x10, 4, everybody), (0x20, 4, everybody)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


def seen(root: Root) -> Seen:
    """Type, permissions, owner, time, content and attributes of all that the package has."""
    found: Seen = {}
    for top in ("/opt/rocm-8.0", "/etc/stand-changed"):
        for folder, _, names in os.walk(root.path(top)):
            for path in (Path(folder) / name for name in names):
                state = path.lstat()
                content = str(path.readlink()) if path.is_symlink() else path.read_text()
                names_of = sorted(os.listxattr(path, follow_symlinks=False))
                more = [(n, os.getxattr(path, n, follow_symlinks=False)) for n in names_of]
                form = (state.st_mode, state.st_uid, state.st_gid, state.st_mtime_ns)
                found[f"/{path.relative_to(root.folder)}"] = (*form, content, *more)
    return found


def mark_file(root: Root, path: str) -> None:
    """Give it an ACL and an attribute of the user's."""
    os.setxattr(root.path(path), "system.posix_acl_access", acl(1234))
    os.setxattr(root.path(path), "user.note", b"mine")


@pytest.mark.parametrize("way", WAYS)
def test_what_was_written_over_a_file_of_a_package_comes_back(
    installed: Root, run: str, way: str
) -> None:
    installed.write(LIBRARY, "my own\n", 0o700)
    installed.run("ln", "-sf", "/home/mine.so", LINK)
    before = seen(installed)
    kept = go(installed, run, PAIR)
    assert seen(installed) == {}
    told = come_back(installed, run, way, kept)
    assert "NOT UNDONE" not in told
    assert seen(installed) == before


@pytest.mark.parametrize("way", WAYS)
def test_a_file_in_place_of_a_link_and_a_link_in_place_of_a_file_come_back(
    installed: Root, run: str, way: str
) -> None:
    installed.run("rm", LINK, TOOL)
    installed.write(LINK, "a file now\n")
    installed.run("ln", "-s", "/bin/true", TOOL)
    before = seen(installed)
    kept = go(installed, run, PAIR)
    come_back(installed, run, way, kept)
    assert seen(installed) == before


@pytest.mark.parametrize("way", WAYS)
def test_permissions_owners_acls_and_attributes_come_back(
    installed: Root, run: str, way: str
) -> None:
    mark_file(installed, LIBRARY)
    mark_file(installed, SETTINGS)
    installed.run("chmod", "4755", TOOL)
    installed.run("chown", "daemon", QUIET)
    before = seen(installed)
    kept = go(installed, run, PAIR)
    come_back(installed, run, way, kept)
    assert seen(installed) == before


@pytest.mark.parametrize("way", WAYS)
def test_they_come_back_from_another_file_system_too(installed: Root, run: str, way: str) -> None:
    """Between two mounts a file cannot have a second name."""
    opt = str(installed.path("/opt"))
    installed.space.mount("--bind", opt, opt)
    try:
        installed.write(LIBRARY, "my own\n", 0o700)
        installed.run("ln", "-sf", "/home/mine.so", LINK)
        mark_file(installed, LIBRARY)
        before = seen(installed)
        kept = go(installed, run, PAIR)
        come_back(installed, run, way, kept)
        assert seen(installed) == before
    finally:
        installed.run("umount", "/opt")


def test_what_goes_for_good_leaves_what_was_changed_and_says_where(
    installed: Root, run: str
) -> None:
    installed.write(LIBRARY, "my own\n")
    change = apt_change((), (CHANGED.name,), purge=True, for_good=(PAIR,))
    assert [event["event"] for event in do_all(installed, change, run=run)] == ["done"]
    done = undo(installed, run)
    assert done.returncode == 3
    (line,) = [one for one in done.stdout.splitlines() if f"what was in {LIBRARY} is" in one]
    assert installed.path(line.rpartition(" ")[2]).read_text() == "my own\n"


def test_what_was_changed_is_named_while_it_is_done(installed: Root, run: str) -> None:
    installed.write(LIBRARY, "my own\n")
    change = apt_change((), (CHANGED.name,), purge=True)
    do_all(installed, keep_debs(PAIR), change, run=run)
    events = installed.path(f"{RUNS}/{run}/events.jsonl").read_text()
    assert f"{LIBRARY} was changed: it is kept" in events
    assert QUIET not in events


def test_a_file_that_was_changed_in_between_is_kept_and_named(installed: Root, run: str) -> None:
    installed.write(LIBRARY, "my own\n")
    kept = go(installed, run, PAIR)
    installed.run("dpkg", "-i", kept[0]["path"])
    installed.write(LIBRARY, "newer\n")
    done = undo(installed, run)
    assert done.returncode == 1
    assert f"NOT UNDONE: {LIBRARY} was changed since" in done.stdout
    assert installed.path(LIBRARY).read_text() == "newer\n"


def test_attributes_that_cannot_be_restored_are_named(installed: Root, run: str) -> None:
    """As with a file system, or a program, that knows none."""
    mark_file(installed, SETTINGS)
    go(installed, run, PAIR)
    for name in ("cp", "ln"):
        installed.run("mv", f"/usr/bin/{name}", f"/usr/bin/{name}.real")
        poor = 'case "$*" in *xattr*|*-P*rdna1-undo*) exit 1 ;; esac\nexec /usr/bin/NAME.real "$@"'
        installed.write(f"/usr/bin/{name}", f"#!/bin/sh\n{poor.replace('NAME', name)}\n", 0o755)
    try:
        done = undo(installed, run)
    finally:
        for name in ("cp", "ln"):
            installed.run("mv", f"/usr/bin/{name}.real", f"/usr/bin/{name}")
    assert done.returncode == 1
    assert f"NOT UNDONE: {SETTINGS}" in done.stdout


@pytest.mark.parametrize("way", WAYS)
def test_settings_that_were_deleted_with_their_folder_stay_away(
    installed: Root, run: str, way: str
) -> None:
    installed.run("rm", "-r", "/etc/stand-changed")
    before, packages = seen(installed), dpkg_state(installed)
    kept = go(installed, run, PAIR)
    come_back(installed, run, way, kept)
    assert (seen(installed), dpkg_state(installed)) == (before, packages)
    assert not installed.path("/etc/stand-changed").exists()
