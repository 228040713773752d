"""What dpkg and apt know, and what apt means to do."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import re
import struct
import time
from typing import Iterable, NamedTuple, Sequence

from assets.root.failures import INTERRUPTED, explain
from assets.root.files import LARGEST_DEB, folder_at, place_at, read_at, read_file
from assets.root.processes import named, run
from assets.root.requests import DKMS
from assets.root.step import Step
from assets.root.trouble import Trouble
from assets.root.undo import Call

LOCK_PATIENCE_S = 120.0


def options(*settings: str) -> tuple[str, ...]:
    """Settings of apt as words of a call."""
    return tuple(word for each in settings for word in ("-o", each))


APT_OPTIONS = (
    "-y",
    "--no-install-recommends",
    "--allow-downgrades",
    *options(
        "Dpkg::Options::=--force-confold",
        "Dpkg::Use-Pty=0",
        "DPkg::Lock::Timeout=120",
        "Dir::Log::Planner=/dev/null",
        "APT::Get::AutomaticRemove=false",
        "APT::Get::AllowUnauthenticated=false",
        "APT::Install-Suggests=false",
        # apt believes this file of its own while dpkg's status has the same size and second.
        "Dir::Cache::pkgcache=",
    ),
)
DPKG_LOCKS = ("/var/lib/dpkg/lock-frontend", "/var/lib/dpkg/lock", "/var/cache/apt/archives/lock")
LIST_LOCKS = ("/var/lib/apt/lists/lock",)
DPKG_JOURNAL = "/var/lib/dpkg/updates"
"""Files named by numbers while dpkg works, and after it was interrupted."""
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


@functools.lru_cache(maxsize=None)
def native() -> str:
    """The architecture whose packages go by their bare names."""
    return run(("dpkg", "--print-architecture")).output.strip()


def bare(name: str) -> str:
    """The name as apt-get prints it: the system's own architecture is left out."""
    base, _, suffix = name.partition(":")
    return base if suffix in (native(), "all", "any") else name


def packages() -> dict[str, Package]:
    """Everything that dpkg knows of, by the names that apt-get prints."""
    form = "${binary:Package}\t${db:Status-Abbrev}\t${Version}\n"
    found = {}
    for line in run(("dpkg-query", "-W", "-f", form)).output.splitlines():
        cells = line.split("\t")
        if len(cells) == 3 and len(cells[1]) == 3 and cells[1][1] != "n":
            found[bare(cells[0])] = Package(cells[0], cells[2], cells[1][1], cells[1][2] != " ")
    return found


def only_source(path: str) -> tuple[str, ...]:
    """Options by which apt-get reads the lists of one source, and of no other."""
    return options(
        "Dir::Etc::sourcelist=" + path,
        "Dir::Etc::sourceparts=/dev/null",
        "APT::Get::List-Cleanup=0",  # else apt drops the lists of all other sources
        "APT::Update::Error-Mode=any",  # else it ends with 0 without a network
        "Acquire::AllowInsecureRepositories=false",
        "DPkg::Lock::Timeout=120",
    )


def change_argv(*words: str, purge: bool, where: Sequence[str] = ()) -> tuple[str, ...]:
    """The call of apt-get for a transaction; the wizard simulates the very same one.

    ``where``: options that say where apt finds what it needs.
    """
    purging = options("APT::Get::Purge=" + ("true" if purge else "false"))
    return ("apt-get", *APT_OPTIONS, *purging, *where, "install", *words)


PLANNED = re.compile(r"(Inst|Conf|Remv|Purg) (\S+)(?: \[[^\]]*\])?(?: \((\S+) )?")


def simulate(argv: Sequence[str]) -> Simulated:
    """What this very call would do; raises Trouble in apt's words when it would fail."""
    ended = run((argv[0], "-s", *argv[1:]))
    if ended.code != 0:
        raise explain(ended)
    install, remove, configure = {}, set(), set()
    for found in filter(None, map(PLANNED.match, ended.output.splitlines())):
        name = bare(found[2])
        if found[1] == "Inst":
            install[name] = found[3] or "in an unknown version"
        elif found[1] == "Conf":
            configure.add(name)
        else:
            remove.add(name)
    return Simulated(install, frozenset(remove), frozenset(configure))


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


