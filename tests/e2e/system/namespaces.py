"""Private namespaces round a root folder: what runs and is mounted in them ends with them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.e2e.system.outside import located, run_outside

PATIENCE_S = 30
HOSTNAME = "testbed"
INIT = """
import signal, socket, subprocess, sys
root, hostname = sys.argv[1:]
def mount(*words):
    subprocess.run(("mount", *words), check=True)
socket.sethostname(hostname)
mount("--bind", root, root)
mount("-o", "remount,bind,suid,dev,exec", root)
mount("-t", "proc", "proc", f"{root}/proc")
own = "newinstance,gid=5,mode=0620,ptmxmode=0666"
mount("-t", "devpts", "-o", own, "devpts", f"{root}/dev/pts")
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
print("up", flush=True)
sys.stdin.buffer.read()
"""
"""The first process of the namespaces: it mounts, then waits for its input to end.

The root is mounted on itself, because the / of a real machine is a mount too, and with what folders
in memory are often mounted without. Ignoring SIGCHLD makes the kernel bury orphans. The end of the
test's own process, however it comes, ends the input.
"""


@dataclass(frozen=True, slots=True)
class Running:
    """A process inside, by the number that it has outside."""

    pid: int
    command: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Namespaces:
    """Mounts, processes, host name and System V objects of their own."""

    root: Path
    init: int
    """Number of the first process, seen from outside."""

    def enter(self, *argv: str) -> tuple[str, ...]:
        """How to run a program inside, as root, with the folder as its ``/``."""
        target = ("--target", str(self.init), "--mount", "--pid", "--uts", "--ipc")
        return located("nsenter", *target, "--", "chroot", str(self.root), *argv)

    def mount(self, *arguments: str) -> None:
        """Mount something inside, by the names that things have outside."""
        target = ("--target", str(self.init), "--mount")
        run_outside("nsenter", *target, "--", "mount", *arguments)

    def running(self) -> tuple[Running, ...]:
        """Everything that runs inside, but for the first process."""
        here = _namespace(self.init)
        found = (process for process in psutil.process_iter() if _namespace(process.pid) == here)
        return tuple(
            Running(process.pid, _command(process)) for process in found if process.pid != self.init
        )


def _namespace(pid: int) -> str:
    try:
        return str(Path(f"/proc/{pid}/ns/pid").readlink())
    except OSError:
        return ""  # it has ended meanwhile


def _command(process: psutil.Process) -> tuple[str, ...]:
    try:
        return tuple(process.cmdline()) or (process.name(),)
    except psutil.Error:
        return ()


@contextmanager
def namespaces(root: Path) -> Iterator[Namespaces]:
    """Namespaces for a root; left, every process in them is dead and every mount gone."""
    own = ("--mount", "--pid", "--uts", "--ipc", "--fork", "--kill-child=SIGKILL")
    init = (sys.executable, "-I", "-c", INIT, str(root), HOSTNAME)
    with subprocess.Popen(
        located("unshare", *own, "--", *init),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is for the test, which then ends this in order
    ) as process:
        try:
            assert process.stdout is not None
            if process.stdout.readline() != b"up\n":
                raise RuntimeError("the namespaces could not be made: see the output above")
            (first,) = psutil.Process(process.pid).children()
            yield Namespaces(root, first.pid)
        finally:
            assert process.stdin is not None
            process.stdin.close()
            _wait(process)


def _wait(process: subprocess.Popen[bytes]) -> None:
    """The first process is gone only after the kernel has killed all others inside."""
    try:
        process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()  # takes the first process along: --kill-child
        process.wait(PATIENCE_S)
