"""A rehearsal: the very plan in a copy that is thrown away, and nothing of it gets out."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.e2e.system.bases import PREFIX
from tests.e2e.system.roots import Root
from tests.root.archive import StandIn, build, public_key
from tests.root.conversation import (
    Conversation,
    Event,
    apt_change,
    done_all,
    set_aside,
    talk,
    undo,
    wait_until,
    write_file,
)
from tests.root.everything import TOLERATED, furnish, steps
from tests.root.listing import Listing, changed, dpkg_state, listing

pytestmark = pytest.mark.e2e

STATE = "/var/lib/rdna1-setup"
NS_GET_PARENT = 0xB702
SOME_MB: dict[str, Any] = {"megabytes": 100, "may_be_gone": []}
EVERYWHERE = ("/etc", "/opt", "/home", "/root", "/usr", "/var", "/run", "/srv", "/boot")
BOOKS = (STATE, "/var/log", "/var/cache")
"""What a run writes beside its changes."""
OLDER = ("/var/lib/dpkg/status-old", "/etc/group-", "/etc/gshadow-", "/var/lib/dpkg/status")
"""Kept by dpkg and usermod of the moment before; and the order of dpkg's paragraphs."""


def heard(conversation: Conversation) -> list[Event]:
    """Everything that is told, to the end."""
    events = [conversation.first]
    while events[-1]["event"] not in ("rehearsed", "gone", "refused"):
        events.append(conversation.hear())
        if events[-1]["event"] == "failed" and events[-1]["step"] == 0:
            break
    return events


def rehearsed(root: Root, *requests: Event, run: str = "try", **more: Any) -> list[Event]:
    """A whole rehearsal."""
    with talk(root, *requests, run=run, rehearse=more or SOME_MB) as conversation:
        return heard(conversation)


def changes(root: Root, when: str, run: str = "try") -> dict[str, str]:
    """What was told to be changed: how, by path."""
    text = root.path(f"{STATE}/runs/{run}/changes-{when}.jsonl").read_text()
    found = (json.loads(line) for line in text.splitlines())
    return {each["path"]: each["how"] for each in found}


def everything(root: Root) -> Listing:
    """The whole root, but for the books."""
    return {
        path: seen
        for path, seen in listing(root, *EVERYWHERE).items()
        if path != STATE and not path.startswith(BOOKS)
    }


def leftover(root: Root) -> list[Path]:
    """What a rehearsal has left on the disk."""
    folder = root.path(f"{STATE}/rehearsal")
    return list(folder.iterdir()) if folder.exists() else []


@pytest.fixture(scope="module")
def furnished(root: Root) -> Root:
    """A root with something of everything to lose."""
    furnish(root)
    return root


def test_it_changes_nothing_and_tells_exactly_what_the_plan_then_changes(
    furnished: Root, scratch: Path
) -> None:
    plan = steps(furnished, public_key(scratch))
    before, packages = everything(furnished), dpkg_state(furnished)
    events = rehearsed(furnished, *plan)
    assert events[-1]["event"] == "rehearsed", events[-1]
    assert (events[-1]["failed"], events[-1]["undo"], events[-1]["packages"]) == (0, 0, [])
    assert changed(before, everything(furnished)) == {}
    assert dpkg_state(furnished) == packages
    assert leftover(furnished) == []
    told = {p for p in changes(furnished, "there") if not p.startswith(BOOKS)}
    back = {p for p in changes(furnished, "back") if not p.startswith(BOOKS)}
    assert back <= set(OLDER)
    done_all(furnished, *plan, run="real")
    really = set(changed(before, everything(furnished)))
    assert undo(furnished, "real").returncode == 0
    assert {path for path in told ^ really if path not in OLDER} == set()
    assert changed(before, everything(furnished), *TOLERATED, *OLDER) == {}


