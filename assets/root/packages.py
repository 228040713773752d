"""What dpkg and apt know, and what apt means to do."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import struct
import time
from typing import Any, Iterable, NamedTuple, Sequence

from assets.root.failures import AGAIN, explain
from assets.root.files import LARGEST_DEB, folder_at, place_at, read_file, read_plain
from assets.root.processes import named, run
from assets.root.requests import DKMS
from assets.root.step import Step
from assets.root.trouble import Trouble
from assets.root.undo import Call

LOCK_PATIENCE_S = 120.0
APT_OPTIONS = (
    "-y",
    "--no-install-recommends",
    "--allow-downgrades",
    "-o",
    "Dpkg::Options::=--force-confold",
    "-o",
    "Dpkg::Use-Pty=0",
    "-o",
    "DPkg::Lock::Timeout=120",
    "-o",
    "Dir::Log::Planner=/dev/null",
    "-o",
    "APT::Get::AutomaticRemove=false",
    "-o",
    "APT::Get::AllowUnauthenticated=false",
    "-o",
    "APT::Install-Suggests=false",
    # apt believes this file of its own while dpkg's status has the same size and the same second.
    "-o",
    "Dir::Cache::pkgcache=",
)
DPKG_LOCKS = ("/var/lib/dpkg/lock-frontend", "/var/lib/dpkg/lock", "/var/cache/apt/archives/lock")
LIST_LOCKS = ("/var/lib/apt/lists/lock",)
DPKG_JOURNAL = "/var/lib/dpkg/updates"
ARCHIVES = "/var/cache/apt/archives"
INFO = "/var/lib/dpkg/info"
DIVERSIONS = "/var/lib/dpkg/diversions"


class Package(NamedTuple):
    """A package as dpkg has it."""

    name: str
    """As dpkg must be given it, for a bare name may stand for several packages."""
    version: str
    state: str
    """``i`` installed, ``c`` settings only, ``U`` unpacked, ``F``, ``H``, ``W``, ``t``."""
    broken: bool


class Simulated(NamedTuple):
    """What apt means to do."""

    install: dict[str, str]
    remove: frozenset[str]
    configure: frozenset[str]


def native() -> str:
    """The architecture whose packages go by their bare names."""
    return run(("dpkg", "--print-architecture")).output.strip()


def bare(name: str, architecture: str) -> str:
    """The name as apt-get prints it: the system's own architecture is left out."""
    base, _, suffix = name.partition(":")
    return base if suffix in (architecture, "all", "any") else name


def packages() -> dict[str, Package]:
    """Everything that dpkg knows of, by the names that apt-get prints."""
    form = "${binary:Package}\t${db:Status-Abbrev}\t${Version}\n"
    architecture = native()
    found = {}
    for line in run(("dpkg-query", "-W", "-f", form)).output.splitlines():
        cells = line.split("\t")
        if len(cells) == 3 and len(cells[1]) == 3 and cells[1][1] != "n":
            name = bare(cells[0], architecture)
            found[name] = Package(cells[0], cells[2], cells[1][1], cells[1][2] != " ")
    return found


INST = re.compile(r"Inst (\S+) (?:\[[^\]]*\] )?\((\S+) ")
REMV = re.compile(r"(?:Remv|Purg) (\S+)")
CONF = re.compile(r"Conf (\S+)")


def simulate(argv: Sequence[str], architecture: str) -> Simulated:
    """What this very call would do; raises Trouble in apt's words when it would fail."""
    ended = run((argv[0], "-s", *argv[1:]))
    if ended.code != 0:
        raise explain(ended)
    install, remove, configure = {}, set(), set()
    for line in ended.output.splitlines():
        if found := _match(INST, line):
            install[bare(found[1], architecture)] = found[2]
        elif found := _match(REMV, line):
            remove.add(bare(found[1], architecture))
        elif found := _match(CONF, line):
            configure.add(bare(found[1], architecture))
    return Simulated(install, frozenset(remove), frozenset(configure))


def _match(pattern: Any, line: str) -> Any:
    return pattern.match(line)


