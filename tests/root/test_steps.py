"""Every verb in a real root, with real apt and dpkg: what it does, and what it refuses to do."""

from __future__ import annotations

import itertools
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import pytest

from tests.apt.asked import VALID
from tests.e2e.system.roots import OWNER, Root
from tests.e2e.terminal import Terminal
from tests.root.archive import KEYRING, SOURCE, SOURCE_LINE, StandIn, build, public_key
from tests.root.conftest import STOCK
from tests.root.conversation import (
    RUNS,
    Event,
    apt_change,
    argv,
    do_all,
    done_all,
    journal,
    keep_debs,
    plan_of,
    put_back,
    set_aside,
    site_packages,
    talk,
    undo,
    write_file,
)
from tests.root.listing import changed, dpkg_state, listing
from tests.root.stops import pids

pytestmark = pytest.mark.e2e
LARGE = 192 << 20
"""Bytes: several times what the helper takes by itself."""
CORE = ("stand-core", "1.0")
TOOL = ("stand-tool", "1.0")
_numbers = itertools.count(1)


@pytest.fixture
def run() -> str:
    """The name of a run that no other test has."""
    return f"steps-{next(_numbers)}"


@pytest.fixture(autouse=True)
def _clean(root: Root) -> Iterator[None]:
    """No stand-in package stays for the next test."""
    yield
    installed = root.run("dpkg-query", "-W", "-f", "${Package}\n").stdout.split()
    ours = {package.name for package in STOCK} & set(installed)
    if ours:
        root.run("dpkg", "--purge", "--force-depends", *ours)


def failure(event: Event) -> str:
    """What happened, of a step that failed."""
    assert event["event"] == "failed", event
    assert event["meaning"]
    assert event["next_step"]
    return str(event["happened"])


def sha(root: Root, path: str) -> str:
    return sha256(root.path(path).read_bytes()).hexdigest()


# Packages


def test_a_transaction_does_what_was_reviewed_and_dpkg_is_asked(root: Root, run: str) -> None:
    (event,) = done_all(root, apt_change((CORE, TOOL)), run=run)
    assert event["outcome"] == "2 packages installed, 0 removed; dpkg confirms each"
    assert root.path("/opt/rocm-1.0/bin/tool").exists()


def test_a_transaction_that_is_done_already_is_done(root: Root, run: str) -> None:
    change = apt_change((CORE,))
    done_all(root, change, change, run=run)
    assert [r["event"] for r in journal(root, run)] == ["begin", "intent", "outcome", "outcome"]


def test_one_transaction_brings_some_and_takes_others(root: Root, run: str) -> None:
    spare = ("stand-spare", "1.0")
    mixed = apt_change((CORE,), ("stand-spare",))
    done_all(root, apt_change((spare,)), keep_debs(spare), mixed, run=run)
    assert "stand-core 1.0" in dpkg_state(root)
    assert "stand-spare" not in dpkg_state(root)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (apt_change((TOOL,)), "would also install stand-core"),
        (
            apt_change((CORE,), expect_install=(("stand-core", "2.0"),)),
            "would also install stand-core 1.0",
        ),
        (
            apt_change((CORE,), expect_install=(CORE, ("stand-spare", "1.0"))),
            "would not change stand-spare",
        ),
        (apt_change((("stand-driver", "1.0"),)), "amdgpu-dkms builds a kernel module"),
    ],
)
def test_a_transaction_other_than_the_reviewed_one_is_refused(
    root: Root, run: str, change: Event, told: str
) -> None:
    before = dpkg_state(root)
    (event,) = do_all(root, change, run=run)
    assert told in failure(event)
    assert dpkg_state(root) == before


def test_what_was_fetched_before_needs_no_archive_once_something_has_gone(
    root: Root, run: str
) -> None:
    """Not even where apt's own folder of downloads is emptied at each change, as in a container."""
    done_all(root, apt_change((CORE,)), run=f"{run}-before")
    new, spare = ("stand-core", "2.0"), ("stand-spare", "1.0")
    clean = 'DPkg::Post-Invoke {"rm -f /var/cache/apt/archives/*.deb";};\n'
    root.write("/etc/apt/apt.conf.d/99clean", clean)
    steps = (
        keep_debs(CORE),
        keep_debs(new, spare),
        apt_change((), ("stand-core",), purge=True),
        apt_change((new, spare)),
    )
    try:
        with talk(root, *steps, run=run) as conversation:
            assert [conversation.do(n)["event"] for n in (1, 2, 3)] == ["done"] * 3
            root.run("mv", "/srv/archive", "/srv/away")
            assert conversation.do(4)["event"] == "done"
    finally:
        root.run("mv", "/srv/away", "/srv/archive", check=False)
        root.run("rm", "/etc/apt/apt.conf.d/99clean")
    assert "stand-core 2.0 ii" in dpkg_state(root)
    assert undo(root, run).returncode == 0
    assert "stand-core 1.0 ii" in dpkg_state(root)
    assert "stand-spare" not in dpkg_state(root)


