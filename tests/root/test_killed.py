"""SIGKILL at every point: the same end whether it is gone on with or taken back."""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import pytest

from tests.e2e.system.bases import BOOKWORM, base_tar
from tests.e2e.system.roots import OWNER, Root, fresh_root
from tests.root.archive import StandIn, add_source, build, publish
from tests.root.conversation import (
    RUNS,
    Event,
    apt_change,
    do_all,
    done_all,
    keep_debs,
    put_back,
    set_aside,
    talk,
    undo,
    wait_until,
    write_file,
)
from tests.root.everything import TOLERATED, state
from tests.root.listing import changed
from tests.root.stops import kill, kill_all, pids, stopped_at, wait_until_reached, waiting

pytestmark = pytest.mark.e2e
ONE = (("stand-core", "1.0"), ("stand-tool", "1.0"))
TWO = (("stand-core", "2.0"), ("stand-more", "2.0"))
HELPER = "assets/root"


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Root]:
    """A root with version 1 of packages whose scripts can be stopped, and with their files kept."""
    scratch = tmp_path_factory.mktemp("slow")
    core, more = (waiting("stand-core", version) for version in ("1.0", "2.0"))
    tool = waiting("stand-tool", "1.0", "Depends: stand-core")
    with fresh_root(BOOKWORM, base_tar(BOOKWORM)) as root:
        publish(root, core, more, tool, waiting("stand-more", "2.0"), scratch=scratch)
        add_source(root, scratch)
        root.apt("install", "stand-core=1.0", "stand-tool=1.0")
        yield root


CHANGE = apt_change(TWO, ("stand-tool",))
PLAN = (keep_debs(*ONE), CHANGE)
PLACES = (
    "stand-tool-prerm-remove",
    "stand-tool-postrm-remove",
    "stand-core-prerm-upgrade",
    "stand-core-preinst-upgrade",
    "stand-core-postrm-upgrade",
    "stand-core-postinst-configure",
    "stand-more-preinst-install",
    "stand-more-postinst-configure",
)


@contextmanager
def begun(root: Root, run: str, place: str, plan: tuple[Event, ...] = PLAN) -> Iterator[None]:
    """In the middle of the transaction, at a place where a script waits until this ends."""
    with stopped_at(root, place), talk(root, *plan, run=run) as conversation:
        assert conversation.do(1)["event"] == "done"
        conversation.say('{"do": 2}')
        wait_until_reached(root, place)
        yield


def wait_for_quiet(root: Root) -> None:
    """Wait until nothing runs inside."""
    wait_until(lambda: not root.running(), "the root is quiet")


@pytest.fixture
def before(slow: Root) -> Iterator[tuple[dict[str, str], str]]:
    """The state that every way back must lead to; looked at again in the end."""
    files, packages = state(slow)
    yield files, packages
    after, packages_after = state(slow)
    assert packages_after == packages
    assert changed(files, after, *TOLERATED, "/srv/stops") == {}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("what", ["the helper", "everything"])
@pytest.mark.usefixtures("before")
def test_a_killed_transaction_can_be_gone_on_with_and_taken_back(
    slow: Root, what: str, place: str
) -> None:
    run = f"on-{what[-3:]}-{place}"
    with begun(slow, run, place):
        if what == "the helper":
            kill(*pids(slow, HELPER))
        else:
            kill_all(slow)
    wait_for_quiet(slow)  # what apt had begun it finishes without the helper
    done_all(slow, *PLAN, run=run)
    _, packages = state(slow)
    assert "stand-core 2.0 ii" in packages
    assert "stand-tool" not in packages.replace("stand-tool 1.0 rc", "")
    assert undo(slow, run).returncode == 0


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.usefixtures("before")
def test_a_killed_transaction_can_be_taken_back_at_once(slow: Root, place: str) -> None:
    run = f"back-{place}"
    with begun(slow, run, place):
        kill_all(slow)
    done = undo(slow, run)
    assert done.returncode == 0, done.stdout + done.stderr