SOCKETS = ("/srv/service.sock", "\0rdna1-setup-test")
ESCAPES = (
    "connect.py 127.0.0.1",
    "connect.py unix",
    "connect.py abstract",
    "cp /srv/outside /proc/sys/kernel/domainname",
    "mount -t tmpfs x /mnt",
    "mknod /opt/disk b 8 0",
    "chroot /proc/1/root ls /srv/outside",
    "test -e /run/outside",
    "touch /sys/x",
    "touch /dev/x",
    "hostname escaped",
)
"""What a package's script could do to the system that it is rehearsed on."""
CONNECT = """
import socket, sys
kinds = {"127.0.0.1": (socket.AF_INET, ("127.0.0.1", PORT)),
    "unix": (socket.AF_UNIX, "/srv/service.sock"),
    "abstract": (socket.AF_UNIX, "\\0rdna1-setup-test")}
kind, address = kinds[sys.argv[1]]
socket.socket(kind).connect(address)
"""
TRY = """
( sleep 301 </dev/null >/dev/null 2>&1 & )
echo x >/run/escaped
while read -r way; do
    if $way >/dev/null 2>&1; then echo "OPEN: $way"; else echo "closed: $way"; fi
done </srv/ways
"""


@contextmanager
def services(root: Root) -> Iterator[None]:
    """Somebody who answers at a port, at a path and at an abstract name, and a list of ways."""
    with ExitStack() as stack:
        port = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        for name in (str(root.path(SOCKETS[0])), SOCKETS[1]):
            service = stack.enter_context(socket.socket(socket.AF_UNIX))
            service.bind(name)
            service.listen()
        text = CONNECT.replace("PORT", str(port.getsockname()[1]))
        root.write("/srv/connect.py", f"#!/usr/bin/python3\n{text}", 0o755)
        root.write("/srv/outside", "x\n")
        root.write("/run/outside", "x\n")
        root.write("/srv/ways", "".join(f"{each}\n" for each in ESCAPES))
        yield


@contextmanager
def a_package(root: Root, folder: Path, name: str, postinst: str) -> Iterator[Event]:
    """A request to install a package with this script."""
    package = StandIn(name, "1.0", {f"/opt/rocm-1.0/{name}": "x\n"}, (), {"postinst": postinst})
    deb = build(package, folder)
    place = root.path(f"/srv/{deb.name}")
    shutil.copy(deb, place)
    found = (f"/srv/{deb.name}", sha256(deb.read_bytes()).hexdigest())
    yield apt_change(debs=(found,), expect_install=((name, "1.0"),))
    place.unlink()


def test_services_and_the_network_are_out_of_reach_of_a_package(
    furnished: Root, tmp_path: Path
) -> None:
    name = furnished.run("hostname").stdout
    with services(furnished):
        control = furnished.run(
            "sh",
            "-c",
            "cd /srv; export PATH=$PATH:/srv; head -n 3 ways >w; "
            + TRY.partition("/run/escaped")[2].replace("/srv/ways", "w"),
        )
        assert control.stdout.count("OPEN: ") == 3, control.stdout
        script = f"PATH=$PATH:/srv\n{TRY}"
        with a_package(furnished, tmp_path, "stand-escapes", script) as request:
            events = rehearsed(furnished, request)
    assert events[-1]["event"] == "rehearsed", events[-1]
    said = [line for event in events if event["event"] == "output" for line in event["lines"]]
    assert [line for line in said if line.startswith("OPEN: ")] == []
    assert [line for line in said if line.startswith("closed: ")] == [
        f"closed: {way}" for way in ESCAPES
    ]
    assert furnished.run("hostname").stdout == name
    assert not furnished.path("/run/escaped").exists()
    assert processes("sleep 301") == []


def processes(words: str) -> list[int]:
    """Numbers of processes anywhere on this machine with these words in their command."""
    found = psutil.process_iter(["pid", "cmdline"])
    return [p.info["pid"] for p in found if words in " ".join(p.info["cmdline"] or ())]


STAYS = "echo standing here; while :; do sleep 0.1; done"


