"""Reading files and running programs with a deadline: a stuck disk or driver holds nobody up."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass

from wizard.core.fact import Fact, Unknown
from wizard.host.host import Disk, Host, Query, SilentFileSystem

LINK_LIMIT = 40
"""As in the kernel: more links than this in one path are a loop."""


class ReachableHost:
    """Asks the host inside only for paths whose way is free of silent file systems.

    A path is walked component by component: even to ask what lies at a silent mount point is to
    wait for it.
    """

    def __init__(self, inside: Host, silent: tuple[SilentFileSystem, ...]) -> None:
        """The same machine as the host inside, with these mount points out of bounds."""
        self._inside = inside
        self._silent = silent
        self._paths = frozenset(one.path for one in silent)
        self._parents = frozenset(path.rpartition("/")[0] or "/" for path in self._paths)
        self._links: dict[str, str] = {}
        self.name = inside.name
        self.environ = inside.environ
        self.user = inside.user
        self.uid = inside.uid
        self.home = inside.home
        self.prefix = inside.prefix
        self.architecture = inside.architecture

    def silent(self) -> tuple[SilentFileSystem, ...]:
        """The file systems that are out of bounds; they are not asked again."""
        return self._silent

    def read(self, path: str) -> Fact[str]:
        """The text of a file."""
        return self._why(path) or self._inside.read(path)

    def head(self, path: str, count: int) -> Fact[bytes]:
        """The first bytes of a file."""
        return self._why(path) or self._inside.head(path, count)

    def size(self, path: str) -> Fact[int]:
        """The size of a file."""
        return self._why(path) or self._inside.size(path)

    def inode(self, path: str) -> Fact[int]:
        """The number of a file."""
        return self._why(path) or self._inside.inode(path)

    def names(self, folder: str) -> Fact[tuple[str, ...]]:
        """Sorted names in a folder, mount points among them."""
        return self._why(folder) or self._inside.names(folder)

    def folders(self, folder: str) -> Fact[tuple[str, ...]]:
        """Sorted names of the real sub-folders, silent mount points left out."""
        if why := self._why(folder):
            return why
        if self._inside.resolve(folder) not in self._parents:
            return self._inside.folders(folder)
        # Not asked of the host inside: some file systems make it look at each entry.
        names = self._inside.names(folder)
        if isinstance(names, Unknown):
            return names
        return tuple(name for name in names if self._is_real_folder(f"{folder}/{name}"))

    def link(self, path: str) -> Fact[str]:
        """Where a symbolic link points."""
        return self._why(path, last=False) or self._inside.link(path)

    def resolve(self, path: str) -> str:
        """The path with every link followed; the path itself when its way is blocked."""
        return path if self._why(path) else self._inside.resolve(path)

    def is_file(self, path: str) -> bool:
        """True for a file that can be reached."""
        return not self._why(path) and self._inside.is_file(path)

    def is_folder(self, path: str) -> bool:
        """True for a folder that can be reached."""
        return not self._why(path) and self._inside.is_folder(path)

    def exists(self, path: str) -> bool:
        """True for anything that can be reached."""
        return not self._why(path) and self._inside.exists(path)

    def usable(self, path: str) -> bool:
        """True when it can be reached, and this process may read and write it."""
        return not self._why(path) and self._inside.usable(path)

    def group_of(self, path: str) -> Fact[str]:
        """Name of the group that owns the path."""
        return self._why(path) or self._inside.group_of(path)

    def groups_in_force(self) -> Fact[tuple[str, ...]]:
        """Names of the groups of this process."""
        return self._inside.groups_in_force()

    def glibc(self) -> Fact[str]:
        """Version of the C library."""
        return self._inside.glibc()

    def memory_bytes(self) -> Fact[int]:
        """Physical memory."""
        return self._inside.memory_bytes()

    def disk(self, path: str) -> Fact[Disk]:
        """The file system below a path."""
        return self._why(path) or self._inside.disk(path)

    def ask(self, query: Query) -> Fact[str]:
        """What a program of the closed list printed."""
        return self._inside.ask(query)

    def _is_real_folder(self, path: str) -> bool:
        return self.is_folder(path) and isinstance(self.link(path), Unknown)

    def _why(self, path: str, *, last: bool = True) -> Unknown | None:
        """Why a path must not be touched; ``last`` when a link at its very end is followed too."""
        done, left, links = "", path.split("/"), 0
        while left:
            part = left.pop(0)
            if part in ("", ".", ".."):
                done = done.rpartition("/")[0] if part == ".." else done
                continue
            done = f"{done}/{part}"
            if done in self._paths:
                return Unknown(f"{done} does not respond")
            target = self._target(done) if left or last else ""
            if target and links < LINK_LIMIT:
                links += 1
                done, left = "", target.split("/") + left
        return None

    def _target(self, path: str) -> str:
        """Where a link points, ``""`` for anything else; looked at once."""
        if path not in self._links:
            target = self._inside.link(path)
            self._links[path] = target if isinstance(target, str) else ""
        return self._links[path]


FOLDERS = ("/usr/bin", "/bin", "/usr/sbin", "/sbin")
"""Where programs are looked up: never through the user's PATH, which may hold anything."""
REAPING_S = 0.5
"""How long a killed program may take to go before it is left to the kernel."""


