"""The operating system, the board below it and its file systems."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from wizard.core.amounts import memory_size_text, size_text
from wizard.core.fact import Fact, Unknown, fact_text
from wizard.host.host import Disk, Host, SilentFileSystem
from wizard.host.mounts import MOUNTS
from wizard.machine.facts import Machine, System
from wizard.machine.part import Found, Part
from wizard.machine.surroundings import CPUINFO, KERNEL

OS_RELEASE = ("/etc/os-release", "/usr/lib/os-release")
ASSIGNMENT = re.compile(r"""^([A-Z_0-9]+)=(["']?)(.*)\2$""")


def read_system(host: Host) -> Found[System]:
    """What runs here, on what."""
    release = _os_release(host)
    return Found(
        System(
            distribution=_of(release, "ID"),
            release=_of(release, "VERSION_ID"),
            pretty_name=_of(release, "PRETTY_NAME"),
            kernel=_line(host, KERNEL),
            glibc=host.glibc(),
            architecture=host.architecture or Unknown("the kernel does not report it"),
            cpu=_cpu(host),
            memory_bytes=host.memory_bytes(),
        )
    )


def _os_release(host: Host) -> Fact[dict[str, str]]:
    texts = (host.read(path) for path in OS_RELEASE)
    text = next((one for one in texts if isinstance(one, str)), None)
    if text is None:
        return Unknown(f"neither {OS_RELEASE[0]} nor {OS_RELEASE[1]} could be read")
    matches = (ASSIGNMENT.match(line.strip()) for line in text.splitlines())
    return {match[1]: match[3] for match in matches if match}


def _of(release: Fact[dict[str, str]], key: str) -> Fact[str]:
    if isinstance(release, Unknown):
        return release
    return release.get(key) or Unknown(f"os-release has no {key}")


def _line(host: Host, path: str) -> Fact[str]:
    text = host.read(path)
    if isinstance(text, Unknown):
        return text
    return text.strip() or Unknown(f"{path} is empty")


def _cpu(host: Host) -> Fact[str]:
    text = host.read(CPUINFO)
    if isinstance(text, Unknown):
        return text
    for line in text.splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "model name" and value.strip():
            return value.strip()
    return Unknown(f"{CPUINFO} names no model")


def _tell_system(system: System) -> tuple[str, tuple[str, ...]]:
    """Release, kernel and C library in one line, then why one is not known, and the rest."""
    memory = system.memory_bytes
    first: tuple[tuple[str, Fact[str]], ...] = (
        ("system", system.pretty_name),
        ("kernel", system.kernel),
        ("glibc", system.glibc),
    )
    known = [f"{name} {fact}" for name, fact in first if isinstance(fact, str)]
    rest: tuple[tuple[str, Fact[str]], ...] = (
        *((name, fact) for name, fact in first if isinstance(fact, Unknown)),
        ("architecture", system.architecture),
        ("processor", system.cpu),
        ("memory", memory if isinstance(memory, Unknown) else memory_size_text(memory)),
    )
    summary = ", ".join(known).removeprefix("system ") or "unknown system"
    return summary, tuple(f"{name}: {fact_text(fact)}" for name, fact in rest)


SYSTEM: Part[System] = Part(
    title="System",
    source=f"{OS_RELEASE[0]}, {KERNEL}, {CPUINFO}",
    read=read_system,
    tell=_tell_system,
    without=lambda why: System(why, why, why, why, why, why, why, why),
)
"""The operating system, the C library, the processor."""


ALWAYS = ("/tmp", "/opt", "/var/cache/apt/archives")  # noqa: S108 - only looked at
"""Temporary files of programs, system ROCm, apt's downloads."""


def read_disks(host: Host) -> Found[tuple[Disk, ...]]:
    """The file systems below the folders that matter."""
    temporary = host.environ.get("TMPDIR", "")
    folders = dict.fromkeys(
        (host.home, *([temporary] if temporary.startswith("/") else []), *ALWAYS)
    )
    disks = tuple(host.disk(folder) for folder in folders)
    return Found(
        tuple(disk for disk in disks if isinstance(disk, Disk)),
        tuple(disk for disk in disks if isinstance(disk, Unknown)),
    )


def with_disks(machine: Machine, host: Host, folders: Iterable[str]) -> Machine:
    """The machine, with the file systems of these folders too."""
    found = tuple(disk for each in folders if isinstance(disk := host.disk(each), Disk))
    return replace(machine, disks=(*machine.disks, *found))


def disk_in(machine: Machine, folder: str) -> Fact[Disk]:
    """The file system of a folder, as far as it or a folder around it was looked at."""
    holding = [disk for disk in machine.disks if is_below(folder, disk.path)]
    unknown = Unknown(f"the file system of {folder} was not looked at")
    return max(reversed(holding), key=lambda disk: len(disk.path), default=unknown)


def is_below(path: str, folder: str) -> bool:
    """True for the folder itself too."""
    return f"{path.rstrip('/')}/".startswith(f"{folder.rstrip('/')}/")


def _tell_disks(disks: tuple[Disk, ...]) -> tuple[str, tuple[str, ...]]:
    lines = tuple(
        f"{disk.path}: {size_text(disk.free_bytes)} free of {size_text(disk.total_bytes)} "
        f"on {disk.filesystem}"
        for disk in disks
    )
    if not disks:
        return "unknown", lines
    return f"{size_text(disks[0].free_bytes)} free for {disks[0].path}", lines


DISKS: Part[tuple[Disk, ...]] = Part(
    title="Disks",
    source="statvfs(3)",
    read=read_disks,
    tell=_tell_disks,
)
"""Room on the file systems that matter."""


def _read_silent(host: Host) -> Found[tuple[SilentFileSystem, ...]]:
    silent = host.silent()
    return Found(silent, tuple(Unknown(f"{one.path} does not respond") for one in silent))


def _tell_silent(silent: tuple[SilentFileSystem, ...]) -> tuple[str, tuple[str, ...]]:
    lines = tuple(f"{one.path} ({one.kind}): nothing in it was checked" for one in silent)
    if not silent:
        return "all respond", lines
    return f"no response from {', '.join(one.path for one in silent)}", lines


MOUNTED: Part[tuple[SilentFileSystem, ...]] = Part(
    title="File systems",
    source=f"{MOUNTS}, statfs(2)",
    read=_read_silent,
    tell=_tell_silent,
)
"""Mounted file systems that do not answer."""


STRICT = (2, 41)
"""From this release on, libraries that ask for an executable stack are refused."""


def refuses_executable_stacks(glibc: Fact[str] | None) -> bool | None:
    """True where libraries that ask for an executable stack do not load, None where not known."""
    if not isinstance(glibc, str):
        return None
    try:
        return tuple(int(part) for part in glibc.split(".")[:2]) >= STRICT
    except ValueError:
        return None
