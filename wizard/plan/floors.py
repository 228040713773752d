"""What an application asks of torch, numpy and Python, held against a stack."""

from __future__ import annotations

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from wizard.knowledge.applications import Application, Older
from wizard.knowledge.stacks import Stack

NUMPY = "numpy"


def unmet_floor(application: Application, stack: Stack) -> str:
    """Why the application refuses this stack, ``""`` when no known floor forbids it."""
    if _fitting(application, stack) is None:
        return _unmet(application, stack)
    if application.numpy_floor and not numpy_allowed(stack, application.numpy_floor):
        return (
            f"{application.title} asks for numpy {application.numpy_floor} or newer, and this "
            f"stack's torch for an older one ({application.source})"
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


def beyond(application: Application, stack: Stack) -> str:
    """Why nobody can know: the stack's torch is newer than any the application ran with."""
    if application.torch_ceiling and _torch(stack) > Version(application.torch_ceiling):
        known = f"is known to run here with torch up to {application.torch_ceiling} only"
        return f"{application.title} {known}; this stack has {_torch(stack)} ({application.source})"
    return ""


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
        asked = f"asks for torch {oldest} or newer"
        return f"{application.title} {asked}; this stack has {_torch(stack)} ({source})"
    low, high = application.python_floor, application.python_ceiling
    words = (low and f"Python {low} or newer", high and f"at most {high}")
    asked = " and ".join(each for each in words if each)
    found = ", ".join(stack.pythons)
    return f"{application.title} asks for {asked}; this stack has {found} ({source})"


def _torch(stack: Stack) -> Version:
    return _public(stack.torch)


def _public(version: str) -> Version:
    """Without the local part, such as ``+rocm5.7``."""
    return Version(Version(version).public)