CHUNK = 1 << 16
ERROR_BYTES = 4096
"""Of what a program says about its failure."""
MANY_BYTES = 64 << 20
"""More than this is not taken from a program: it would have to be held in memory."""


@dataclass(frozen=True, slots=True)
class Answer:
    """All that came of a program."""

    text: str = ""
    """What it printed, as far as it was taken."""
    said: str = ""
    """What it said of its failure."""
    code: int | None = None
    """How it ended; None where it was not started, or was killed."""
    late: bool = False
    """True when its time was over."""
    gone: bool = True
    """False when it was still there long after it was killed."""


def output(argv: tuple[str, ...], deadline_s: float) -> Fact[str]:
    """What the program printed on its standard output, or why there is nothing."""
    told = answer(argv, deadline_s)
    if told.late:
        return Unknown(f"{argv[0]} did not respond within {deadline_s:g} s")
    if told.code is None:
        return Unknown(told.said or f"{argv[0]} printed too much")
    return Unknown(f"{argv[0]} ended with code {told.code}") if told.code else told.text


def answer(
    argv: tuple[str, ...],
    deadline_s: float,
    *,
    most_bytes: int = MANY_BYTES,
    environ: Mapping[str, str] | None = None,
    reaping_s: float = REAPING_S,
) -> Answer:
    """What came of a program: no more than so many bytes of it, and its own words for a failure.

    A program outside the usual folders is named by its whole path. ``environ``: that of the user.
    """
    path = argv[0] if argv[0].startswith("/") else _path_of(argv[0])
    if path is None:
        return Answer(said=f"{argv[0]} is not installed")
    try:
        process = _start((path, *argv[1:]), subprocess.PIPE, environ)
    except (OSError, ValueError) as error:
        return Answer(said=f"{argv[0]} could not be started: {error}")
    with process:
        printed, said, ended = _heard(process, time.monotonic() + deadline_s, most_bytes)
        late = not ended and len(printed) <= most_bytes
        if not ended or not _ends(process, time.monotonic() + REAPING_S):
            _kill(process)
            _ends(process, time.monotonic() + reaping_s)
        code = process.returncode if ended else None
        gone = process.returncode is not None
        _give_up(process)
    text = printed[:most_bytes].decode("utf-8", "replace")
    return Answer(text, said.decode("utf-8", "replace").strip(), code, late, gone)


def _heard(
    process: subprocess.Popen[bytes], limit: float, most_bytes: int
) -> tuple[bytes, bytes, bool]:
    """What it printed and said; False when its time was over or it went on for too long."""
    printed, said = bytearray(), bytearray()
    with selectors.DefaultSelector() as pipes:
        for pipe, into in ((process.stdout, printed), (process.stderr, said)):
            if pipe is not None:
                pipes.register(pipe, selectors.EVENT_READ, into)
        while pipes.get_map():
            ready = pipes.select(max(limit - time.monotonic(), 0))
            if not ready or len(printed) > most_bytes:
                return bytes(printed), bytes(said), False
            for key, _ in ready:
                chunk = os.read(key.fd, CHUNK)
                if not chunk:
                    pipes.unregister(key.fileobj)
                elif key.data is printed or len(said) < ERROR_BYTES:
                    key.data.extend(chunk)
    return bytes(printed), bytes(said[:ERROR_BYTES]), True


def which_end(programs: list[tuple[str, ...]], deadline_s: float) -> tuple[bool, ...]:
    """Which of these programs, started at once, end within one deadline, whatever they say.

    One that could not be started has not failed to end.
    """
    limit = time.monotonic() + deadline_s
    started = [_try(argv) for argv in programs]
    late = [one for one in started if one is not None and not _ends(one, limit)]
    for process in late:
        _kill(process)
    limit = time.monotonic() + REAPING_S
    for process in late:
        _ends(process, limit)
        _give_up(process)
    return tuple(one not in late for one in started)


def _try(argv: tuple[str, ...]) -> subprocess.Popen[bytes] | None:
    path = _path_of(argv[0])
    try:
        return None if path is None else _start((path, *argv[1:]), subprocess.DEVNULL)
    except (OSError, ValueError):
        return None


def _ends(process: subprocess.Popen[bytes], limit: float) -> bool:
    try:
        process.wait(max(limit - time.monotonic(), 0))
    except subprocess.TimeoutExpired:
        return False
    return True


def _path_of(program: str) -> str | None:
    paths = (f"{folder}/{program}" for folder in FOLDERS)
    return next((path for path in paths if os.access(path, os.X_OK)), None)


def _start(
    argv: tuple[str, ...],
    pipes: int,
    environ: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=pipes,
        stderr=pipes,
        cwd="/",
        env={"LC_ALL": "C.UTF-8", "PATH": ":".join(FOLDERS)} if environ is None else environ,
        start_new_session=True,
    )


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _give_up(process: subprocess.Popen[bytes]) -> None:
    if process.returncode is None:
        # It waits inside the kernel. Said to be dead, so that nobody waits for it with it.
        process.returncode = -signal.SIGKILL