TOOL, MORE = (("stand-tool", "1.0"),), (("stand-more", "2.0"),)
REMOVAL = (apt_change((), ("stand-core", "stand-tool"), purge=True), apt_change(TOOL))
HALVES = {
    "stand-tool-prerm-remove": REMOVAL,
    "stand-tool-postrm-remove": REMOVAL,
    "stand-more-preinst-install": (
        apt_change(MORE),
        apt_change((), ("stand-more",), purge=True, for_good=MORE),
    ),
}
"""Where a package is half there, by which change, and the change that leads back."""


@pytest.mark.parametrize("place", HALVES)
@pytest.mark.usefixtures("before")
def test_what_is_half_there_holds_up_no_plan_that_brings_or_removes_it(
    slow: Root, place: str
) -> None:
    change, back = HALVES[place]
    plan = (keep_debs(*ONE), change)
    with begun(slow, f"half-{place}", place, plan):
        kill_all(slow)
    (told,) = do_all(slow, {"verb": "configure"}, run=f"half-told-{place}")
    assert told["event"] == "failed"
    assert "is still half installed" in told["happened"]
    rest = {"verb": "restore_settings", "run": f"half-{place}"}
    done_all(slow, {"verb": "configure"}, back, rest, run=f"half-back-{place}")


@pytest.mark.usefixtures("before")
def test_a_killed_transaction_of_files_that_were_kept_is_gone_on_with(slow: Root) -> None:
    plan = (keep_debs(*MORE), apt_change(MORE))
    with begun(slow, "fetched", "stand-more-postinst-configure", plan):
        kill_all(slow)
    done_all(slow, *plan, run="fetched")
    assert undo(slow, "fetched").returncode == 0


KILLS = int(os.environ.get("RDNA1_SETUP_KILLS", "3"))


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Root]:
    """A root whose packages take a while to unpack."""
    scratch = tmp_path_factory.mktemp("large")
    chance = random.Random(1)  # noqa: S311 - the same packages each time
    stock = [
        StandIn(
            name,
            version,
            {f"/opt/rocm-{version}/{name}/{n}": chance.randbytes(99).hex() for n in range(800)},
        )
        for name, version in (*ONE, *TWO)
    ]
    with fresh_root(BOOKWORM, base_tar(BOOKWORM)) as root:
        publish(root, *stock, scratch=scratch)
        add_source(root, scratch)
        root.apt("install", "stand-core=1.0", "stand-tool=1.0")
        yield root


@pytest.mark.parametrize("go_on", [True, False], ids=["gone on with", "taken back"])
@pytest.mark.parametrize("cached", [True, False], ids=["files in the cache", "from the archive"])
def test_a_transaction_killed_at_any_instant_has_the_same_two_ends(
    large: Root, *, go_on: bool, cached: bool
) -> None:
    if cached:  # as after a download; an archive that is a folder is read in place
        large.run("sh", "-c", "cp /srv/archive/pool/*.deb /var/cache/apt/archives/")
    files, packages = state(large)
    with talk(large, *PLAN, run=f"wanted-{go_on}-{cached}") as conversation:
        assert conversation.do(1)["event"] == "done"
        conversation.say('{"do": 2}')
        conversation.until("progress", '"change"')
        began = time.monotonic()
        conversation.until("done")
        lasts_s = time.monotonic() - began
    wanted, packages_wanted = state(large)
    assert undo(large, f"wanted-{go_on}-{cached}").returncode == 0
    chance = random.Random(f"{go_on}{cached}")  # noqa: S311 - the same instants each time
    interrupted = 0
    for number in range(KILLS):
        run = f"instant-{go_on}-{cached}-{number}"
        with talk(large, *PLAN, run=run) as conversation:
            assert conversation.do(1)["event"] == "done"
            conversation.say('{"do": 2}')
            conversation.until("progress", '"change"')
            time.sleep(chance.uniform(0, lasts_s))  # the instant is what is tried here
            kill_all(large)
        interrupted += state(large)[1] not in (packages, packages_wanted)
        if go_on:
            done_all(large, *PLAN, run=run)
            after, packages_after = state(large)
            assert packages_after == packages_wanted, number
            assert changed(wanted, after, *TOLERATED) == {}, number
        done = undo(large, run)
        assert done.returncode == 0, f"{number}: {done.stdout}{done.stderr}"
        after, packages_after = state(large)
        assert packages_after == packages, number
        assert changed(files, after, *TOLERATED) == {}, number
    print(f"{interrupted} of {KILLS} instants lay between two states of packages")


