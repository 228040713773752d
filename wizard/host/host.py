"""The one way in which detection looks at a machine: files and a closed list of programs."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple, Protocol

from wizard.core.fact import Fact, known
from wizard.core.own_files import Places, places


class Disk(NamedTuple):
    """A folder of interest and the file system that it is on."""

    path: str
    filesystem: str
    """Mount point, for example ``/home``."""
    total_bytes: int
    free_bytes: int


class SilentFileSystem(NamedTuple):
    """A mounted file system that does not answer; nothing below it was looked at."""

    path: str
    """Where it is mounted."""
    kind: str
    """For example ``nfs4`` or ``fuse.sshfs``."""


DRIVER_READER = ("cat", "--")
"""Reads a file of the GPU's driver in our place: a child that gets stuck can be left behind."""
FILE_SYSTEM_ASKER = ("stat", "--file-system", "--format=%T", "--")
"""Asks a file system in our place; only that it ends is of interest."""


class Query(Enum):
    """The only programs that detection may run: read-only, each with its exact argv.

    Beside them there are only ``DRIVER_READER`` and ``FILE_SYSTEM_ASKER``, for what may not answer.
    """

    DPKG_PACKAGES = (
        "dpkg-query",
        "--show",
        "--showformat=${binary:Package}\\t${Version}\\t${db:Status-Abbrev}\\t${Maintainer}\\n",
    )
    RPM_PACKAGES = (
        "rpm",
        "--query",
        "--all",
        "--queryformat",
        "%{NAME}\\t%{VERSION}-%{RELEASE}\\tii \\t%{VENDOR}\\n",
    )


class Host(Protocol):
    """A machine to look at: this one, or a recorded one. No method raises; none writes."""

    name: str
    """Name of a recorded machine, ``""`` for this very machine."""
    environ: Mapping[str, str]
    user: str
    uid: int
    home: str
    prefix: str
    """Where the Python that runs the wizard lives; ``uv`` comes with it in ``bin``."""
    architecture: str
    """As ``uname -m`` gives it, for example ``x86_64``."""

    def read(self, path: str) -> Fact[str]:
        """The text of a file (at most 4 MiB, bad bytes replaced)."""

    def head(self, path: str, count: int) -> Fact[bytes]:
        """The first bytes of a regular file: enough for the headers of a library."""

    def size(self, path: str) -> Fact[int]:
        """The size of a regular file in bytes, also through links."""

    def inode(self, path: str) -> Fact[int]:
        """The number of a file on its file system, by which the kernel names locks."""

    def names(self, folder: str) -> Fact[tuple[str, ...]]:
        """Sorted names in a folder; names that are no UTF-8 are left out."""

    def folders(self, folder: str) -> Fact[tuple[str, ...]]:
        """Sorted names of the real sub-folders (no links) among its first 10,000 entries."""

    def link(self, path: str) -> Fact[str]:
        """Where a symbolic link points, as an absolute path inside this host."""

    def resolve(self, path: str) -> str:
        """The path with every link followed; the path itself where that fails."""

    def is_file(self, path: str) -> bool:
        """True for a file, also through links."""

    def is_folder(self, path: str) -> bool:
        """True for a folder, also through links."""

    def exists(self, path: str) -> bool:
        """True for anything at that path, also a device."""

    def usable(self, path: str) -> bool:
        """True when this process may read and write the path, by ``access(2)``."""

    def group_of(self, path: str) -> Fact[str]:
        """Name of the group that owns the path."""

    def groups_in_force(self) -> Fact[tuple[str, ...]]:
        """Names of the groups of this process."""

    def glibc(self) -> Fact[str]:
        """Version of the C library, for example ``2.39``."""

    def memory_bytes(self) -> Fact[int]:
        """Physical memory."""

    def disk(self, path: str) -> Fact[Disk]:
        """The file system below a path, or below its nearest parent that exists."""

    def silent(self) -> tuple[SilentFileSystem, ...]:
        """Mounted file systems that do not answer now: whoever looks below one may wait for ever.

        The other questions do not ask this one first; ``WaryHost`` does.
        """

    def ask(self, query: Query) -> Fact[str]:
        """What a program of the closed list printed; killed at its deadline."""


def places_of(host: Host) -> Places:
    """Where our own files go on that machine."""
    return places(host.environ, host.home)


def read_line(host: Host, path: str) -> str:
    """What a file of one line holds; ``""`` where it cannot be read."""
    return known(host.read(path), "").strip()
