"""What applications and stacks ask of torch, numpy, Python, memory and disk."""

from __future__ import annotations

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from wizard.advice.card import Obstacle, chosen_card
from wizard.core.amounts import memory_size_text, size_text
from wizard.core.fact import Fact, Unknown
from wizard.host.host import Disk
from wizard.knowledge.applications import Application, Older
from wizard.knowledge.stacks import Stack
from wizard.machine.facts import Machine
from wizard.machine.system import disk_in

NUMPY = "numpy"
GIGABYTE = 10**9
LARGEST_KNOWN = 9 * GIGABYTE
"""Download and installed files of the largest stack whose sizes are known."""
MEMORY_ASKED = 8 * GIGABYTE
"""What the notes ask for (hkevin01/rocm-patch, README.md)."""
SHARE = 0.9
"""Firmware and driver keep a part: 8 GB are told as somewhat less."""


def unmet_floor(application: Application, stack: Stack) -> str:
    """Why the application refuses this stack, ``""`` when no known floor forbids it."""
    if _fitting(application, stack) is None:
        return _unmet(application, stack)
    if application.numpy_floor and not numpy_allowed(stack, application.numpy_floor):
        return (
            f"{application.title} needs numpy {application.numpy_floor} or newer, but this "
            f"stack's torch needs an older one ({application.source})"
        )
    return ""


def older_release(application: Application, stack: Stack) -> Older | None:
    """The older releases that suit this stack, None where the newest one does or none."""
    found = _fitting(application, stack)
    return found if found in application.older else None


def steps_back(application: Application, stack: Stack) -> int:
    """How many lines of releases behind the newest one the suiting one is."""
    older = older_release(application, stack)
    return application.older.index(older) + 1 if older else 0


def takes_torch(application: Application, version: str) -> bool:
    """True when some release of the application takes this torch."""
    return _public(version) >= min(Version(e.torch_floor or "0") for e in _releases(application))


def pythons_for(application: Application, stack: Stack) -> tuple[str, ...]:
    """The stack's Pythons that the application accepts, best first."""
    found = _fitting(application, stack) or _releases(application)[0]
    return _between(stack, found.python_floor, application.python_ceiling)


def numpy_allowed(stack: Stack, version: str) -> bool:
    """True unless the stack keeps this numpy and every newer one away."""
    asked = [Requirement(text.format(gfx="gfx")) for text in stack.constraints]
    kept = SpecifierSet(",".join(str(each.specifier) for each in asked if each.name == NUMPY))
    named = [each.version for each in kept if Version(each.version) >= Version(version)]
    return any(kept.contains(each) for each in (version, *named))


def _releases(application: Application) -> tuple[Older, ...]:
    """Its newest release, which needs no word to pip, and the older ones behind it."""
    newest = Older(application.torch_floor, application.python_floor, ())
    return (newest, *application.older)


def _fitting(application: Application, stack: Stack) -> Older | None:
    """The newest release that takes this torch and one of these Pythons."""
    for release in _releases(application):
        new_enough = _torch(stack) >= Version(release.torch_floor or "0")
        if new_enough and _between(stack, release.python_floor, application.python_ceiling):
            return release
    return None


def _between(stack: Stack, low: str, high: str) -> tuple[str, ...]:
    least, most = Version(low or "0"), Version(high or "99")
    return tuple(each for each in stack.pythons if least <= Version(each) <= most)


def _unmet(application: Application, stack: Stack) -> str:
    """The floor that no release of it passes: of torch first, then of Python."""
    oldest = min(Version(each.torch_floor or "0") for each in _releases(application))
    source = application.source
    if _torch(stack) < oldest:
        asked = f"needs torch {oldest} or newer"
        return f"{application.title} {asked}; this stack has {_torch(stack)} ({source})"
    low, high = application.python_floor, application.python_ceiling
    words = (low and f"Python {low} or newer", high and f"at most {high}")
    asked = " and ".join(each for each in words if each)
    found = ", ".join(stack.pythons)
    return f"{application.title} needs {asked}; this stack has {found} ({source})"


def _torch(stack: Stack) -> Version:
    return _public(stack.torch)


def _public(version: str) -> Version:
    """Without the local part, such as ``+rocm5.7``."""
    return Version(Version(version).public)


def chosen_python(machine: Machine, applications: tuple[Application, ...], stack: Stack) -> str:
    """Path of the interpreter to use, ``uv:3.10`` when uv must bring it, ``""`` for neither.

    What suits the applications goes first, also when uv must bring it.
    """
    suiting = _suiting(applications, stack)
    found = _found(machine, suiting)
    if not found and suiting and not isinstance(machine.uv, Unknown):
        found = f"uv:{suiting[0]}"
    return found or _found(machine, stack.pythons)


def python_refused(machine: Machine, application: Application, stack: Stack, python: str) -> str:
    """Why an application cannot run on the chosen Python, ``""`` when it can.

    Where it accepts none of the stack's Pythons, that is a floor and told as one.
    """
    accepted = pythons_for(application, stack)
    minor = next((_minor(i.version) for i in machine.interpreters if i.path == python), "")
    minor = minor or python.removeprefix("uv:")
    if not accepted or minor in accepted:
        return ""
    asked = f"{application.title} needs Python {', '.join(accepted)}"
    return f"{asked}; here it would get {minor}: install Python {accepted[0]}, or uv"


def python_need(python: str) -> str:
    """What has to be fetched for that choice, ``""`` when it is there."""
    version = python.removeprefix("uv:")
    return f"Python {version}, which uv installs without root" if python.startswith("uv:") else ""