def test_what_apt_would_also_remove_refuses_the_transaction(root: Root, run: str) -> None:
    root.apt("install", "stand-tool=1.0", "stand-core=1.0")
    _, event = do_all(root, keep_debs(CORE), apt_change((), ("stand-core",)), run=run)
    assert "would also remove stand-tool" in failure(event)


def test_what_is_never_removed_is_not_removed_by_a_conflict_either(root: Root, run: str) -> None:
    root.apt("install", "linux-firmware")
    rival = apt_change((("stand-rival", "1.0"),))
    (event,) = do_all(root, rival, run=run)
    assert "linux-firmware is never removed" in failure(event)


def test_settings_stay_or_go_as_it_was_reviewed(root: Root, run: str) -> None:
    for purge in (False, True):
        root.apt("install", "stand-tool=1.0", "stand-core=1.0")
        change = apt_change((), ("stand-tool",), purge=purge)
        done_all(root, keep_debs(TOOL), change, run=f"{run}-{purge}")
        assert root.path("/etc/stand-tool.conf").exists() != purge


def test_settings_that_stayed_behind_can_be_purged(root: Root, run: str) -> None:
    root.apt("install", "stand-tool=1.0", "stand-core=1.0")
    away, settings = (apt_change((), ("stand-tool",), purge=purge) for purge in (False, True))
    done_all(root, keep_debs(TOOL), away, settings, run=run)
    assert not root.path("/etc/stand-tool.conf").exists()


def test_a_package_file_is_copied_and_hashed_before_apt_sees_it(
    root: Root, run: str, scratch: Path
) -> None:
    deb = build(StandIn("stand-core", "9.0"), scratch)
    path = f"/home/{OWNER}/stand-core.deb"
    root.path(path).write_bytes(deb.read_bytes())
    nine = (("stand-core", "9.0"),)
    right, wrong = (
        apt_change((), debs=((path, digest),), expect_install=nine)
        for digest in (sha(root, path), "0" * 64)
    )
    first, second = do_all(root, wrong, right, run=run)
    assert "not the file you reviewed" in failure(first)
    assert second["event"] == "done"


def test_a_file_that_the_user_cannot_read_is_not_read_for_them(root: Root, run: str) -> None:
    """Else its hash could be guessed by asking."""
    root.write("/root/secret.deb", "guess", 0o600)
    digest = sha(root, "/root/secret.deb")
    request = apt_change((), debs=(("/root/secret.deb", digest),), expect_install=(CORE,))
    env = {"SUDO_UID": str(root.numbers()[0])}
    text = f"""
import sys; sys.path.append({site_packages(root)!r})
from assets.root.journal import open_run
from assets.root.package_files import take_deb
from assets.root.requests import read_request
from assets.root.serve import who_asks
from assets.root.step import Step
person = who_asks({env!r})
request = read_request({request!r}, person)
step = Step(open_run({run!r}, person), None, person, 1, request, ())
try: take_deb("/root/secret.deb", {digest!r}, step)
except PermissionError as error: print("refused", error.filename)
"""
    assert root.run("/usr/bin/python3", "-I", "-c", text).stdout == "refused /root/secret.deb\n"


def test_a_failing_script_of_a_package_is_named_and_others_are_not_blamed(
    root: Root, run: str
) -> None:
    broken = apt_change((("stand-broken", "1.0"),))
    with talk(root, broken, {"verb": "configure"}, run=run) as conversation:
        events = list(conversation.events(1))
        told = failure(events[-1])
        assert "stand-broken failed" in told
        assert "exit status 10" in told
        assert any("trying" in line for e in events for line in e.get("lines", ()))
        assert "stand-broken failed" in failure(conversation.do(2))


def test_an_interrupted_dpkg_is_told_and_finished_by_its_own_verb(root: Root, run: str) -> None:
    stanza = root.run("dpkg-query", "-s", "base-files").stdout
    root.write("/var/lib/dpkg/updates/0001", stanza)
    steps = (apt_change((CORE,)), {"verb": "configure"}, apt_change((CORE,)))
    first, finished, second = do_all(root, *steps, run=run)
    assert "dpkg was interrupted" in failure(first)
    assert "dpkg --configure -a" in first["next_step"]
    assert (finished["event"], second["event"]) == ("done", "done")


