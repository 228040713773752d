"""A host with file systems that do not answer: nothing below one of them is ever touched."""

from __future__ import annotations

from wizard.core.fact import Fact, Unknown
from wizard.host.file_systems import Disk, SilentFileSystem
from wizard.host.host import Host, Query

LINK_LIMIT = 40
"""As in the kernel: more links than this in one path are a loop."""


class WaryHost:
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