def python_obstacle(machine: Machine, stack: Stack, python: str) -> Obstacle | None:
    """Why there is no Python for the stack, and what would fix that; None when there is one."""
    if python:
        return None
    bare = [i for i in machine.interpreters if _minor(i.version) in stack.pythons]
    if bare:
        package = f"python{_minor(bare[0].version)}"
        why = f"{bare[0].path} lacks parts of its standard library"
        return Obstacle(why, f"install {package}, or uv")
    wanted = ", ".join(stack.pythons)
    why = f"it needs Python {wanted}, and neither that nor uv was found"
    return Obstacle(why, f"install Python {stack.pythons[0]}, or uv")


def _found(machine: Machine, minors: tuple[str, ...]) -> str:
    for minor in minors:
        for interpreter in machine.interpreters:
            if interpreter.makes_venvs and _minor(interpreter.version) == minor:
                return interpreter.path
    return ""


def _suiting(applications: tuple[Application, ...], stack: Stack) -> tuple[str, ...]:
    """The stack's Pythons that every willing application accepts; all where they disagree."""
    willing = [set(found) for each in applications if (found := pythons_for(each, stack))]
    common = tuple(p for p in stack.pythons if all(p in found for found in willing))
    return common or stack.pythons


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


def memory_need(machine: Machine, stack: Stack) -> str:
    """What of memory is missing or not known for a stack that uses the card."""
    memory = machine.system.memory_bytes
    if not stack.gfx or _enough(memory, MEMORY_ASKED):
        return ""
    asked = "8 GB of memory, according to the notes of hkevin01/rocm-patch"
    return f"{asked}; {_has(memory, 'this machine')}"


def short_of(machine: Machine, application: Application, stack: Stack) -> str:
    """The memory that the application's makers ask for and that is not here; ``""`` for none."""
    card = chosen_card(machine)
    if stack.gfx and card and _short(card.vram_bytes, application.vram_bytes):
        asked = f"a card with {_gigabytes(application.vram_bytes)}"
        return f"{asked}, according to its makers; {_has(card.vram_bytes, card.name)}"
    least = _least(application, stack)
    if _short(machine.system.memory_bytes, least):
        where = "" if stack.gfx else " on the processor"
        asked = f"{_gigabytes(least)} of memory{where}"
        return (
            f"{asked}, according to its makers; {_has(machine.system.memory_bytes, 'this machine')}"
        )
    return ""


def unsure_memory(machine: Machine, application: Application, stack: Stack) -> str:
    """What the application asks of a memory whose size is not known."""
    card = chosen_card(machine)
    vram = card.vram_bytes if card else None
    if stack.gfx and application.vram_bytes and isinstance(vram, Unknown):
        return f"a card with {_gigabytes(application.vram_bytes)}: {_unknown('its memory', vram)}"
    memory, least = machine.system.memory_bytes, _least(application, stack)
    if least and isinstance(memory, Unknown):
        return f"{_gigabytes(least)} of memory: {_unknown('how much there is', memory)}"
    return ""


def _least(application: Application, stack: Stack) -> int | None:
    alone = application.memory_without_card_bytes
    return application.memory_bytes if stack.gfx or alone is None else alone


def _enough(memory: Fact[int], asked: int) -> bool:
    return not isinstance(memory, Unknown) and memory >= asked * SHARE


def _short(memory: Fact[int], asked: int | None) -> bool:
    """True when it is known to be less."""
    return bool(asked) and not isinstance(memory, Unknown) and memory < (asked or 0) * SHARE


def _has(memory: Fact[int], what: str) -> str:
    if isinstance(memory, Unknown):
        return _unknown("how much this machine has", memory)
    return f"{what} has {memory_size_text(memory)}"


def _unknown(what: str, fact: Unknown) -> str:
    return f"{what} is not known ({fact.because})"


def _gigabytes(count: int | None) -> str:
    return f"{(count or 0) / GIGABYTE:g} GB"


def home_room(machine: Machine, stack: Stack) -> str:
    """What of free space is missing, or not known, in the home folder; ``""`` for nothing."""
    disk = disk_in(machine, machine.access.home)
    if isinstance(disk, Unknown):
        return "disk space, but the free space in your home folder could not be read"
    takes = (stack.download_bytes or 0) + (stack.installed_bytes or 0)
    if stack.sizes_known and takes > disk.free_bytes:
        parts = f"{size_text(stack.download_bytes or 0)} to download and "
        parts += f"{size_text(stack.installed_bytes or 0)} installed"
        return (
            f"{size_text(takes)} of free disk space ({parts}), but {_free(disk)}: free up "
            "disk space, or choose a folder on another disk"
        )
    if stack.sizes_known or disk.free_bytes > LARGEST_KNOWN:
        return ""
    return f"disk space, but how much is not known; {_free(disk)}"


def room_for(machine: Machine, application: Application, stack: Stack) -> str:
    """What an application asks of the disk beside the stack; ``""`` where there is enough."""
    disk, asked = disk_in(machine, machine.access.home), application.disk_bytes
    stack_takes = sum(size or 0 for size in (stack.download_bytes, stack.installed_bytes))
    if not asked or isinstance(disk, Unknown) or asked + stack_takes <= disk.free_bytes:
        return ""
    return f"{size_text(asked)} of disk space for itself and its models; {_free(disk)}"


def _free(disk: Disk) -> str:
    return f"{disk.filesystem} has {size_text(disk.free_bytes)} free"