def test_finishing_what_waits_builds_no_kernel_module(root: Root, run: str, scratch: Path) -> None:
    built = {"postinst": 'echo "$DPKG_MAINTSCRIPT_PACKAGE" >>/srv/configured'}
    for name in ("amdgpu-dkms", "stand-waits"):
        deb = build(StandIn(name, "3.0", scripts=built), scratch)
        root.path(f"/srv/{name}.deb").write_bytes(deb.read_bytes())
        root.run("dpkg", "--unpack", f"/srv/{name}.deb")
    (event,) = done_all(root, {"verb": "configure"}, run=run)
    assert root.path("/srv/configured").read_text() == "stand-waits\n"
    assert "except amdgpu-dkms" in event["outcome"]
    assert "amdgpu-dkms 3.0 iU" in dpkg_state(root)
    root.run("dpkg", "--purge", "amdgpu-dkms", "stand-waits")


def test_a_disk_that_becomes_full_while_dpkg_unpacks_is_told_and_the_step_can_be_repeated(
    root: Root, run: str, scratch: Path
) -> None:
    deb = build(StandIn("stand-full", "1.0", {"/srv/full/large": "x" * 3_000_000}), scratch)
    root.path("/srv/full.deb").write_bytes(deb.read_bytes())
    file = ("/srv/full.deb", sha(root, "/srv/full.deb"))
    change = apt_change((), debs=(file,), expect_install=(("stand-full", "1.0"),))
    root.run("mkdir", "/srv/full")
    root.limit_disk("/srv/full", 1 << 20)
    with talk(root, change, run=run) as conversation:
        assert "disk is full" in failure(conversation.do(1))
        root.run("umount", "/srv/full")
        assert conversation.do(1)["event"] == "done"
    root.run("dpkg", "--purge", "stand-full")


def test_apts_progress_comes_as_percent_of_fetching_and_of_changing(root: Root, run: str) -> None:
    with talk(root, apt_change((CORE,)), run=run) as conversation:
        seen = [e for e in conversation.events(1) if e["event"] == "progress"]
    assert {e["phase"] for e in seen} == {"fetch", "change"}
    assert {e["unit"] for e in seen} == {"percent"}
    assert all(0 <= e["done"] <= e["total"] == 100 for e in seen)
    assert any(e["what"].startswith("Retrieving file ") for e in seen)


def test_a_lock_that_is_held_for_a_while_is_waited_for_and_its_holder_named(
    root: Root, run: str
) -> None:
    with talk(root, apt_change((CORE,)), run=run) as conversation:
        with held(root):
            conversation.say('{"do": 1}')
            waiting = conversation.until("progress", "which is changing packages")
            assert "waiting for python" in waiting["what"]
        assert conversation.until("done")["step"] == 1


def test_a_lock_that_is_held_for_ever_is_told_with_its_holder(root: Root) -> None:
    text = f"""
import sys; sys.path.append({site_packages(root)!r})
from assets.root import packages
from assets.root.trouble import Trouble
packages.LOCK_PATIENCE_S = 0.1
class Step:
    def progress(self, *_): pass
try: packages.wait_for_locks(Step())
except Trouble as trouble: print(trouble.happened)
"""
    with held(root):
        told = root.run("/usr/bin/python3", "-I", "-c", text).stdout
    assert told.startswith("Another program is installing or removing packages: python")


@contextmanager
def held(root: Root) -> Iterator[None]:
    """dpkg's lock, held by a process inside."""
    holding = """
import fcntl, sys
file = open("/var/lib/dpkg/lock-frontend", "r+b")
fcntl.lockf(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""
    with root.start("python3", "-c", holding) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == "held\n"
        yield
        process.stdin.close()


# Package files


def put(root: Root, package: StandIn, scratch: Path, *, cached: bool) -> None:
    """Install a package that no archive has, and leave its file in apt's cache or nowhere."""
    deb = build(package, scratch)
    root.path(f"/srv/{deb.name}").write_bytes(deb.read_bytes())
    root.run("dpkg", "-i", f"/srv/{deb.name}")
    if cached:
        root.path(f"/var/cache/apt/archives/{deb.name}").write_bytes(deb.read_bytes())


