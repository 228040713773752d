"""What an application asks of torch and Python, held against a stack."""

from __future__ import annotations

from packaging.version import Version

from wizard.knowledge.applications import Application
from wizard.knowledge.stacks import Stack


def unmet_floor(application: Application, stack: Stack) -> str:
    """Why the application refuses this stack, ``""`` when no known floor forbids it."""
    if application.torch_floor and _torch(stack) < Version(application.torch_floor):
        asked = f"asks for torch {application.torch_floor} or newer"
        return f"{application.title} {asked}; this stack has {_torch(stack)} ({application.source})"
    if not pythons_for(application, stack):
        low, high = application.python_floor, application.python_ceiling
        asked = " and ".join(
            words
            for words in (low and f"Python {low} or newer", high and f"at most {high}")
            if words
        )
        found = ", ".join(stack.pythons)
        return (
            f"{application.title} asks for {asked}; this stack has {found} ({application.source})"
        )
    return ""


def beyond(application: Application, stack: Stack) -> str:
    """Why nobody can know: the stack's torch is newer than any the application ran with."""
    if application.torch_ceiling and _torch(stack) > Version(application.torch_ceiling):
        known = f"is known to run here with torch up to {application.torch_ceiling} only"
        return f"{application.title} {known}; this stack has {_torch(stack)} ({application.source})"
    return ""


def pythons_for(application: Application, stack: Stack) -> tuple[str, ...]:
    """The stack's Pythons that the application accepts, best first."""
    low = Version(application.python_floor or "0")
    high = Version(application.python_ceiling or "99")
    return tuple(each for each in stack.pythons if low <= Version(each) <= high)


def _torch(stack: Stack) -> Version:
    return Version(Version(stack.torch).public)
