"""Roots are entered as root or as an ordinary user with real sudo, and leave nothing behind."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.e2e.homes import SOURCE
from tests.e2e.system.archive_server import ArchiveServer
from tests.e2e.system.bases import BOOKWORM, OWNER, PASSWORD
from tests.e2e.system.outside import run_outside
from tests.e2e.system.roots import Root, fresh_root
from tests.e2e.system.states import NOTHING, Enter, state_tar
from tests.root.conversation import wait_until

pytestmark = pytest.mark.e2e
SUDO = ("sudo", "-k", "-S", "-p", "", "id", "-un")
"""sudo that reads the password from its input and believes no earlier one."""
STUBBORN = "trap '' TERM HUP INT; setsid sleep 1000 >/dev/null 2>&1 &"
SMALL_BYTES = 1 << 20


def sudo(root: Root, password: str) -> tuple[int, str]:
    done = root.run(*SUDO, user=OWNER, text=f"{password}\n", check=False)
    return done.returncode, done.stdout.strip()


def test_sudo_asks_for_the_password_does_not_or_refuses(enter: Enter) -> None:
    root = enter(NOTHING)
    assert sudo(root, PASSWORD) == (1, "")
    root.give_sudo("with password")
    assert sudo(root, PASSWORD) == (0, "root")
    assert sudo(root, "wrong") == (1, "")
    root.give_sudo("without password")
    assert root.run("sudo", "-n", "id", "-un", user=OWNER).stdout == "root\n"
    root.give_sudo("none")
    refused = root.run("sudo", "-n", "id", "-un", user=OWNER, check=False)
    assert (refused.returncode, refused.stdout) == (1, "")
    root.give_sudo("no sudo at all")
    absent = root.run("sudo", "-n", "id", "-un", user=OWNER, check=False)
    assert absent.returncode == 127


def test_the_owner_is_an_ordinary_user(enter: Enter) -> None:
    root = enter(NOTHING)
    assert root.run("id", "-un", user=OWNER).stdout == f"{OWNER}\n"
    assert root.run("touch", "/etc/x", user=OWNER, check=False).returncode == 1
    assert root.run("sh", "-c", "touch ~/x && pwd", user=OWNER).stdout == f"/home/{OWNER}\n"


def asleep(root: Root) -> list[int]:
    return [process.pid for process in root.running() if process.command[0] == "sleep"]


def test_a_process_outlives_who_started_it_but_not_the_root(archive: ArchiveServer) -> None:
    with fresh_root(BOOKWORM, state_tar(NOTHING, BOOKWORM, archive)) as root:
        root.run("sh", "-c", STUBBORN)
        wait_until(lambda: len(asleep(root)) == 1, "it sleeps")
        pids = asleep(root)
        assert psutil.pid_exists(pids[0])
    assert not psutil.pid_exists(pids[0])


def test_nothing_is_left_after_a_test_that_failed(archive: ArchiveServer) -> None:
    tar = state_tar(NOTHING, BOOKWORM, archive)
    seen: list[Root] = []
    pids: list[int] = []

    def fail() -> None:
        with fresh_root(BOOKWORM, tar) as root:
            seen.append(root)
            root.limit_disk("/opt", SMALL_BYTES)
            root.run("sh", "-c", STUBBORN)
            pids.extend((root.space.init, *(process.pid for process in root.running())))
            raise RuntimeError("as a failing test does")

    with pytest.raises(RuntimeError, match="as a failing test does"):
        fail()
    assert len(pids) == 2
    assert not any(psutil.pid_exists(pid) for pid in pids)
    assert not seen[0].folder.exists()
    assert str(seen[0].folder) not in Path("/proc/self/mountinfo").read_text()


def test_what_a_killed_session_left_is_swept_by_the_next_one(archive: ArchiveServer) -> None:
    script = (
        "import os, signal\n"
        "from tests.e2e.system import bases, roots\n"
        "from pathlib import Path\n"
        f"tar = Path({str(state_tar(NOTHING, BOOKWORM, archive))!r})\n"
        "with roots.fresh_root(bases.BOOKWORM, tar) as root:\n"
        f"    root.run('sh', '-c', {STUBBORN!r})\n"
        "    print(root.folder, *(process.pid for process in root.running()), flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    killed = run_outside(sys.executable, "-c", script, env=env, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    folder, sleeper = killed.stdout.split()
    with suppress(psutil.NoSuchProcess):
        psutil.Process(int(sleeper)).wait(10)
    assert Path(folder).exists()
    with fresh_root(BOOKWORM, state_tar(NOTHING, BOOKWORM, archive)):
        assert not Path(folder).exists()


def test_a_small_disk_fills_up(enter: Enter) -> None:
    root = enter(NOTHING)
    root.limit_disk("/var/cache/apt/archives", SMALL_BYTES)
    full = root.run("sh", "-c", "yes >/var/cache/apt/archives/x", check=False)
    assert "No space left on device" in full.stderr


def test_a_link_in_the_root_leads_nobody_outside(enter: Enter) -> None:
    root = enter(NOTHING)
    root.path("/opt/out").symlink_to("/etc")
    with pytest.raises(ValueError, match="through a link"):
        root.write("/opt/out/x", "")


def test_a_terminal_has_a_name_and_sudo_asks_on_it(enter: Enter) -> None:
    root = enter(NOTHING)
    root.give_sudo("with password")
    tmux = ("tmux", "-S", "/tmp/terminal")
    command = "tty; sudo id; cat"
    root.run(*tmux, "new-session", "-d", "-x", "80", "-y", "24", command, user=OWNER)
    await_screen(root, tmux, "/dev/pts/0")
    await_screen(root, tmux, "[sudo] password for owner:")
    root.run(*tmux, "send-keys", PASSWORD, "Enter", user=OWNER)
    await_screen(root, tmux, "uid=0(root)")
    assert PASSWORD not in root.run(*tmux, "capture-pane", "-p", user=OWNER).stdout


def await_screen(root: Root, tmux: tuple[str, ...], words: str) -> None:
    limit = time.monotonic() + 30
    while words not in (shown := root.run(*tmux, "capture-pane", "-p", user=OWNER).stdout):
        assert time.monotonic() < limit, shown
        time.sleep(0.05)  # nothing tells when a terminal has drawn