def test_package_files_are_kept_from_apts_cache_or_by_download(
    root: Root, run: str, scratch: Path
) -> None:
    root.apt("install", "stand-tool=1.0", "stand-core=1.0")
    files = {"/opt/rocm-cached/x": "x\n", "/etc/cached.conf": "y\n"}
    put(root, StandIn("stand-cached", "1:3.0", files), scratch, cached=True)
    with talk(root, keep_debs(CORE, ("stand-cached", "1:3.0")), run=run) as conversation:
        events = list(conversation.events(1))
    said = [line for event in events for line in event.get("lines", ())]
    assert "stand-core 1.0: downloaded" in said
    assert "stand-cached 1:3.0: from apt's cache" in said
    for one in events[-1]["kept"]:
        assert sha(root, one["path"]) == one["sha256"]
    again = root.folder / events[-1]["kept"][1]["path"].lstrip("/")
    assert "stand-cached_1%3a3.0.deb" in again.name
    before = listing(root, *files)
    root.run("dpkg", "--purge", "stand-cached")
    root.run("dpkg", "-i", events[-1]["kept"][1]["path"])
    assert listing(root, *files) == before
    root.run("dpkg", "--purge", "stand-cached")


def test_what_is_in_no_archive_is_not_packed_from_what_is_installed(
    root: Root, run: str, scratch: Path
) -> None:
    put(root, StandIn("stand-lost", "1.0", {"/opt/lost/x": "x\n"}), scratch, cached=False)
    (event,) = do_all(root, keep_debs(("stand-lost", "1.0")), run=run)
    assert "No package file for stand-lost 1.0 was found" in failure(event)
    assert "any configured archive has the package file" in event["meaning"]
    assert list(root.path(f"{RUNS}/{run}/backup/debs").iterdir()) == []
    root.run("dpkg", "--purge", "stand-lost")


def test_a_package_that_is_nowhere_is_trouble(root: Root, run: str) -> None:
    (event,) = do_all(root, keep_debs(("stand-core", "7.7")), run=run)
    assert "No package file for stand-core 7.7 was found" in failure(event)


# Lists


def test_only_our_own_source_is_read_and_the_lists_of_others_stay(root: Root, run: str) -> None:
    lists = {path.name for path in root.path("/var/lib/apt/lists").glob("*Packages*")}
    root.write("/etc/apt/sources.list.d/broken.list", "deb http://127.0.0.1:1/x y main\n")
    try:
        (event,) = done_all(root, {"verb": "apt_update"}, run=run)
    finally:
        root.path("/etc/apt/sources.list.d/broken.list").unlink()
    assert event["outcome"] == "1 package list read"
    assert {path.name for path in root.path("/var/lib/apt/lists").glob("*Packages*")} == lists


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (SOURCE_LINE.replace("stand-in", "jammy"), "suite does not exist"),
        (SOURCE_LINE.replace("rocm.asc", "none.asc"), "not signed with the key"),
        (
            SOURCE_LINE.replace("file:/srv/archive", "http://no.example.invalid/x"),
            "no.example.invalid was not found",
        ),
    ],
)
def test_a_source_that_cannot_be_read_is_told_by_its_cause(
    root: Root, run: str, line: str, told: str
) -> None:
    write = write_file(SOURCE, line, before=sha(root, SOURCE))
    _, event = do_all(root, write, {"verb": "apt_update"}, run=run)
    root.write(SOURCE, SOURCE_LINE)
    root.run("apt-get", "-qq", "update")
    assert told in failure(event)


# Files


def test_a_file_is_written_whole_with_its_mode_and_belongs_to_root(root: Root, run: str) -> None:
    path = "/etc/profile.d/rdna1-setup-rocm.sh"
    done_all(root, write_file(path, "export HSA_OVERRIDE_GFX_VERSION=10.3.0\n"), run=run)
    state = root.path(path).stat()
    assert (state.st_mode & 0o7777, state.st_uid, state.st_gid) == (0o644, 0, 0)
    done_all(root, set_aside(path), run=f"{run}-away")


def test_a_folder_that_is_missing_is_made_for_the_file(root: Root, run: str) -> None:
    folder = root.path("/etc/udev/rules.d")
    assert not folder.exists()
    rule = write_file("/etc/udev/rules.d/70-kfd.rules", 'KERNEL=="kfd", GROUP="render"\n')
    done_all(root, rule, run=run)
    assert folder.stat().st_mode & 0o7777 == 0o755
    root.run("rm", "-r", "/etc/udev/rules.d")


def test_a_file_with_which_apt_reads_nothing_any_more_is_taken_away_again(
    root: Root, run: str
) -> None:
    """For example the same repository in two sources with two keys."""
    rival = "/etc/apt/sources.list.d/rival.list"
    pin = "/etc/apt/preferences.d/half"
    second, half = do_all(
        root,
        write_file(rival, SOURCE_LINE.replace("rdna1-setup-rocm.asc", "other.asc")),
        write_file(pin, "Package: *\nPin: release o=x\n"),
        run=run,
    )
    assert "Conflicting values set for option Signed-By" in failure(second)
    assert "No priority" in failure(half)
    assert not root.path(rival).exists()
    assert not root.path(pin).exists()
    root.run("apt-cache", "policy")


