"""This very machine as a Host: its files, and the closed list of programs."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from itertools import islice

from wizard.core.fact import Fact, Unknown
from wizard.host.accounts import group_names, user_name
from wizard.host.deadline import output, which_end
from wizard.host.files import head_of, is_text, mount_point, readable, text_of, why
from wizard.host.host import DRIVER_READER, Disk, Query, SilentFileSystem
from wizard.host.mounts import MOUNTS, silent_file_systems

ENTRY_LIMIT = 10_000
DEADLINE_S = 5.0
SERVED_BY_DRIVER = ("/sys/class/kfd/", "/sys/devices/virtual/kfd/")


class LiveHost:
    """Looks at this machine; never writes, never raises, never opens a device or a pipe."""

    name = ""

    def __init__(
        self, environ: Mapping[str, str] | None = None, *, deadline_s: float = DEADLINE_S
    ) -> None:
        """A host as seen with these variables, those of this process for None.

        ``deadline_s``: so long its programs and driver-served files have to answer.
        """
        self._deadline_s = deadline_s
        seen = os.environ if environ is None else environ
        self.environ: Mapping[str, str] = {name: readable(value) for name, value in seen.items()}
        self.uid = os.getuid()
        # Not getpwuid: it asks name services over sockets, and those may be away.
        account = user_name(self.read("/etc/passwd"), self.uid)
        self.user = account.name or self.environ.get("USER", "") or str(self.uid)
        self.home = self.environ.get("HOME", "") or account.home or "/"
        self.prefix = sys.prefix
        self.architecture = os.uname().machine

    def read(self, path: str) -> Fact[str]:
        """The text of a regular file, at most 4 MiB of it."""
        try:
            if not stat.S_ISREG(os.stat(path).st_mode):
                return Unknown(f"{path} is not a regular file")
            if _may_stall(path):
                return output((*DRIVER_READER, path), self._deadline_s)
            return text_of(path)
        except (OSError, ValueError) as error:
            return Unknown(why(path, error))

    def head(self, path: str, count: int) -> Fact[bytes]:
        """The first bytes of a regular file."""
        try:
            if not stat.S_ISREG(os.stat(path).st_mode) or _may_stall(path):
                return Unknown(f"{path} is not a regular file")
            return head_of(path, count)
        except (OSError, ValueError) as error:
            return Unknown(why(path, error))

    def size(self, path: str) -> Fact[int]:
        """The size of a regular file."""
        try:
            found = os.stat(path)
        except (OSError, ValueError) as error:
            return Unknown(why(path, error))
        return found.st_size if stat.S_ISREG(found.st_mode) else Unknown(f"{path} is not a file")

    def inode(self, path: str) -> Fact[int]:
        """The number of a file on its file system."""
        try:
            return os.stat(path).st_ino
        except (OSError, ValueError) as error:
            return Unknown(why(path, error))

    def names(self, folder: str) -> Fact[tuple[str, ...]]:
        """Sorted names among the first 10,000 entries of a folder."""
        try:
            with os.scandir(folder) as entries:
                names = [entry.name for entry in islice(entries, ENTRY_LIMIT)]
        except (OSError, ValueError) as error:
            return Unknown(why(folder, error))
        return tuple(sorted(filter(is_text, names)))

    def folders(self, folder: str) -> Fact[tuple[str, ...]]:
        """Sorted names of the real sub-folders among the first 10,000 entries."""
        try:
            with os.scandir(folder) as entries:
                first = islice(entries, ENTRY_LIMIT)
                names = [entry.name for entry in first if entry.is_dir(follow_symlinks=False)]
        except (OSError, ValueError) as error:
            return Unknown(why(folder, error))
        return tuple(sorted(filter(is_text, names)))

    def link(self, path: str) -> Fact[str]:
        """Where a symbolic link points, as an absolute path."""
        try:
            target = os.readlink(path)
        except (OSError, ValueError) as error:
            return Unknown(why(path, error))
        return os.path.normpath(os.path.join(os.path.dirname(path), target))

    def resolve(self, path: str) -> str:
        """The path with every link followed."""
        try:
            return os.path.realpath(path)
        except (OSError, ValueError):
            return path

    def is_file(self, path: str) -> bool:
        """True for a file, also through links."""
        return os.path.isfile(path)

    def is_folder(self, path: str) -> bool:
        """True for a folder, also through links."""
        return os.path.isdir(path)

    def exists(self, path: str) -> bool:
        """True for anything at that path."""
        return os.path.exists(path)

    def usable(self, path: str) -> bool:
        """True when we may read and write it; asked of the kernel, nothing is opened."""
        try:
            return os.access(path, os.R_OK | os.W_OK)
        except ValueError:
            return False

    def group_of(self, path: str) -> Fact[str]:
        """Name of the group that owns the path."""
        try:
            number = os.stat(path).st_gid
        except (OSError, ValueError) as error:
            return Unknown(why(path, error))
        return self._groups().get(number, str(number))

    def groups_in_force(self) -> Fact[tuple[str, ...]]:
        """Names of the groups of this process."""
        names = self._groups()
        return tuple(sorted({names.get(gid, str(gid)) for gid in (*os.getgroups(), os.getegid())}))

    def glibc(self) -> Fact[str]:
        """Version of the C library that this process runs with."""
        try:
            library = os.confstr("CS_GNU_LIBC_VERSION") or ""
        except (OSError, ValueError):
            library = ""
        name, _, version = library.partition(" ")
        return version if name == "glibc" and version else Unknown("the C library is not glibc")

    def memory_bytes(self) -> Fact[int]:
        """Physical memory."""
        try:
            return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        except (OSError, ValueError):
            return Unknown("the kernel does not report the size of the memory")

    def disk(self, path: str) -> Fact[Disk]:
        """The file system below a path, or below its nearest parent that exists."""
        try:
            below = os.path.realpath(path)
            while not os.path.exists(below):
                below = os.path.dirname(below)
            sizes = os.statvfs(below)
            return Disk(
                path=path,
                filesystem=mount_point(below),
                total_bytes=sizes.f_blocks * sizes.f_frsize,
                free_bytes=sizes.f_bavail * sizes.f_frsize,
            )
        except (OSError, ValueError) as error:
            return Unknown(why(path, error))

    def silent(self) -> tuple[SilentFileSystem, ...]:
        """Mounted file systems that do not answer now."""
        return silent_file_systems(self.read(MOUNTS), self.environ, which_end)

    def ask(self, query: Query) -> Fact[str]:
        """What a program of the closed list printed."""
        return output(query.value, self._deadline_s)

    def _groups(self) -> dict[int, str]:
        return group_names(self.read("/etc/group"))


def _may_stall(path: str) -> bool:
    """True for files whose reading runs code of the GPU's driver, which may wait for the GPU."""
    return path.startswith(SERVED_BY_DRIVER) or "/mem_info_" in path
