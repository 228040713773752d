"""apt as it will be after the steps of a plan, in a folder of the user's: it changes nothing.

Links to the lists that the system has, copies of its sources and pins as the plan leaves them, and
dpkg's list without what the plan removes. So the user's own apt can say what root's will do.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from assets.root.packages import change_argv, only_source, options
from wizard.apt.indexes import PackageRecord, package_records, qualified
from wizard.apt.packages import Versions, without_architecture
from wizard.apt.programs import Answer, Programs, ask_or_raise
from wizard.apt.sources import APT, KEYRING, LISTS, SOURCE, paragraphs
from wizard.host.host import Host
from wizard.system.web import Web

STATUS = "/var/lib/dpkg/status"
SETTINGS = {"sources.list.d": (".list", ".sources"), "preferences.d": ("", ".pref")}
"""Folders that are copied, and the endings of names that apt reads in them."""
SIMULATION_S, UPDATE_S, DOWNLOAD_S = 180.0, 600.0, 1800.0
NAME = r"(?P<name>[a-z0-9][a-z0-9+.-]*)(?::(?P<architecture>[a-z0-9-]+))?"
REST = r"(?: \[[^\]]*\])*"
"""Groups such as ``[rocm-gdb:amd64 ]``: what is broken in between, and whole again at the end."""
INSTALL = re.compile(
    rf"Inst {NAME}(?: \[(?P<old>[^\] ]+)\])?"
    rf" \((?P<version>\S+) (?P<origin>[^\[]*)\[[^\]]*\]\){REST}"
)
REMOVE = re.compile(rf"(?P<verb>Remv|Purg) {NAME} \[(?P<version>[^\] ]+)\]{REST}")
ACTING = ("Inst ", "Remv ", "Purg ")


@dataclass(frozen=True, slots=True)
class AptView:
    """A folder in which such a view lies, and the programs that look at it."""

    folder: Path
    programs: Programs

    @property
    def options(self) -> tuple[str, ...]:
        """What makes an apt program look at it."""
        pairs = (
            ("Dir::Etc::sourcelist", self.folder / "sources.list"),
            ("Dir::Etc::sourceparts", self.folder / "sources.list.d"),
            ("Dir::Etc::preferences", self.folder / "preferences"),
            ("Dir::Etc::preferencesparts", self.folder / "preferences.d"),
            ("Dir::State::lists", self.folder / "lists"),
            ("Dir::State::status", self.folder / "status"),
            ("Dir::Cache", self.folder / "cache"),
            ("Dir::Log::Planner", "/dev/null"),
            ("Debug::NoLocking", "1"),  # the user may not lock what is root's
            ("APT::Sandbox::User", "root"),  # in a container: _apt may not enter this folder
        )
        return options(*(f"{name}={value}" for name, value in pairs))

    async def update(self, source: str = SOURCE) -> None:
        """Fetch the lists of one source, and of no other; raises Trouble."""
        only = self.folder / "sources.list.d" / source.rpartition("/")[2]
        argv = ("apt-get", *self.options, *only_source(str(only)), "update")
        await ask_or_raise(self.programs, argv, UPDATE_S)

    async def simulate(
        self,
        install: Versions,
        debs: Iterable[str] = (),
        remove: Iterable[str] = (),
        *,
        purge: bool = False,
    ) -> Answer:
        """What apt says to a transaction, in root's own words; ``debs`` are paths."""
        argv = change_argv(
            *(f"{name}={version}" if version else name for name, version in install),
            *debs,
            *(f"{name}-" for name in remove),
            purge=purge,
            where=self.options,
        )
        argv = (argv[0], "-s", *argv[1:])
        return await self.programs.ask(argv, SIMULATION_S)

    async def records(self, *words: str) -> tuple[PackageRecord, ...]:
        """What the indexes have of packages; ``words`` are options and names."""
        argv = ("apt-cache", *self.options, "show", *words)
        return package_records((await self.programs.ask(argv, SIMULATION_S)).text)

    async def download(self, names: Iterable[str]) -> None:
        """Fetch package files into the folder; raises Trouble."""
        there = ("env", f"--chdir={self.folder}")  # apt-get downloads into where it stands
        await ask_or_raise(
            self.programs, (*there, "apt-get", *self.options, "download", *names), DOWNLOAD_S
        )