def test_a_file_with_which_apt_reads_nothing_any_more_gives_way_to_the_old_one(
    root: Root, run: str
) -> None:
    pin = "/etc/apt/preferences.d/mine"
    root.write(pin, "Package: *\nPin: release o=x\nPin-Priority: 50\n", 0o640)
    before = listing(root, "/etc")
    half = write_file(pin, "Package: *\nPin: release o=x\n", before=sha(root, pin))
    (event,) = do_all(root, half, run=run)
    assert "No priority" in failure(event)
    assert listing(root, "/etc") == before
    root.run("rm", pin)


def test_a_file_that_has_changed_since_the_plan_is_left_alone(root: Root, run: str) -> None:
    root.write("/etc/profile.d/mine.sh", "export ROCM_PATH=/opt/rocm\n")
    requests = [write_file("/etc/profile.d/mine.sh", "# x\n", before=b) for b in (None, "0" * 64)]
    for event in do_all(root, *requests, run=run):
        assert "since the plan was made" in failure(event)
    assert root.path("/etc/profile.d/mine.sh").read_text() == "export ROCM_PATH=/opt/rocm\n"


def test_a_line_that_was_never_in_a_file_does_not_get_into_its_edited_copy(
    root: Root, run: str
) -> None:
    root.write("/etc/profile.d/mine.sh", "echo mine\n")
    before = sha(root, "/etc/profile.d/mine.sh")
    request = write_file("/etc/profile.d/mine.sh", "echo mine\nrm -rf /\n", before=before)
    (event,) = do_all(root, request, run=run)
    assert "rm -rf /" in failure(event)


def test_a_switch_that_would_cut_a_key_off_is_refused_and_a_plain_one_is_not(
    root: Root, run: str
) -> None:
    path = "/etc/apt/sources.list.d/inline.sources"
    head = "Types: deb\nURIs: file:/srv/none\nSuites: ./\n"
    key = "Signed-By:\n" + "".join(f" {row or '.'}\n" for row in VALID.decode().splitlines())
    root.write(path, f"{head}{key}Enabled: no\n")
    before = sha(root, path)
    cut = key.replace("Signed-By:\n", "Signed-By:\nEnabled: yes\n")
    requests = (
        write_file(path, f"{head}{cut}", before=before),
        write_file(path, f"{head}{key}Enabled: yes\n", before=before),
    )
    refused, switched = do_all(root, *requests, run=run)
    shown = root.path(path).read_text()
    root.path(path).unlink()
    assert "is not allowed there" in failure(refused)
    assert switched["event"] == "done"
    assert shown == f"{head}{key}Enabled: yes\n"


@pytest.mark.parametrize("path", ["/etc/profile.d/link.sh", "/etc/ld.so.conf.d/link.conf"])
def test_a_link_is_neither_written_through_nor_read_through(
    root: Root, run: str, path: str
) -> None:
    root.write("/srv/precious", "precious\n")
    root.path(path).symlink_to("/srv/precious")
    requests = (write_file(path, "", before=sha(root, "/srv/precious")), set_aside(path))
    write, aside = do_all(root, *requests, put_back(path), run=run)[:2]
    root.path(path).unlink()
    assert "is a link" in failure(write)
    assert aside["event"] == "done"
    assert root.path("/srv/precious").read_text() == "precious\n"


def test_a_folder_that_is_a_link_or_that_others_may_write_is_refused(root: Root, run: str) -> None:
    request = write_file("/etc/profile.d/x.sh", "")
    root.run("chmod", "g+w", "/etc/profile.d")
    (loose,) = do_all(root, request, run=run)
    root.run("chmod", "g-w", "/etc/profile.d")
    assert "Users other than root can change the folder /etc/profile.d" in failure(loose)
    root.run("mv", "/etc/profile.d", "/srv/profile.d")
    root.run("ln", "-s", "/srv/profile.d", "/etc/profile.d")
    (led,) = do_all(root, request, run=run)
    root.run("rm", "/etc/profile.d")
    root.run("mv", "/srv/profile.d", "/etc/profile.d")
    assert "/etc/profile.d must be a folder, but is a link" in failure(led)


def test_a_tree_goes_aside_and_comes_back_as_it_was(root: Root, run: str) -> None:
    root.write("/opt/rocm-left/lib/libMIOpen.so.original", "x\n", 0o640)
    root.run("ln", "-s", "/nowhere", "/opt/rocm-left/link")
    before = listing(root, "/opt")
    done_all(root, set_aside("/opt/rocm-left"), run=run)
    assert not root.path("/opt/rocm-left").exists()
    done_all(root, put_back("/opt/rocm-left"), run=f"{run}-back")
    assert listing(root, "/opt") == before
    root.run("rm", "-r", "/opt/rocm-left")


