"""Reads what keeps the package system from working: a lock, half-installed packages, a journal."""

from __future__ import annotations

from collections.abc import Iterator

from wizard.core.fact import Fact, Unknown
from wizard.host.host import Host
from wizard.machine.facts import PackageWork
from wizard.machine.package_states import INSTALLED, Row

LOCKS = (
    "/var/lib/dpkg/lock-frontend",
    "/var/lib/dpkg/lock",
    "/var/lib/apt/lists/lock",
    "/var/cache/apt/archives/lock",
)
HELD = "/proc/locks"
MOUNTS = "/proc/self/mountinfo"
JOURNAL = "/var/lib/dpkg/updates"
"""dpkg's own journal: files named by numbers while it works, and after it was interrupted."""


def package_work(host: Host, rows: Fact[list[Row]]) -> PackageWork:
    """Who holds a lock, and which packages of the whole system are not fully installed."""
    journal = host.names(JOURNAL)
    return PackageWork(
        lock_holder=_lock_holder(host),
        unfinished=rows if isinstance(rows, Unknown) else tuple(_unfinished(rows)),
        interrupted=not isinstance(journal, Unknown) and any(map(str.isdecimal, journal)),
    )


def no_work(why: Unknown) -> PackageWork:
    """What is known when nothing answered."""
    return PackageWork(why, why, interrupted=False)


def _unfinished(rows: list[Row]) -> Iterator[str]:
    return (f"{row.name} ({row.state})" for row in rows if row.state != INSTALLED)


def _lock_holder(host: Host) -> Fact[str]:
    files = [path for path in LOCKS if host.exists(path)]
    if not files:
        return ""
    held = host.read(HELD)
    mounts = host.read(MOUNTS)
    if isinstance(held, Unknown) or isinstance(mounts, Unknown):
        return held if isinstance(held, Unknown) else mounts
    holders = dict(_holders(held))
    unread: Unknown | None = None
    for path in files:
        number = host.inode(path)
        if isinstance(number, Unknown):
            unread = number
        elif process := holders.get(f"{_device(host.resolve(path), mounts)}:{number}"):
            return _named(host, process)
    return unread or ""


def _holders(locks: str) -> Iterator[tuple[str, str]]:
    """File, as ``fe:01:1234``, and process of each lock that is held; not of those who wait."""
    for line in locks.splitlines():
        cells = line.split()
        if len(cells) == 8 and cells[1] != "->" and cells[4].isdecimal():
            yield cells[5], cells[4]


def _device(path: str, mounts: str) -> str:
    """The device of a file as the kernel's locks name it, ``fe:01``.

    Not by ``stat``: on btrfs, which Timeshift's users have, that names the subvolume instead.
    """
    found = ("", "")
    for line in mounts.splitlines():
        cells = line.split(" ", 5)
        # >= because a later mount on the same place hides the earlier one
        if len(cells) == 6 and _is_below(path, cells[4]) and len(cells[4]) >= len(found[0]):
            found = (cells[4], cells[2])
    major, _, minor = found[1].partition(":")
    if not (major.isdecimal() and minor.isdecimal()):
        return ""
    return f"{int(major):02x}:{int(minor):02x}"


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(f"{folder.rstrip('/')}/")


def _named(host: Host, process: str) -> str:
    name = host.read(f"/proc/{process}/comm")
    words = "a process" if isinstance(name, Unknown) else name.strip()
    return f"{words} (process {process})"
