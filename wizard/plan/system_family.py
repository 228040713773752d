"""Whether packages of a system are apt's, which is all that this program can work with."""

from __future__ import annotations

from wizard.knowledge.releases import load_catalogue
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
            f"This is {machine.system.distribution}, which does not use apt as far as this "
            "program knows. System packages can only be installed and removed on Debian, Ubuntu "
            "and systems based on them. The footprint venv needs no system packages."
        )
