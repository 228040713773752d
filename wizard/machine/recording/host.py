"""A host that remembers what it was asked: detection itself tells what a record must hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from wizard.core.fact import Fact
from wizard.host.host import Disk, Host, Query, SilentFileSystem


@dataclass(slots=True)
class Asked:
    """Everything that was asked, with those answers that are recorded as they were."""

    paths: set[str] = field(default_factory=set)
    """Every path that was asked about, and every entry of a folder that was listed."""
    folders: dict[str, Fact[tuple[str, ...]]] = field(default_factory=dict)
    texts: dict[str, Fact[str]] = field(default_factory=dict)
    heads: dict[str, Fact[bytes]] = field(default_factory=dict)
    sizes: dict[str, Fact[int]] = field(default_factory=dict)
    inodes: dict[str, Fact[int]] = field(default_factory=dict)
    followed: set[str] = field(default_factory=set)
    """Paths whose links matter: they were read as links, or resolved."""
    usable: set[str] = field(default_factory=set)
    groups: dict[str, Fact[str]] = field(default_factory=dict)
    disks: dict[str, Fact[Disk]] = field(default_factory=dict)
    silent: tuple[SilentFileSystem, ...] = ()
    answers: dict[Query, Fact[str]] = field(default_factory=dict)


class RecordingHost:
    """Gives the answers of another host, and remembers the questions."""

    def __init__(self, inner: Host) -> None:
        """A host that looks through another one."""
        self.inner = inner
        self.asked = Asked()
        self.name = inner.name
        self.environ: Mapping[str, str] = inner.environ
        self.user = inner.user
        self.uid = inner.uid
        self.home = inner.home
        self.prefix = inner.prefix
        self.architecture = inner.architecture

    def read(self, path: str) -> Fact[str]:
        """The text of a file."""
        self.asked.paths.add(path)
        return self.asked.texts.setdefault(path, self.inner.read(path))

    def head(self, path: str, count: int) -> Fact[bytes]:
        """The first bytes of a file; the longest head that was asked for is remembered."""
        self.asked.paths.add(path)
        head = self.inner.head(path, count)
        before = self.asked.heads.get(path)
        if not isinstance(before, bytes) or (isinstance(head, bytes) and len(head) > len(before)):
            self.asked.heads[path] = head
        return head

    def size(self, path: str) -> Fact[int]:
        """The size of a file."""
        self.asked.paths.add(path)
        return self.asked.sizes.setdefault(path, self.inner.size(path))

    def inode(self, path: str) -> Fact[int]:
        """The number of a file on its file system."""
        self.asked.paths.add(path)
        return self.asked.inodes.setdefault(path, self.inner.inode(path))

    def names(self, folder: str) -> Fact[tuple[str, ...]]:
        """The names in a folder."""
        return self._listed(folder, self.inner.names(folder))

    def folders(self, folder: str) -> Fact[tuple[str, ...]]:
        """The names of the real sub-folders."""
        return self._listed(folder, self.inner.folders(folder))

    def link(self, path: str) -> Fact[str]:
        """Where a link points."""
        self.asked.paths.add(path)
        self.asked.followed.add(path)
        return self.inner.link(path)

    def resolve(self, path: str) -> str:
        """The path with every link followed."""
        self.asked.paths.add(path)
        self.asked.followed.add(path)
        return self.inner.resolve(path)

    def is_file(self, path: str) -> bool:
        """True for a file."""
        self.asked.paths.add(path)
        return self.inner.is_file(path)

    def is_folder(self, path: str) -> bool:
        """True for a folder."""
        self.asked.paths.add(path)
        return self.inner.is_folder(path)

    def exists(self, path: str) -> bool:
        """True for anything at that path."""
        self.asked.paths.add(path)
        return self.inner.exists(path)

    def usable(self, path: str) -> bool:
        """True when this process may read and write the path."""
        usable = self.inner.usable(path)
        if usable:
            self.asked.usable.add(path)
        return usable

    def group_of(self, path: str) -> Fact[str]:
        """Name of the group that owns the path."""
        return self.asked.groups.setdefault(path, self.inner.group_of(path))

    def groups_in_force(self) -> Fact[tuple[str, ...]]:
        """Names of the groups of this process."""
        return self.inner.groups_in_force()

    def glibc(self) -> Fact[str]:
        """Version of the C library."""
        return self.inner.glibc()

    def memory_bytes(self) -> Fact[int]:
        """Physical memory."""
        return self.inner.memory_bytes()

    def disk(self, path: str) -> Fact[Disk]:
        """The file system below a path."""
        return self.asked.disks.setdefault(path, self.inner.disk(path))

    def silent(self) -> tuple[SilentFileSystem, ...]:
        """Mounted file systems that do not answer."""
        self.asked.silent = self.inner.silent()
        return self.asked.silent

    def ask(self, query: Query) -> Fact[str]:
        """What a program of the closed list printed."""
        return self.asked.answers.setdefault(query, self.inner.ask(query))

    def _listed(self, folder: str, names: Fact[tuple[str, ...]]) -> Fact[tuple[str, ...]]:
        self.asked.paths.add(folder)
        self.asked.folders[folder] = names
        if isinstance(names, tuple):
            base = folder.rstrip("/")
            self.asked.paths.update(f"{base}/{name}" for name in names)
        return names