def test_a_tree_on_a_file_system_of_its_own_stays_on_it(root: Root, run: str) -> None:
    with talk(root, set_aside("/opt/rocm-far"), put_back("/opt/rocm-far"), run=run) as talking:
        mount = "mount -t tmpfs -o mode=0755 tmpfs /opt && mkdir -p /opt/rocm-far/x"
        root.run("sh", "-c", mount)
        aside = talking.do(1)
        inside = root.run("ls", "-A", "/opt").stdout
        back = talking.do(2)
        after = root.run("ls", "-A", "/opt").stdout
        root.run("umount", "/opt")
    assert (aside["event"], inside) == ("done", f".rdna1-setup-{run}\n")
    assert (back["event"], after) == ("done", "rocm-far\n")


@pytest.mark.parametrize("how", ["itself", "by a link"])
def test_what_a_package_owns_is_not_moved(root: Root, run: str, how: str) -> None:
    root.apt("install", "stand-core=1.0")
    if how == "by a link":  # dpkg's list says /opt/rocm-1.0, and the files lie elsewhere
        root.run("mv", "/opt/rocm-1.0", "/opt/rocm-moved")
        root.run("ln", "-s", "rocm-moved", "/opt/rocm-1.0")
    path = "/opt/rocm-1.0" if how == "itself" else "/opt/rocm-moved"
    (event,) = do_all(root, set_aside(path), run=run)
    root.run("sh", "-c", "[ -L /opt/rocm-1.0 ] && rm /opt/rocm-1.0 && rm -r /opt/rocm-moved || :")
    assert "belongs to the package stand-core" in failure(event)


def test_what_a_package_owns_is_not_moved_where_a_link_leads_there_from_elsewhere(
    root: Root, run: str, scratch: Path
) -> None:
    deb = build(StandIn("stand-afar", "1.0", {"/usr/lib/stand-afar/x": "x\n"}), scratch)
    root.path("/srv/afar.deb").write_bytes(deb.read_bytes())
    root.run("dpkg", "-i", "/srv/afar.deb")
    root.run("mkdir", "/opt/rocm-afar")
    root.run("mv", "/usr/lib/stand-afar", "/opt/rocm-afar/lib")
    root.run("ln", "-s", "/opt/rocm-afar/lib", "/usr/lib/stand-afar")
    (event,) = do_all(root, set_aside("/opt/rocm-afar"), run=run)
    assert "/usr/lib/stand-afar/x belongs to the package stand-afar" in failure(event)
    root.run("dpkg", "--purge", "stand-afar")
    root.run("rm", "-rf", "/opt/rocm-afar", "/usr/lib/stand-afar")


@pytest.mark.parametrize("wrote", [True, False])
def test_what_was_changed_after_it_was_put_back_stays(root: Root, run: str, wrote: bool) -> None:
    path = "/etc/profile.d/returned.sh"
    root.write(path, "echo mine\n")
    over = write_file(path, "export HSA_X=1\n", before=sha(root, path))
    done_all(root, over if wrote else set_aside(path), run=run)
    done_all(root, put_back(path), run=f"{run}-back")
    root.write(path, "echo newer\n")
    done = undo(root, f"{run}-back")
    assert done.returncode == 1
    assert f"NOT UNDONE: {path} has been changed since" in done.stdout
    assert root.path(path).read_text() == "echo newer\n"
    root.write(path, "echo mine\n")
    assert undo(root, f"{run}-back").returncode == 0
    assert (root.path(path).exists() and root.path(path).read_text()) == (
        "export HSA_X=1\n" if wrote else False
    )
    root.run("rm", "-f", path)


def test_what_was_put_in_its_place_meanwhile_is_not_replaced(root: Root, run: str) -> None:
    root.write("/etc/profile.d/mine.sh", "# mine\n")
    done_all(root, set_aside("/etc/profile.d/mine.sh"), run=run)
    root.write("/etc/profile.d/mine.sh", "# newer\n")
    (event,) = do_all(root, put_back("/etc/profile.d/mine.sh"), run=run)
    assert "did not create" in failure(event)
    assert root.path("/etc/profile.d/mine.sh").read_text() == "# newer\n"


def test_what_was_never_moved_is_in_its_place(root: Root, run: str) -> None:
    """A step that was cut off before it did anything is taken back like any other."""
    path = "/etc/profile.d/never.sh"
    root.write(path, "# mine\n")
    before = listing(root, "/etc")
    (done,) = done_all(root, put_back(path), run=run)
    assert "in its place" in done["outcome"]
    assert changed(before, listing(root, "/etc")) == {}
    root.path(path).unlink()
    (event,) = do_all(root, put_back(path), run=f"{run}-again")
    assert f"No backup contains {path}" in failure(event)


