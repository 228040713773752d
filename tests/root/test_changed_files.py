"""What somebody changed of a package's files comes back whole, by UNDO.sh and by a run."""

from __future__ import annotations

import itertools
import os
import struct
from hashlib import sha256
from pathlib import Path

import pytest

from tests.e2e.system.roots import Root
from tests.root.archive import StandIn, build
from tests.root.conversation import RUNS, apt_change, do_all, done_all, keep_debs, undo
from tests.root.listing import dpkg_state, listing
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
    (line,) = [one for one in done.stdout.splitlines() if f"the content of {LIBRARY} is" in one]
    assert installed.path(line.rpartition(" ")[2]).read_text() == "my own\n"


def test_what_was_changed_is_named_while_it_is_done(installed: Root, run: str) -> None:
    installed.write(LIBRARY, "my own\n")
    change = apt_change((), (CHANGED.name,), purge=True)
    do_all(installed, keep_debs(PAIR), change, run=run)
    events = installed.path(f"{RUNS}/{run}/events.jsonl").read_text()
    assert f"{LIBRARY} was changed and is kept" in events
    assert QUIET not in events


def test_a_file_that_was_changed_in_between_is_kept_and_named(installed: Root, run: str) -> None:
    installed.write(LIBRARY, "my own\n")
    kept = go(installed, run, PAIR)
    installed.run("dpkg", "-i", kept[0]["path"])
    installed.write(LIBRARY, "newer\n")
    done = undo(installed, run)
    assert done.returncode == 1
    assert f"NOT UNDONE: {LIBRARY} has been changed since" in done.stdout
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


@pytest.mark.parametrize("way", WAYS)
def test_what_dpkg_purges_beside_settings_comes_back(installed: Root, run: str, way: str) -> None:
    """Copies that editors and dpkg itself have left there."""
    for ending in ("~", "~3~", "%", ".bak", ".dpkg-old", ".dpkg-dist", ".dpkg-new", ".dpkg-tmp"):
        installed.write(SETTINGS + ending, f"mine{ending}\n")
    installed.write("/etc/stand-changed/#x.conf#", "mine\n")
    before = seen(installed)
    kept = go(installed, run, PAIR)
    assert seen(installed) == {}
    come_back(installed, run, way, kept)
    assert seen(installed) == before


@pytest.mark.parametrize("way", WAYS)
def test_a_link_that_stands_for_a_folder_of_a_package_comes_back(
    installed: Root, run: str, way: str
) -> None:
    """Such as one to a larger disk: dpkg removes it, and would make a folder in its place."""
    move = "rm -rf /srv/large; mv /opt/rocm-8.0 /srv/large; ln -s /srv/large /opt/rocm-8.0"
    installed.run("sh", "-c", move)
    before = listing(installed, "/opt/rocm-8.0", "/srv/large")
    kept = go(installed, run, PAIR)
    come_back(installed, run, way, kept)
    assert installed.path("/opt/rocm-8.0").readlink() == Path("/srv/large")
    assert listing(installed, "/opt/rocm-8.0", "/srv/large") == before


@pytest.mark.parametrize("way", WAYS)
def test_folders_come_back_with_their_owners_permissions_and_acls(
    installed: Root, run: str, way: str
) -> None:
    folder = installed.path(LIBRARY).parent
    installed.run("chgrp", "video", "/opt/rocm-8.0/lib")
    installed.run("chmod", "2770", "/opt/rocm-8.0/lib")
    installed.run("chmod", "0700", "/opt/rocm-8.0/bin")
    os.setxattr(folder, "system.posix_acl_default", acl(1234))
    before = listing(installed, "/opt/rocm-8.0")
    kept = go(installed, run, PAIR)
    assert not folder.exists()
    come_back(installed, run, way, kept)
    assert listing(installed, "/opt/rocm-8.0") == before
    assert os.getxattr(folder, "system.posix_acl_default") == acl(1234)


@pytest.mark.parametrize("way", WAYS)
def test_what_was_changed_of_a_diverted_file_comes_back(
    installed: Root, run: str, way: str
) -> None:
    divert = ("dpkg-divert", "--local", "--rename")
    for path in (TOOL, SETTINGS):
        installed.run(*divert, "--add", path)
        installed.write(path, "my own instead\n")
        installed.write(f"{path}.distrib", "my own\n")
    try:
        before = seen(installed)
        kept = go(installed, run, PAIR)
        come_back(installed, run, way, kept)
        found = {p: s for p, s in seen(installed).items() if not p.endswith(".dpkg-dist")}
        assert found == before
    finally:
        for path in (TOOL, SETTINGS):
            installed.run("rm", "-f", path)
            installed.run(*divert, "--remove", path)


def test_a_pipe_in_place_of_a_file_comes_back_and_is_not_waited_for(
    installed: Root, run: str
) -> None:
    installed.run("rm", QUIET)
    installed.run("mkfifo", "--mode=0640", QUIET)
    before = listing(installed, "/opt/rocm-8.0")
    go(installed, run, PAIR)
    done = installed.run("timeout", "60", "sh", f"{RUNS}/{run}/UNDO.sh", check=False)
    assert done.returncode == 0, done.stdout
    assert listing(installed, "/opt/rocm-8.0") == before


TAKER = StandIn(
    "stand-taker",
    "1.0",
    {"/opt/rocm-8.0/mine.txt": "taken\n", QUIET: "taken\n", "/etc/stand-changed/y.conf": "new\n"},
    ("Replaces: stand-changed",),
    settings=("/etc/stand-changed/y.conf",),
    links={"/opt/rocm-8.0/link": "nowhere"},
)


@pytest.mark.parametrize("way", WAYS)
def test_what_a_package_is_unpacked_over_comes_back(
    installed: Root, scratch: Path, run: str, way: str
) -> None:
    """Files of nobody's, and of a package that the new one may take them from."""
    for path in ("/opt/rocm-8.0/mine.txt", "/opt/rocm-8.0/link", "/etc/stand-changed/y.conf"):
        installed.write(path, "mine\n", 0o600)
    mark_file(installed, "/opt/rocm-8.0/mine.txt")
    before = seen(installed)
    folder = scratch / f"taker-{run}"
    folder.mkdir()
    deb = build(TAKER, folder).read_bytes()
    installed.path("/srv/taker.deb").write_bytes(deb)
    debs = (("/srv/taker.deb", sha256(deb).hexdigest()),)
    done_all(installed, apt_change(debs=debs, expect_install=((TAKER.name, "1.0"),)), run=run)
    assert installed.path("/opt/rocm-8.0/mine.txt").read_text() == "taken\n"
    if way == WAYS[1]:
        away = (keep_debs((TAKER.name, "1.0")), apt_change((), (TAKER.name,), purge=True))
        installed.write(f"/var/cache/apt/archives/{TAKER.name}_1.0_amd64.deb", "")
        installed.path(f"/var/cache/apt/archives/{TAKER.name}_1.0_amd64.deb").write_bytes(deb)
        done_all(installed, *away, {"verb": "restore_settings", "run": run}, run=f"{run}-back")
    else:
        assert undo(installed, run).returncode == 0
    assert seen(installed) == before