def test_killed_in_the_middle_it_leaves_no_process_and_no_mount_and_the_next_start_its_space(
    furnished: Root, tmp_path: Path
) -> None:
    before = everything(furnished)
    with (
        a_package(furnished, tmp_path, "stand-stays", STAYS) as request,
        talk(furnished, request, run="killed", rehearse=SOME_MB) as conversation,
    ):
        conversation.until("output", "standing here")
        assert processes("stand-stays.postinst")
        assert inside(furnished)
        busy = furnished.apt("-o", "DPkg::Lock::Timeout=0", "purge", "stand-none", check=False)
        assert "rehears" not in busy.stderr
        assert "lock" in busy.stderr
        kill_helper(furnished)
        assert conversation.hear_out()[-1]["event"] == "gone"
        wait_until(lambda: not inside(furnished), "everything inside ended")
    assert leftover(furnished) != []
    mounts = [line for p in furnished.running() for line in mounts_of(p.pid)]
    assert not [line for line in mounts if "rdna1-setup/rehearsal" in line]
    done_all(furnished, write_file("/etc/profile.d/next.sh", "# next\n"), run="next")
    assert leftover(furnished) == []
    assert undo(furnished, "next").returncode == 0
    assert changed(before, everything(furnished)) == {}


@pytest.mark.parametrize("seconds", [0.0, 0.05, 0.15, 0.3, 0.6, 1.2])
def test_killed_at_any_moment_nothing_goes_on_by_itself(furnished: Root, seconds: float) -> None:
    plan = (write_file("/etc/profile.d/x.sh", "# x\n"), apt_change((("stand-spare", "2.0"),)))
    with talk(furnished, *plan, run="moment", rehearse=SOME_MB) as conversation:
        assert conversation.first["event"] == "ready"
        time.sleep(seconds)  # the moment itself is what is tried
        kill_helper(furnished)
        conversation.hear_out()
        wait_until(lambda: not inside(furnished) and not helpers(furnished), "all ended")
    assert not furnished.path("/etc/profile.d/x.sh").exists()


def helpers(root: Root) -> list[int]:
    """Helpers at work outside of the copy: the one that serves, and the one between."""
    return sorted(p.pid for p in root.running() if "root_helper.py" in " ".join(p.command))


def kill_helper(root: Root) -> None:
    """SIGKILL for the one that serves: it came first."""
    for pid in helpers(root)[:1]:
        os.kill(pid, signal.SIGKILL)


def inside(root: Root) -> list[int]:
    """Processes in namespaces below that of the root."""
    own = Path(f"/proc/{root.space.init}/ns/pid").stat().st_ino
    return [pid for pid in psutil.pids() if parent_namespace(pid) == own]


def parent_namespace(pid: int) -> int:
    """The namespace in which that of a process was made; 0 where that is not to be seen."""
    with (
        suppress(OSError),
        open(f"/proc/{pid}/ns/pid", "rb") as own,  # noqa: PTH123 - no file
        os.fdopen(fcntl.ioctl(own, NS_GET_PARENT), "rb") as parent,
    ):
        return os.fstat(parent.fileno()).st_ino
    return 0


def mounts_of(pid: int) -> list[str]:
    """Lines of the mounts that a process sees."""
    try:
        return Path(f"/proc/{pid}/mountinfo").read_text().splitlines()
    except OSError:
        return []


def test_it_ends_with_the_wizard_that_asked_for_it(furnished: Root, tmp_path: Path) -> None:
    with (
        a_package(furnished, tmp_path, "stand-left", STAYS) as request,
        talk(furnished, request, run="left", rehearse=SOME_MB) as conversation,
    ):
        conversation.until("output", "standing here")
        assert conversation.process.stdin is not None
        conversation.process.stdin.close()
        last = [event for event in conversation.hear_out() if event["event"] == "failed"][-1]
    assert last["happened"] == "The trial run was stopped."
    assert leftover(furnished) == []
    assert processes("stand-left.postinst") == []


def test_a_step_that_fails_is_told_and_what_came_before_it_is_taken_back(furnished: Root) -> None:
    broken = apt_change((("stand-broken", "1.0"),))
    path = "/etc/profile.d/one.sh"
    events = rehearsed(furnished, write_file(path, "# one\n"), broken, set_aside("/opt/rocm-none"))
    assert events[-1].get("failed") == 2, events[-3:]
    assert [e["step"] for e in events if e["event"] == "failed"] == [2]
    assert changes(furnished, "there")[path] == "created"
    assert path not in changes(furnished, "back")