def test_a_lost_backup_of_what_we_wrote_over_is_told(root: Root, run: str) -> None:
    path = "/etc/profile.d/lost.sh"
    root.write(path, "export ROCM_PATH=/opt/rocm\n")
    done_all(root, write_file(path, "# nothing\n", before=sha(root, path)), run=run)
    for kept in root.path(f"{RUNS}/{run}/backup").glob("*lost.sh*"):
        kept.unlink()
    (event,) = do_all(root, put_back(path), run=f"{run}-back")
    assert f"No backup contains {path}" in failure(event)


def test_what_we_wrote_over_is_put_back(root: Root, run: str) -> None:
    path = "/etc/profile.d/mine.sh"
    root.write(path, "export ROCM_PATH=/opt/rocm\n", 0o640)
    before = listing(root, "/etc")
    request = write_file(path, "# nothing\n", before=sha(root, path))
    done_all(root, request, run=run)
    done_all(root, put_back(path), run=f"{run}-back")
    assert changed(before, listing(root, "/etc")) == {}


def test_what_was_kept_and_is_as_it_was_needs_no_putting_back(root: Root, run: str) -> None:
    """Its owner may have restored it, or a kill came before it was written over."""
    path = "/etc/profile.d/mine.sh"
    root.write(path, "export ROCM_PATH=/opt/rocm\n", 0o640)
    done_all(root, write_file(path, "# nothing\n", before=sha(root, path)), run=run)
    root.write(path, "export ROCM_PATH=/opt/rocm\n", 0o640)
    (done,) = done_all(root, put_back(path), run=f"{run}-back")
    assert "in its place" in done["outcome"]
    root.run("chmod", "600", path)
    (event,) = do_all(root, put_back(path), run=f"{run}-again")
    assert "did not create" in failure(event)
    root.run("rm", path)