@pytest.mark.usefixtures("before")
def test_apt_goes_on_without_a_killed_helper_and_keeps_others_out_until_it_has_ended(
    slow: Root,
) -> None:
    with begun(slow, "orphan", "stand-more-postinst-configure"):
        kill(*pids(slow, HELPER))
        with talk(slow, CHANGE, run="orphan") as second:
            assert second.first["event"] == "refused"
            assert "apt-get, process" in second.first["happened"]
    wait_for_quiet(slow)
    assert "stand-more 2.0 ii" in state(slow)[1]
    assert undo(slow, "orphan").returncode == 0


@pytest.mark.usefixtures("before")
def test_what_a_package_leaves_running_holds_no_lock_of_ours(slow: Root, tmp_path: Path) -> None:
    start = "setsid sleep 600 </dev/null >/dev/null 2>&1 &"
    deb = build(StandIn("stand-daemon", "1.0", scripts={"postinst": start}), tmp_path)
    slow.path("/srv/daemon.deb").write_bytes(deb.read_bytes())
    file = ("/srv/daemon.deb", sha256(deb.read_bytes()).hexdigest())
    change = apt_change((), debs=(file,), expect_install=(("stand-daemon", "1.0"),))
    done_all(slow, change, run="daemon")
    sleeping = pids(slow, "sleep 600")
    assert sleeping
    done_all(slow, {"verb": "configure"}, run="daemon")
    kill(*sleeping)
    assert undo(slow, "daemon").returncode == 0
    slow.run("rm", "/srv/daemon.deb")


PROFILE = "/etc/profile.d/mine.sh"
OLD = "export ROCM_PATH=/opt/rocm\necho mine\n"
FILES = (
    write_file("/etc/udev/rules.d/70-kfd.rules", 'KERNEL=="kfd", GROUP="render"\n'),
    write_file(PROFILE, "echo mine\n", before=sha256(OLD.encode()).hexdigest(), mode=0o755),
    set_aside("/opt/rocm-left"),
    set_aside("/opt/rocm-more"),
    put_back("/opt/rocm-more"),
    {"verb": "join_groups", "user": OWNER, "groups": ["render"]},
)


@pytest.fixture(scope="module")
def furnished(slow: Root) -> Root:
    """With files that a run changes."""
    slow.write(PROFILE, OLD, 0o755)
    slow.write("/opt/rocm-left/x", "left\n")
    slow.write("/opt/rocm-more/x", "more\n")
    return slow


def killed_at(root: Root, number: int, run: str) -> bool:
    """Carry the steps out, and kill each process at its so many-th fsync; False if none got there.

    Before and after each of them the disk holds what a power failure would leave.
    """
    inject = f"inject=fsync:signal=SIGKILL:when={number}"
    traced = ("strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync", "-e", inject)
    with talk(root, *FILES, run=run, before=traced) as conversation:
        if conversation.first["event"] != "ready":
            return True
        ends = [conversation.do(step)["event"] for step in range(1, len(FILES) + 1)]
    return ends != ["done"] * len(FILES)


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize("go_on", [True, False], ids=["gone on with", "taken back"])
def test_files_survive_a_kill_at_every_point_where_something_reaches_the_disk(
    furnished: Root, go_on: bool
) -> None:
    files, packages = state(furnished)
    done_all(furnished, *FILES, run="wanted")
    wanted, _ = state(furnished)
    assert undo(furnished, "wanted").returncode == 0
    number = 1
    while killed_at(furnished, number, run := f"point-{go_on}-{number}"):
        if go_on:
            done_all(furnished, *FILES, run=run)
            assert changed(wanted, state(furnished)[0], *TOLERATED) == {}, number
        if furnished.path(f"{RUNS}/{run}/UNDO.sh").exists():
            done = undo(furnished, run)
            assert done.returncode == 0, f"{number}: {done.stdout}{done.stderr}"
        after, packages_after = state(furnished)
        assert packages_after == packages
        assert changed(files, after, *TOLERATED) == {}, number
        number += 1
    assert undo(furnished, run).returncode == 0
    print(f"{number - 1} points")
    assert number > 3 * len(FILES)  # more than one for intent, act and outcome each
