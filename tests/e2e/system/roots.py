"""Root folders in which everything is real: each a fresh copy, entered in namespaces of its own.

with fresh_root(BOOKWORM, base_tar(BOOKWORM)) as root:
    root.run("apt-get", "-s", "install", "rocminfo")
    root.wizard("detect", "--json")
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tests.e2e.homes import SOURCE
from tests.e2e.system.authority import HOST
from tests.e2e.system.bases import OWNER, PARTS, PASSWORD, PREFIX, Suite
from tests.e2e.system.cache import remove, unpack, worlds_folder
from tests.e2e.system.namespaces import HOSTNAME, Namespaces, Running, namespaces

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
DEADLINE_S = 300
SUDOERS = "etc/sudoers.d/owner"
SudoRights = Literal["with password", "without password", "none", "no sudo at all"]
NOTHING: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Root:
    """A root folder that is up: programs can be run in it, as root or as its ordinary user."""

    folder: Path
    suite: Suite
    space: Namespaces

    def path(self, name: str) -> Path:
        """Where an absolute name of the root lies outside; refuses to be led out by a link."""
        path = self.folder / name.lstrip("/")
        real = Path(os.path.realpath(path.parent))
        if real != path.parent:
            raise ValueError(f"{name} leads through a link, which would be followed outside")
        return path

    def write(self, name: str, text: str, mode: int = 0o644, user: str = "root") -> None:
        """Write a file of the root, with the folders above it."""
        path = self.path(name)
        for folder in reversed([above for above in path.parents if not above.exists()]):
            folder.mkdir()
            self._own(folder, user)
        path.write_text(text)
        path.chmod(mode)
        self._own(path, user)

    def _own(self, path: Path, user: str) -> None:
        numbers = {"root": (0, 0), OWNER: self.numbers()}[user]
        os.chown(path, *numbers, follow_symlinks=False)

    def numbers(self) -> tuple[int, int]:
        """User and group of the owner."""
        seen = (self.folder / "home" / OWNER).stat()
        return seen.st_uid, seen.st_gid

    def command(
        self, *argv: str, user: str = "root", env: Mapping[str, str] = NOTHING
    ) -> tuple[str, ...]:
        """How to start a program inside, for a terminal of the test's own or a process."""
        home = "/root" if user == "root" else f"/home/{user}"
        known = {"PATH": PATH, "HOME": home, "USER": user, "LOGNAME": user, "LANG": "C.UTF-8"}
        words = (f"{name}={value}" for name, value in {**known, **env}.items())
        become = ("setpriv", "--reuid", user, "--regid", user, "--init-groups", "--")
        start = ("env", "-i", "-C", home, *words, *argv)
        return self.space.enter(*(() if user == "root" else become), *start)

    def start(
        self, *argv: str, user: str = "root", env: Mapping[str, str] = NOTHING, **options: Any
    ) -> subprocess.Popen[str]:
        """A program on its way; its streams are pipes unless told otherwise."""
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        command = self.command(*argv, user=user, env=env)
        streams: dict[str, Any] = {**pipes, "text": True, "errors": "replace", **options}
        return subprocess.Popen(command, **streams)

    def run(
        self,
        *argv: str,
        user: str = "root",
        env: Mapping[str, str] = NOTHING,
        text: str = "",
        timeout_s: float = DEADLINE_S,
        check: bool = True,
    ) -> subprocess.CompletedProcess[str]:
        """A program run to its end; unless told otherwise, its failure is the test's."""
        with self.start(*argv, user=user, env=env) as process:
            try:
                output, errors = process.communicate(text, timeout_s)
            except subprocess.TimeoutExpired:
                process.kill()  # what it started inside ends with the root
                raise
        done = subprocess.CompletedProcess(argv, process.returncode, output, errors)
        if check and done.returncode:
            raise AssertionError(f"{' '.join(argv)}: {done.returncode}\n{output}{errors}")
        return done

    def wizard(
        self,
        *arguments: str,
        user: str = OWNER,
        env: Mapping[str, str] = NOTHING,
        timeout_s: float = DEADLINE_S,
    ) -> subprocess.CompletedProcess[str]:
        """The wizard, whatever it returns."""
        program = f"{PREFIX}/bin/rdna1-setup"
        return self.run(program, *arguments, user=user, env=env, timeout_s=timeout_s, check=False)

    def apt(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """apt as guides call it, without a question."""
        env = {"DEBIAN_FRONTEND": "noninteractive"}
        return self.run("apt", "-y", *arguments, env=env, check=check)

    def running(self) -> tuple[Running, ...]:
        """Every process inside, by the number that a test can kill it with."""
        return self.space.running()

    def give_sudo(self, rights: SudoRights) -> None:
        """What the owner may do by sudo, from now on; the password is ``bases.PASSWORD``."""
        (self.folder / SUDOERS).unlink(missing_ok=True)
        if rights == "no sudo at all":
            (self.folder / "usr/bin/sudo").unlink()
        elif rights != "none":
            tag = "NOPASSWD: " if rights == "without password" else ""
            self.write(f"/{SUDOERS}", f"{OWNER} ALL=(ALL:ALL) {tag}ALL\n", 0o440)

    def limit_disk(self, name: str, size_bytes: int) -> None:
        """From now on a folder is an empty file system of this size of its own."""
        options = f"size={size_bytes},mode=0755"
        self.space.mount("-t", "tmpfs", "-o", options, "tmpfs", str(self.path(name)))

    def resolve(self, names: Mapping[str, str]) -> None:
        """Which addresses these names have inside, besides what names have outside."""
        own = {"localhost": "127.0.0.1", HOSTNAME: "127.0.1.1", **names}
        known = Path("/etc/hosts").read_text().splitlines()
        kept = [line for line in known if not set(own) & set(line.split())]
        lines = [*(f"{address} {name}" for name, address in own.items()), *kept]
        self.write("/etc/hosts", "\n".join(lines) + "\n")
        shutil.copy("/etc/resolv.conf", self.path("/etc/resolv.conf"))


@contextmanager
def fresh_root(suite: Suite, tar: Path, archive: str | None = None) -> Iterator[Root]:
    """A copy of a packed root that is up; with ``archive``, AMD's names lead to that address.

    Left, its processes are dead, its mounts gone and its folder removed, also when a test failed.
    """
    with _folder() as folder:
        unpack(tar, folder)
        _put_wizard(suite, folder)
        with namespaces(folder) as space:
            root = Root(folder, suite, space)
            root.resolve({HOST: archive} if archive else {})
            yield root


def _put_wizard(suite: Suite, folder: Path) -> None:
    """The wizard as it is now, as if installed."""
    site = folder / PREFIX.lstrip("/") / f"lib/python{suite.python}/site-packages"
    ignored = shutil.ignore_patterns("__pycache__")
    for part in PARTS:
        remove(site / part)  # a packed root holds that of the day when it was packed
        shutil.copytree(SOURCE / part, site / part, symlinks=True, ignore=ignored)


@contextmanager
def _folder() -> Iterator[Path]:
    """An empty folder that is removed in the end, or by a later test if this one is killed."""
    worlds = worlds_folder()
    for left in worlds.iterdir():
        with suppress(BlockingIOError), _held(left):
            remove(left)
    folder = worlds / secrets.token_hex(4)
    folder.mkdir(mode=0o755)
    with _held(folder):
        try:
            yield folder
        finally:
            remove(folder)


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """A lock on a folder; raises BlockingIOError while another test uses it."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


__all__ = ["OWNER", "PASSWORD", "Root", "SudoRights", "fresh_root"]
