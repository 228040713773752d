"""How much room a plan needs, on which file systems, and where there is too little."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from wizard.advice.floors import LARGEST_KNOWN
from wizard.core.amounts import MB, size_text
from wizard.core.fact import Fact, Unknown
from wizard.core.journal import Kind
from wizard.core.trouble import Trouble
from wizard.host.host import Disk
from wizard.machine.facts import Machine
from wizard.machine.system import disk_in
from wizard.operations.fetch_wheels import FetchWheels
from wizard.operations.install_wheels import InstallWheels
from wizard.operations.packages import AptChange, KeepDebs
from wizard.plan.steps import Plan, Step

ARCHIVES = "/var/cache/apt/archives"
BACKUP = "/var/lib/rdna1-setup"
SPARE = 200 * MB
"""Left free on each file system: lists, logs and the journal grow too."""
OTHER_FOLDER = "choose a folder on another disk"
OTHER_CACHE = "set XDG_CACHE_HOME to a folder on another disk for the downloads"
APT_CLEAN = "empty apt's cache with `sudo apt-get clean`"
SMALLEST = "use the smallest set (--system-set smallest)"


@dataclass(frozen=True, slots=True)
class Need:
    """So many bytes in a folder, and what for."""

    folder: str
    bytes: int
    what: str
    instead: str = ""
    """What helps beside freeing disk space."""
    goes_on: bool = False
    """True where what is in the folder already is a part of it."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """What a step fetches and unpacks, in bytes; None where nobody knows."""

    download: int | None
    installed: int | None


def sizes_of(plan: Plan) -> tuple[Sizes, ...]:
    """What each step takes."""
    changes = plan.apt_changes
    download = _without(plan.download_bytes, sum(each.download_bytes for each in changes))
    installed = _without(plan.installed_bytes, sum(each.installed_bytes for each in changes))

    def taken_by(step: Step) -> Sizes:
        match step:
            case FetchWheels():
                return Sizes(download, 0)
            case InstallWheels():
                return Sizes(0, installed)
            case AptChange() if step.resolved:
                return Sizes(step.download_bytes, step.installed_bytes)
            case AptChange():
                return Sizes(None, None)
            case _:
                return Sizes(0, 0)

    return tuple(map(taken_by, plan.steps))


def _without(whole: int | None, part: int) -> int | None:
    return None if whole is None else max(0, whole - part)


def wheel_steps(plan: Plan) -> tuple[int, int]:
    """Numbers of the steps that fetch the wheels and that install them; 0 for none."""
    fetching = (n for n, step in enumerate(plan.steps, 1) if isinstance(step, FetchWheels))
    installing = (n for n, step in enumerate(plan.steps, 1) if isinstance(step, InstallWheels))
    return next(fetching, 0), next(installing, 0)


def needs_of(
    plan: Plan, done: Collection[int] = (), begun: Collection[int] = (), *, copies: bool = False
) -> Iterator[Need]:
    """What the steps that are not done need while all of it is there; only known sizes.

    What an installation has left that was ``begun`` is removed before it begins again, and so makes
    room. ``copies``: the environment's file system has no hard links, so that uv's cache, which
    lies in the environment while it is filled, takes the files once more.
    """
    fetched = any(isinstance(step, KeepDebs) and step.coming for step in plan.steps)
    for number, (step, sizes) in enumerate(zip(plan.steps, sizes_of(plan), strict=True), 1):
        if number in done:
            continue
        match step:
            case FetchWheels() if sizes.download:
                what = "for downloads"
                yield Need(step.staging, sizes.download, what, OTHER_CACHE, goes_on=True)
            case InstallWheels() if sizes.installed and number not in begun:
                size = sizes.installed * (2 if copies else 1)
                yield Need(step.venv, size, "for the environment", OTHER_FOLDER)
            case AptChange():
                folder = BACKUP if fetched else ARCHIVES
                yield Need(folder, step.download_bytes, "for downloads", APT_CLEAN)
                yield Need("/opt", step.installed_bytes, "for installed files", SMALLEST)
            case _:
                pass


def shortage(needs: Iterable[Need], disk_of: Callable[[str], Fact[Disk]]) -> Trouble | None:
    """What does not fit; needs on one file system add up. A disk that is not known is no reason."""
    told: dict[str, tuple[Disk, list[Need]]] = {}
    for need in needs:
        disk = disk_of(need.folder)
        if need.bytes and isinstance(disk, Disk):
            told.setdefault(disk.filesystem, (disk, []))[1].append(need)
    full = [(disk, each) for disk, each in told.values() if _whole(each) > disk.free_bytes]
    if not full:
        return None
    return Trouble(
        " ".join(_too_little(disk, each) for disk, each in full),
        "The disk would fill up during the installation. Nothing was changed.",
        " ".join(_remedy(disk, each) for disk, each in full),
    )


def _whole(needs: list[Need]) -> int:
    return sum(need.bytes for need in needs) + SPARE


def _too_little(disk: Disk, needs: list[Need]) -> str:
    parts = ", ".join(f"{size_text(need.bytes)} {need.what} ({need.folder})" for need in needs)
    return (
        f"{disk.filesystem} has only {size_text(disk.free_bytes)} free, but "
        f"{size_text(_whole(needs))} is needed: {parts}, and {size_text(SPARE)} in reserve."
    )


def _remedy(disk: Disk, needs: list[Need]) -> str:
    missing = size_text(_whole(needs) - disk.free_bytes)
    known = {need.instead for need in needs}
    *ways, last = (
        f"Free up {missing} on {disk.filesystem}",
        *(each for each in (APT_CLEAN, SMALLEST, OTHER_FOLDER, OTHER_CACHE) if each in known),
    )
    return f"{', '.join(ways)}{',' * (len(ways) > 1)} or {last}." if ways else f"{last}."


def room_notes(plan: Plan, machine: Machine) -> Iterator[str]:
    """What of the room for an installation is too little, or not known."""
    if plan.kind is not Kind.INSTALL or not plan.venv:
        return
    known = disk_in(machine, plan.venv)
    if found := shortage(needs_of(plan), lambda folder: disk_in(machine, folder)):
        yield f"{found.happened} {found.next_step}"
    elif isinstance(known, Unknown):
        yield f"How much disk space is free for {plan.venv} is not known."
    elif None in (plan.download_bytes, plan.installed_bytes) and known.free_bytes <= LARGEST_KNOWN:
        yield (
            "How much disk space this plan needs is not known. "
            f"{known.filesystem} has {size_text(known.free_bytes)} free."
        )
