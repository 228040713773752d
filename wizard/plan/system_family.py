"""Whether packages of a system are apt's, which is all that this program can work with."""

from __future__ import annotations

from wizard.knowledge.stacks import load_catalogue
from wizard.machine.facts import Machine
from wizard.plan.impossible import PlanImpossible


def uses_apt(machine: Machine) -> bool:
    """False on a system that is known to install its packages otherwise."""
    name = machine.system.distribution
    return not isinstance(name, str) or name in load_catalogue().distributions


def require_apt(machine: Machine) -> None:
    """Raise PlanImpossible on such a system."""
    if not uses_apt(machine):
        raise PlanImpossible(
            f"As far as this program knows, {machine.system.distribution} does not use apt. "
            "System packages can be installed and removed only on Debian, Ubuntu and systems "
            "based on them. --footprint venv needs no system packages."
        )