@dataclass(frozen=True, slots=True)
class Asking:
    """A machine to look at, programs and servers to ask, a place for what they give, the time."""

    host: Host
    programs: Programs
    web: Web
    folder: Path
    """A folder of the user's, for apt's lists and for packages that are built."""
    now: datetime
    root: Path = Path("/")
    """Where the system's own folders lie."""


def make_view(
    folder: Path,
    programs: Programs,
    changed: Mapping[str, str | None],
    gone: Collection[str] = (),
    root: Path = Path("/"),
) -> AptView:
    """The view after these changes; ``root`` is where the system's own folders lie.

    ``changed`` are new contents of apt's settings by path, None for one that is moved away, and
    ``gone`` packages that are removed. Lists that were fetched into the folder before stay.
    """
    for name in ("sources.list.d", "preferences.d"):
        shutil.rmtree(folder / name, ignore_errors=True)
        (folder / name).mkdir(parents=True)
    for name in ("lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    _link_lists(folder / "lists", root / LISTS.lstrip("/"))
    key = changed.get(KEYRING)
    if key is not None:
        _write(folder / "key.asc", key)
    for path, content in {**dict(_settings(root)), **changed}.items():
        if content is not None and path.startswith(f"{APT}/") and path != KEYRING:
            shown = content if key is None else content.replace(KEYRING, f"{folder}/key.asc")
            _write(folder / path.removeprefix(f"{APT}/"), shown)
    _write(folder / "status", _status(root, gone))
    return AptView(folder, programs)


def _link_lists(folder: Path, lists: Path) -> None:
    for path in folder.iterdir():
        if path.is_symlink():
            path.unlink()
    for path in _files(lists):
        if path.name != "lock" and not (folder / path.name).exists():
            (folder / path.name).symlink_to(path)


def _settings(root: Path) -> Iterator[tuple[str, str]]:
    below = root / APT.lstrip("/")
    for name in ("sources.list", "preferences"):
        if (below / name).is_file():
            yield f"{APT}/{name}", _text(below / name)
    for folder, endings in SETTINGS.items():
        for path in _files(below / folder):
            if path.suffix in endings:
                yield f"{APT}/{folder}/{path.name}", _text(path)


def status_of(root: Path) -> str:
    """dpkg's list of a system."""
    return _text(root / STATUS.lstrip("/"))


def _status(root: Path, gone: Collection[str]) -> str:
    """dpkg's list without these packages."""
    text = status_of(root)
    if not gone:
        return text
    heads = tuple(f"Package: {without_architecture(name)}\n" for name in gone)
    kept = (
        stanza
        for stanza in text.split("\n\n")
        if not stanza.lstrip("\n").startswith(heads)
        or any(qualified(fields) not in gone for _, fields in paragraphs(stanza))
    )
    return "\n\n".join(kept)


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.is_file())
    except OSError:
        return []


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError:
        return ""


def _write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode("utf-8", "surrogateescape"))


@dataclass(frozen=True, slots=True)
class Coming:
    """A package that would be installed, or exchanged for another version."""

    name: str
    version: str
    old: str
    """The version that is there now; ``""`` for none."""
    origin: str
    """For example ``Ubuntu:24.04/noble`` or ``local-deb``."""


@dataclass(frozen=True, slots=True)
class Transaction:
    """All that apt would do."""

    coming: tuple[Coming, ...]
    leaving: Versions
    unread: tuple[str, ...]
    """Lines that say that something is done, in a form that we do not know."""

    @property
    def brings(self) -> Versions:
        """What would be installed or exchanged, with versions."""
        return tuple((one.name, one.version) for one in self.coming)


def transaction(lines: Iterable[str]) -> Transaction:
    """What the lines of a simulation say; a package of another architecture keeps it in its name.

    Purging says ``Purg`` alone, removing says ``Remv``.
    """
    coming: list[Coming] = []
    leaving: list[tuple[str, str]] = []
    unread = []
    for line in lines:
        if not line.startswith(ACTING):
            continue
        if found := INSTALL.fullmatch(line.rstrip()):
            old, origin = found["old"] or "", found["origin"].strip()
            coming.append(Coming(_name(found), found["version"], old, origin))
        elif found := REMOVE.fullmatch(line.rstrip()):
            leaving.append((_name(found), found["version"]))
        else:
            unread.append(line)
    return Transaction(tuple(coming), tuple(leaving), tuple(unread))


def _name(found: re.Match[str]) -> str:
    architecture = found["architecture"]
    return f"{found['name']}:{architecture}" if architecture else found["name"]