def status_of(pid: int, name: str) -> list[str]:
    """The words of one line of what the kernel says of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(line.split()[1:] for line in lines if line.startswith(f"{name}:"))


@pytest.fixture
def heavy(root: Root, tmp_path: Path) -> Iterator[Root]:
    """A root in whose cache of apt there is a large package file."""
    tree = tmp_path / "heavy"
    (tree / "DEBIAN").mkdir(parents=True)
    fields = (
        "Package: heavy",
        "Version: 1",
        "Architecture: amd64",
        "Maintainer: x",
        "Description: x",
    )
    (tree / "DEBIAN/control").write_text("\n".join(fields) + "\n")
    with (tree / "heavy.bin").open("wb") as file:
        file.truncate(LARGE)
    deb = root.path("/var/cache/apt/archives/heavy_1_amd64.deb")
    pack = ("dpkg-deb", "--root-owner-group", "-Znone", "-b", str(tree), str(deb))
    subprocess.run(pack, check=True, capture_output=True, timeout=120)
    yield root
    deb.unlink()


def test_a_large_package_file_is_kept_without_being_held_in_memory(heavy: Root, run: str) -> None:
    with talk(heavy, keep_debs(("heavy", "1")), run=run) as conversation:
        event = conversation.do(1)
        assert event["event"] == "done", event
        (helper,) = pids(heavy, "assets/root")
        assert int(status_of(helper, "VmHWM")[0]) * 1024 < LARGE / 2
    kept = heavy.path(f"{RUNS}/{run}/backup/debs/heavy_1.deb")
    assert kept.stat().st_size > LARGE
    assert sha256(kept.read_bytes()).hexdigest() == event["kept"][0]["sha256"]


# Groups and marks


def test_only_missing_groups_are_joined_and_only_those_are_left_again(root: Root, run: str) -> None:
    root.run("usermod", "-aG", "video", OWNER)
    join = {"verb": "join_groups", "user": OWNER, "groups": ["render", "video"]}
    done_all(root, join, run=run)
    assert root.run("id", "-nG", OWNER).stdout.split() == [OWNER, "video", "render"]
    intent = next(record for record in journal(root, run) if record["event"] == "intent")
    assert intent["undo"] == [["leave", OWNER, "render"]]
    done_all(root, {**join, "verb": "leave_groups"}, run=f"{run}-back")
    assert root.run("id", "-nG", OWNER).stdout.split() == [OWNER]


def test_a_group_that_is_not_there_is_trouble(root: Root, run: str) -> None:
    root.run("groupdel", "render")
    join = {"verb": "join_groups", "user": OWNER, "groups": ["render"]}
    (event,) = do_all(root, join, run=run)
    root.run("groupadd", "--system", "render")
    assert "There is no render group" in failure(event)


def test_marks_are_changed_and_looked_at(root: Root, run: str) -> None:
    root.apt("install", "stand-tool=1.0", "stand-core=1.0")
    marks = {"verb": "mark", "auto": ["stand-core"], "manual": ["stand-tool"]}
    done_all(root, marks, run=run)
    assert "stand-core" in root.run("apt-mark", "showauto").stdout.split()
    (event,) = do_all(root, {**marks, "manual": ["stand-spare"]}, run=run)
    assert "stand-spare is not installed" in failure(event)


# The run


def test_nobody_but_root_and_the_group_of_the_user_can_read_a_run(root: Root, run: str) -> None:
    done_all(root, {"verb": "configure"}, run=run)
    seen = {path: text.split()[0] for path, text in listing(root, f"{RUNS}/{run}").items()}
    modes = {path.removeprefix(f"{RUNS}/{run}"): mode for path, mode in seen.items()}
    assert modes == {
        "": "drwxr-x---",
        "/UNDO.sh": "-rwxr-x---",
        "/backup": "drwx------",
        "/backup/debs": "drwx------",
        "/events.jsonl": "-rw-r-----",
        "/journal.jsonl": "-rw-------",
        "/output-1.log": "-rw-r-----",
    }
    lock = root.path("/var/lib/rdna1-setup/lock")
    assert lock.stat().st_mode & 0o777 == 0o600


def test_only_one_helper_is_at_work_and_the_other_names_it(root: Root, run: str) -> None:
    configure = {"verb": "configure"}
    with talk(root, configure, run=run) as first:
        with talk(root, configure, run=f"{run}-second") as second:
            assert second.first["event"] == "refused"
            pid = first.first["pid"]
            assert f"python3, process {pid}" in second.first["happened"]
        assert first.do(1)["event"] == "done"


def test_a_helper_that_waits_at_its_question_is_named_too(root: Root, run: str) -> None:
    configure = {"verb": "configure"}
    with Terminal(root.command(*argv(root)), os.environ) as screen:
        screen.send(plan_of(configure, run=run) + "\n")
        screen.wait_for("change nothing: ")
        with talk(root, configure, run=f"{run}-second") as second:
            assert second.first["event"] == "refused"
            inside = [status_of(pid, "NSpid")[-1] for pid in pids(root, "assets/root")]
            named = [f"already running as root (python3, process {pid})." for pid in inside]
            assert any(each in second.first["happened"] for each in named), second.first
        screen.send("no\n")
        screen.exit_code()


def test_a_refused_plan_leaves_nothing_behind(root: Root, run: str) -> None:
    before = listing(root, "/var/lib/rdna1-setup", "/etc")
    with talk(root, {"verb": "run", "argv": ["id"]}, run=run) as conversation:
        assert conversation.first["event"] == "refused"
    assert listing(root, "/var/lib/rdna1-setup", "/etc") == before


def test_a_command_that_is_none_ends_the_helper_with_a_word(root: Root, run: str) -> None:
    for line in ('{"do": 2}', '{"do": true}', "[]", '{"end": 1}', "x" * 5000):
        with talk(root, {"verb": "configure"}, run=run) as conversation:
            conversation.say(line)
            assert conversation.hear()["event"] == "failed"
            assert conversation.hear()["event"] == "gone"


def test_a_new_key_and_source_are_written_read_and_used_in_one_run(
    root: Root, run: str, scratch: Path
) -> None:
    root.path(SOURCE).unlink()
    root.path(KEYRING).unlink()
    done_all(
        root,
        write_file(KEYRING, public_key(scratch)),
        write_file(SOURCE, SOURCE_LINE),
        {"verb": "apt_update"},
        apt_change((CORE,)),
        run=run,
    )


GOES_ON = """
import sys
sys.path.insert(0, sys.argv[1])
from assets.root.journal import open_run
from assets.root.requests import Person
from assets.root.trouble import Trouble
for uid in (1000, 1001, 0, 1000):
    try:
        run = open_run(sys.argv[2], Person("one", uid, 1000, True))
        run.note("begin", user=uid)
        print("opened by", uid)
    except Trouble as trouble:
        print(trouble.happened)
"""


def test_users_who_share_a_group_do_not_go_on_with_each_others_runs(root: Root, run: str) -> None:
    argv = ("/usr/bin/python3", "-B", "-c", GOES_ON, site_packages(root), run)
    said = root.run(*argv).stdout.splitlines()
    refused = f"Run {run} belongs to another user."
    assert said == ["opened by 1000", refused, "opened by 0", "opened by 1000"]