def wait_for_locks(step: Step, paths: Sequence[str] = DPKG_LOCKS) -> None:
    """Wait while another program works on packages, naming it; raises Trouble when it goes on."""
    began = time.monotonic()
    while True:
        holder = lock_holder(paths)
        waited = time.monotonic() - began
        if holder is None:
            return
        if waited > LOCK_PATIENCE_S:
            raise Trouble(
                f"Another program is installing or removing packages: {named(holder)}.",
                f"That program has held the package lock for {LOCK_PATIENCE_S:.0f} s. "
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
            raise Trouble(INTERRUPTED.happened, INTERRUPTED.meaning, INTERRUPTED.next_step)


def finishing() -> list[Call]:
    """Calls that let dpkg finish all that waits, but for what would build a kernel module."""
    waiting = [package.name for package in packages().values() if package.state in "UFWt"]
    others = [name for name in waiting if not DKMS.fullmatch(name)]
    if others == waiting:
        return [("dpkg", "--force-confold", "--configure", "-a")]
    named_ones = [("dpkg", "--force-confold", "--configure", *others)] if others else []
    return [*named_ones, ("dpkg", "--triggers-only", "-a")]


def package_in(file: str) -> tuple[str, str]:
    """Name and version of a package file, the name as apt-get prints it."""
    form = "--showformat=${Package}:${Architecture}\t${Version}"
    name, _, version = run(("dpkg-deb", "-W", form, file)).output.partition("\t")
    return bare(name), version


def marks_of(there: Iterable[str], auto: set[str]) -> tuple[tuple[str, list[str]], ...]:
    names = sorted(there)
    return (
        ("auto", [name for name in names if name in auto]),
        ("manual", [name for name in names if name not in auto]),
    )


def automatic() -> set[str]:
    """Packages that apt takes for mere dependencies."""
    return {bare(name) for name in run(("apt-mark", "showauto")).output.split()}


def places_of(paths: Iterable[str], package: str) -> list[str]:
    """Where files of a package lie: they may be diverted, to make room for others."""
    moved = diversions(package)
    return [moved.get(path, path) for path in paths]


def diversions(package: str) -> dict[str, str]:
    """What of other packages and of this one lies elsewhere, and where."""
    found = read_at(DIVERSIONS)
    lines = os.fsdecode(found[0] if found else b"").split("\n")
    triples = zip(lines[0::3], lines[1::3], lines[2::3])
    return {path: place for path, place, owner in triples if owner != package.partition(":")[0]}


def sums_of(name: str) -> dict[str, str]:
    """The hashes that dpkg has of the files of a package, by path."""
    rows = (line.split("  ", 1) for line in _info_of(name, "md5sums"))
    return {"/" + row[1]: row[0] for row in rows if len(row) == 2}


def list_of(name: str) -> list[str]:
    """Paths that dpkg says belong to a package."""
    lines = _info_of(name, "list")
    return [line for line in lines if line.startswith("/") and ".." not in line.split("/")]


def _info_of(name: str, suffix: str) -> list[str]:
    """The lines of a file of dpkg's own about a package, whose name may be qualified."""
    qualified = name if ":" in name else f"{name}:{native()}"
    with folder_at(INFO) as folder:
        for base in (qualified, name.partition(":")[0]):
            found = read_file(folder, f"{base}.{suffix}", LARGEST_DEB)
            if found is not None:
                return os.fsdecode(found[0]).split("\n")
    return []


CONFFILE = re.compile(r" (/.*) (?:[0-9a-f]{32}|newconffile)(?: obsolete| remove-on-upgrade)*")


def settings_of(name: str) -> list[str]:
    """The settings files that dpkg knows of a package."""
    listing = run(("dpkg-query", "-W", "-f", "${Conffiles}", name)).output
    paths = (found[1] for found in map(CONFFILE.fullmatch, listing.split("\n")) if found)
    return [path for path in paths if os.path.normpath(path) == path]
