"""Which Python a stack gets on this machine."""

from __future__ import annotations

from wizard.knowledge.applications import Application
from wizard.knowledge.stacks import Stack
from wizard.machine.facts import Machine, Unknown
from wizard.plan.floors import pythons_for
from wizard.plan.obstacle import Obstacle


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
    asked = f"{application.title} asks for Python {', '.join(accepted)}"
    return f"{asked}; here it would get {minor}: bring {accepted[0]} with its venv, or uv"


def python_need(python: str) -> str:
    """What has to be fetched for that choice, ``""`` when it is there."""
    version = python.removeprefix("uv:")
    return f"Python {version}, which uv brings without root" if python.startswith("uv:") else ""


def python_obstacle(machine: Machine, stack: Stack, python: str) -> Obstacle | None:
    """Why there is no Python for the stack, and what would mend that; None when there is one."""
    if python:
        return None
    bare = [i for i in machine.interpreters if _minor(i.version) in stack.pythons]
    if bare:
        package = f"python{_minor(bare[0].version)}-venv"
        return Obstacle(f"{bare[0].path} cannot make a venv", f"install {package}, or uv")
    wanted = ", ".join(stack.pythons)
    why = f"it needs Python {wanted}, and none was found, nor a uv that would bring one"
    return Obstacle(why, f"install Python {stack.pythons[0]} with its venv, or uv")


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
