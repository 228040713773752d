"""A recorded machine as a Host: a folder of files and answers; it never runs a program."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from wizard.core.fact import Fact, Unknown
from wizard.core.json_form import WrongForm, typed
from wizard.host.files import head_of, text_of, why
from wizard.host.host import Disk, Query, SilentFileSystem
from wizard.machine.system import ALWAYS, is_below

T = TypeVar("T")


class RecordError(ValueError):
    """A recorded machine that cannot be used; its text is fit to show."""


class RecordedDisk(NamedTuple):
    """A file system that was looked at."""

    path: str = ""
    filesystem: str = "/"
    total_bytes: int = 0
    free_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Record:
    """What files cannot hold: who looked, links, rights, sizes, answers of programs."""

    name: str
    user: str = ""
    uid: int = 1000
    home: str = "/"
    prefix: str = ""
    architecture: str = "x86_64"
    glibc: str = ""
    environ: dict[str, str] = field(default_factory=dict)
    groups_in_force: tuple[str, ...] = ()
    links: dict[str, str] = field(default_factory=dict)
    """Path to target: wheels cannot hold links, so they are data."""
    access: tuple[str, ...] = ()
    """Paths that the user could open for reading and writing."""
    unreadable: tuple[str, ...] = ()
    """Paths that the user could not read."""
    failures: dict[str, str] = field(default_factory=dict)
    """Path, or name of a query, to the reason for which there was no answer."""
    silent: dict[str, str] = field(default_factory=dict)
    """Mount point to the kind of a file system that did not answer."""
    groups: dict[str, str] = field(default_factory=dict)
    """Path to the name of its group."""
    memory_bytes: int = 0
    sizes: dict[str, int] = field(default_factory=dict)
    """Path to the size of a file of which only the beginning, or nothing, is recorded."""
    inodes: dict[str, int] = field(default_factory=dict)
    """Path to the number of a file on its file system."""
    disks: tuple[RecordedDisk, ...] = ()
    answers: dict[str, str] = field(default_factory=dict)
    """Name of a query to what the program printed."""

    def __post_init__(self) -> None:
        """Refuses sizes that no file has."""
        if any(size < 0 for size in (*self.sizes.values(), *self.inodes.values())):
            raise ValueError("sizes and inodes must not be negative")


def stored(path: str) -> str:
    """How a path is spelled in a record's folder: uv unpacks no archive with a colon in a name."""
    return path.replace("%", "%25").replace(":", "%3A")


def unstored(path: str) -> str:
    """The path that is spelled so in a record's folder."""
    return path.replace("%3A", ":").replace("%25", "%")


def read_record(folder: Path) -> Record:
    """The record of a folder; raises RecordError with one clear reason."""
    path = folder / "record.json"
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        why = f"{path.name} could not be read ({error.strerror or error})"
        raise RecordError(f"{folder} is not a machine recording: {why}.") from None
    except (ValueError, RecursionError):
        why = f"{path.name} is not valid JSON"
        raise RecordError(f"{folder} is not a machine recording: {why}.") from None
    if not isinstance(values, dict):
        raise RecordError(f"{path} is damaged: it must contain one JSON object.")
    if isinstance(answers := values.get("answers"), dict):
        # An answer is one text, or a list of lines, which is easier to review.
        values["answers"] = {name: _joined(text) for name, text in answers.items()}
    try:
        return typed({"name": folder.name, **values}, Record)
    except WrongForm as error:
        raise RecordError(f"{path} is damaged: {error}.") from None


def _joined(text: Any) -> Any:
    is_list = isinstance(text, list) and all(isinstance(line, str) for line in text)
    return "".join(f"{line}\n" for line in text) if is_list else text


ENTRY_LIMIT = 10_000
LINK_LIMIT = 40
"""As in the kernel: more links than this in one path are a loop."""