def lock_holder(paths: Sequence[str]) -> int | None:
    """The process that holds one of these locks of apt and dpkg; None for nobody."""
    for path in paths:
        with contextlib.suppress(FileNotFoundError), place_at(path) as (folder, name):
            descriptor = os.open(name, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
            try:
                wanted = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
                kind, _, _, _, pid = struct.unpack(
                    "hhqqi4x", fcntl.fcntl(descriptor, fcntl.F_GETLK, wanted)
                )
            finally:
                os.close(descriptor)
            if kind != fcntl.F_UNLCK:
                return int(pid)
    return None


def wait_for_locks(
    step: Step, paths: Sequence[str] = DPKG_LOCKS, patience_s: float = LOCK_PATIENCE_S
) -> None:
    """Wait while another program works on packages, naming it; raises Trouble when it goes on."""
    began = time.monotonic()
    while True:
        holder = lock_holder(paths)
        waited = time.monotonic() - began
        if holder is None:
            return
        if waited > patience_s:
            raise Trouble(
                f"Another program is installing or removing packages: {named(holder)}.",
                f"That program has held the package lock for {patience_s:.0f} s. "
                "Nothing was changed.",
                "Let that program finish (it may be a background update), then run the step "
                "again. Never delete the lock yourself.",
            )
        what = f"waiting for {named(holder)}, which is changing packages"
        step.progress(int(waited), 0, "seconds", what, "wait")
        time.sleep(1.0)


def refuse_interrupted() -> None:
    """Raise Trouble while dpkg has a journal of an interrupted run."""
    with contextlib.suppress(FileNotFoundError), folder_at(DPKG_JOURNAL) as folder:
        if any(name.isdecimal() for name in os.listdir(folder)):
            raise Trouble(
                "dpkg was interrupted during its work.",
                "apt refuses to change anything until dpkg has finished that work.",
                "Run `sudo dpkg --configure -a`, " + AGAIN,
            )


def finishing(present: dict[str, Package]) -> list[Call]:
    """Calls that let dpkg finish all that waits, but for what would build a kernel module."""
    waiting = [package.name for package in present.values() if package.state in "UFWt"]
    others = [name for name in waiting if not DKMS.fullmatch(name)]
    if others == waiting:
        return [("dpkg", "--force-confold", "--configure", "-a")]
    named_ones = [("dpkg", "--force-confold", "--configure", *others)] if others else []
    return [*named_ones, ("dpkg", "--triggers-only", "-a")]


def package_in(file: str) -> tuple[str, str]:
    """Name and version of a package file, the name as apt-get prints it."""
    form = "--showformat=${Package}:${Architecture}\t${Version}"
    name, _, version = run(("dpkg-deb", "-W", form, file)).output.partition("\t")
    return bare(name, native()), version


def marks_of(there: Iterable[str], auto: set[str]) -> tuple[tuple[str, list[str]], ...]:
    names = sorted(there)
    return (
        ("auto", [name for name in names if name in auto]),
        ("manual", [name for name in names if name not in auto]),
    )


def automatic() -> set[str]:
    """Packages that apt takes for mere dependencies."""
    architecture = native()
    return {bare(name, architecture) for name in run(("apt-mark", "showauto")).output.split()}


def places_of(paths: Iterable[str], package: str) -> list[str]:
    """Where files of a package lie: they may be diverted, to make room for others."""
    moved = diversions(package)
    return [moved.get(path, path) for path in paths]


def diversions(package: str) -> dict[str, str]:
    """What of other packages and of this one lies elsewhere, and where."""
    found = read_plain(DIVERSIONS).decode("utf-8", "surrogateescape").split("\n")
    triples = zip(found[0::3], found[1::3], found[2::3])
    return {path: place for path, place, owner in triples if owner != package.partition(":")[0]}


def sums_of(name: str) -> dict[str, str]:
    """The hashes that dpkg has of the files of a package, by path."""
    with folder_at(INFO) as folder:
        for file in info_names(name, "md5sums"):
            found = read_file(folder, file, LARGEST_DEB)
            if found is not None:
                rows = (line.split("  ", 1) for line in os.fsdecode(found[0]).split("\n"))
                return {"/" + row[1]: row[0] for row in rows if len(row) == 2}
    return {}


CONFFILE = re.compile(r" (/.*) (?:[0-9a-f]{32}|newconffile)(?: obsolete| remove-on-upgrade)*")


def settings_of(name: str) -> list[str]:
    """The settings files that dpkg knows of a package."""
    listing = run(("dpkg-query", "-W", "-f", "${Conffiles}", name)).output
    paths = (found[1] for found in map(CONFFILE.fullmatch, listing.split("\n")) if found)
    return [path for path in paths if os.path.normpath(path) == path]


def list_of(name: str) -> list[str]:
    """Paths that dpkg says belong to a package."""
    with folder_at(INFO) as folder:
        for file in info_names(name, "list"):
            found = read_file(folder, file, LARGEST_DEB)
            if found is not None:
                lines = os.fsdecode(found[0]).split("\n")
                return [
                    line for line in lines if line.startswith("/") and ".." not in line.split("/")
                ]
    return []


def info_names(name: str, suffix: str) -> tuple[str, str]:
    """The names that dpkg's own file about a package may have."""
    base = name.partition(":")[0]
    qualified = name if ":" in name else f"{name}:{native()}"
    return f"{qualified}.{suffix}", f"{base}.{suffix}"