def test_what_may_be_gone_is_passed_over_when_it_is_and_snapshots_are(furnished: Root) -> None:
    requests = (
        set_aside("/opt/rocm-none"),
        {"verb": "snapshot", "tool": "timeshift", "config": ""},
    )
    events = rehearsed(furnished, *requests, megabytes=1, may_be_gone=[1])
    outcomes = [event["outcome"] for event in events if event["event"] == "done"]
    assert outcomes[0] == "already removed by an earlier step"
    assert outcomes[1] == "a trial run makes no snapshot"


def test_without_the_space_it_does_not_begin(furnished: Root) -> None:
    events = rehearsed(furnished, set_aside("/opt/rocm-1.0"), megabytes=9_000_000, may_be_gone=[])
    assert "A rehearsal needs 9000.3 GB below /var/lib/rdna1-setup" in events[-1]["happened"]
    assert leftover(furnished) == []


def test_a_disk_that_gets_full_stops_it(furnished: Root, tmp_path: Path) -> None:
    fills = "echo standing here; dd if=/dev/zero of=/opt/filler bs=1M count=600; sleep 60"
    furnished.run("mkdir", "-p", STATE)
    furnished.limit_disk(STATE, 700 << 20)
    try:
        with a_package(furnished, tmp_path, "stand-fills", fills) as request:
            events = rehearsed(furnished, request, run="fills")
    finally:
        left = leftover(furnished)
        furnished.run("umount", STATE)
    assert "more space than expected, and was" in events[-1]["happened"]
    assert left == []
    assert processes("stand-fills.postinst") == []


def test_a_run_that_was_begun_is_not_rehearsed(furnished: Root) -> None:
    done_all(furnished, write_file("/etc/profile.d/x.sh", "# x\n"), run="begun")
    events = rehearsed(furnished, write_file("/etc/profile.d/y.sh", "# y\n"), run="begun")
    assert events[-1]["event"] == "refused"
    assert "started, so a trial" in events[-1]["happened"]
    assert undo(furnished, "begun").returncode == 0


def test_where_no_overlay_can_be_laid_it_says_why(furnished: Root) -> None:
    folder = furnished.path(STATE)
    for name in ("srv/low", "srv/up/u", "srv/up/w"):
        furnished.path(f"/{name}").mkdir(parents=True)
    layers = (f"{name}={furnished.path(f'/srv/{place}')}" for name, place in LAYERS)
    furnished.space.mount("-t", "overlay", "-o", ",".join(layers), "overlay", str(folder))
    try:
        events = rehearsed(furnished, write_file("/etc/profile.d/x.sh", "# x\n"))
    finally:
        furnished.run("umount", STATE)
    assert "No temporary copy of / could be made" in events[-1]["happened"]
    assert "still stands" in events[-1]["next_step"]


def test_file_systems_of_their_own_are_looked_at_too(furnished: Root) -> None:
    outside = furnished.folder / "srv/wizard", furnished.folder / PREFIX.lstrip("/")
    outside[0].mkdir()
    furnished.space.mount("--bind", str(outside[1]), str(outside[0]))
    for name in ("/opt", "/home"):
        furnished.space.mount("-t", "tmpfs", "-o", "mode=0755", "tmpfs", str(furnished.path(name)))
    furnished.run("mkdir", "-p", PREFIX, "/opt/rocm-9/lib")
    furnished.space.mount("--bind", str(outside[0]), str(outside[1]))
    furnished.run("sh", "-c", "echo x >/opt/rocm-9/lib/x")
    try:
        profile = write_file("/etc/profile.d/x.sh", "# x\n")
        events = rehearsed(furnished, set_aside("/opt/rocm-9"), profile, run="mounts")
    finally:
        text = furnished.run("cat", "/opt/rocm-9/lib/x").stdout
        furnished.run("umount", PREFIX, "/opt", "/home", "/srv/wizard")
    assert events[-1]["failed"] == 0, events[-1]
    assert text == "x\n"
    there = changes(furnished, "there", "mounts")
    assert there["/opt/rocm-9/lib/x"] == "gone"
    assert there["/opt/.rdna1-setup-mounts"] == "created"
    assert there["/etc/profile.d/x.sh"] == "created"
    assert not {path for path in changes(furnished, "back", "mounts") if path.startswith("/opt")}


LAYERS = (("lowerdir", "low"), ("upperdir", "up/u"), ("workdir", "up/w"))