class RecordedHost:
    """Looks at a recorded machine; nothing outside its folder can be reached."""

    def __init__(self, folder: Path) -> None:
        """The machine in this folder; raises RecordError when its record cannot be used."""
        self._record = read_record(folder)
        self._files = os.path.join(os.path.abspath(folder), "files")
        if not os.path.isdir(self._files):
            raise RecordError(f"{folder} is not a machine recording: it has no 'files' folder.")
        self.name = self._record.name
        self.environ: Mapping[str, str] = self._record.environ
        self.user = self._record.user
        self.uid = self._record.uid
        self.home = self._record.home
        self.prefix = self._record.prefix
        self.architecture = self._record.architecture

    def read(self, path: str) -> Fact[str]:
        """The text of a recorded file."""
        failure = self._failure(path)
        return self._of_file(path, text_of) if failure is None else failure

    def head(self, path: str, count: int) -> Fact[bytes]:
        """The first bytes of a recorded file."""
        if path in self._record.unreadable:
            return Unknown(f"no permission to read {path}")
        return self._of_file(path, lambda real: head_of(real, count))

    def size(self, path: str) -> Fact[int]:
        """The size that the record states for a file, else that of the recorded file itself."""
        try:
            stated = self._record.sizes.get(self._walk(path))
            real = os.lstat(self._real(path))
        except (OSError, ValueError) as error:
            return Unknown(why(path, error))
        if not stat.S_ISREG(real.st_mode):
            return Unknown(f"{path} is not a file")
        return real.st_size if stated is None else stated

    def inode(self, path: str) -> Fact[int]:
        """The number that the record states for a file."""
        stated = self._record.inodes.get(self.resolve(path))
        return Unknown(f"the number of {path} was not recorded") if stated is None else stated

    def names(self, folder: str) -> Fact[tuple[str, ...]]:
        """Sorted names in a recorded folder, links among them."""
        if (failure := self._failure(folder)) is not None:
            return failure
        resolved = self.resolve(folder)
        split = (os.path.split(path) for path in self._record.links)
        links = {name for parent, name in split if parent == resolved}
        try:
            with os.scandir(self._real(folder)) as entries:
                names = {unstored(entry.name) for entry in islice(entries, ENTRY_LIMIT)}
        except (OSError, ValueError) as error:
            # A folder of nothing but links, such as /etc/alternatives, is none on disk.
            return tuple(sorted(links)) if links else Unknown(why(folder, error))
        return tuple(sorted(names | links))

    def folders(self, folder: str) -> Fact[tuple[str, ...]]:
        """Sorted names of the real sub-folders of a recorded folder."""
        names = self.names(folder)
        if isinstance(names, Unknown):
            return names
        paths = {name: f"{self.resolve(folder).rstrip('/')}/{name}" for name in names}
        return tuple(
            name
            for name, path in paths.items()
            if self._target(path) is None and self.is_folder(path)
        )

    def link(self, path: str) -> Fact[str]:
        """Where a recorded link points, as an absolute path inside the record."""
        parent = self.resolve(os.path.dirname(path))
        target = self._target(os.path.join(parent, os.path.basename(path)))
        if target is None:
            return Unknown(f"{path} is not a link")
        return os.path.normpath(os.path.join(parent, target))

    def resolve(self, path: str) -> str:
        """The path with every link followed, never above the record's own root."""
        try:
            return self._walk(path)
        except (OSError, ValueError):
            return path

    def is_file(self, path: str) -> bool:
        """True for a recorded file, also through links."""
        return os.path.isfile(self._place(self.resolve(path)))

    def is_folder(self, path: str) -> bool:
        """True for a recorded folder, also through links."""
        return os.path.isdir(self._place(self.resolve(path)))

    def exists(self, path: str) -> bool:
        """True for anything recorded at that path."""
        return os.path.exists(self._place(self.resolve(path)))

    def usable(self, path: str) -> bool:
        """True when the record lists the path as open to its user."""
        return path in self._record.access

    def group_of(self, path: str) -> Fact[str]:
        """The recorded group of the path."""
        if group := self._record.groups.get(path):
            return group
        there = self.exists(path)
        return Unknown(f"the group of {path} was not recorded" if there else f"there is no {path}")

    def groups_in_force(self) -> Fact[tuple[str, ...]]:
        """The recorded groups of the process that recorded."""
        return self._record.groups_in_force

    def glibc(self) -> Fact[str]:
        """The recorded version of the C library."""
        return self._record.glibc or Unknown("the C library was not recorded")

    def memory_bytes(self) -> Fact[int]:
        """The recorded physical memory."""
        return self._record.memory_bytes or Unknown("the size of the memory was not recorded")

    def disk(self, path: str) -> Fact[Disk]:
        """The recorded file system that a path is on, where the recorder looked at its disk.

        Of any other path it is not known: more may have been mounted than was recorded.
        """
        inside = [disk for disk in self._record.disks if disk.path == path]
        if not inside and any(is_below(path, each) for each in (self.home, *ALWAYS)):
            disks = self._record.disks
            inside = [disk for disk in disks if is_below(path, disk.filesystem)]
        if not inside:
            return Unknown(f"the file system of {path} was not recorded")
        nearest = max(inside, key=lambda disk: len(disk.filesystem))
        return Disk(path, *nearest[1:])

    def silent(self) -> tuple[SilentFileSystem, ...]:
        """The recorded file systems that did not answer."""
        return tuple(SilentFileSystem(*one) for one in sorted(self._record.silent.items()))

    def ask(self, query: Query) -> Fact[str]:
        """The recorded answer of a program."""
        answer = self._record.answers.get(query.name)
        if answer is not None:
            return answer
        why = self._record.failures.get(query.name, f"{query.value[0]} is not installed")
        return Unknown(why)

    def _failure(self, path: str) -> Unknown | None:
        """Why a path had no answer on the machine that was recorded."""
        if path in self._record.unreadable:
            return Unknown(f"no permission to read {path}")
        failure = self._record.failures.get(path)
        return None if failure is None else Unknown(failure)

    def _of_file(self, path: str, take: Callable[[str], Fact[T]]) -> Fact[T]:
        try:
            real = self._real(path)
            if not stat.S_ISREG(os.lstat(real).st_mode):
                return Unknown(f"{path} is not a regular file")
            return take(real)
        except (OSError, ValueError) as error:
            return Unknown(why(path, error))

    def _real(self, path: str) -> str:
        return self._place(self._walk(path))

    def _place(self, path: str) -> str:
        """Where a path without links lies on this disk."""
        return self._files + stored(path)

    def _walk(self, path: str) -> str:
        """Follow links component by component, as the kernel does inside a changed root."""
        done = ""
        left = path.split("/")
        links = 0
        while left:
            part = left.pop(0)
            if part in ("", "."):
                continue
            if part == "..":
                done = os.path.dirname(done) if done.count("/") > 1 else ""
                continue
            target = self._target(f"{done}/{part}")
            if target is None:
                done = f"{done}/{part}"
                continue
            links += 1
            if links > LINK_LIMIT:
                raise OSError(f"too many links in {path}")
            done = "" if target.startswith("/") else done
            left = target.split("/") + left
        return done or "/"

    def _target(self, path: str) -> str | None:
        """The target of a link: of our data, or a real link that somebody put into the folder."""
        target = self._record.links.get(path)
        if target is None and os.path.islink(self._place(path)):
            return os.readlink(self._place(path))
        return target
