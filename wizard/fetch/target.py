"""What a folder is fetched for: a stack on a kind of machine, and the Python that it gets."""

from __future__ import annotations

from dataclasses import dataclass, replace

from wizard.knowledge.stacks import find_stack
from wizard.machine.facts import Fact, Machine, Unknown
from wizard.places import Places
from wizard.plan.choice import Choice
from wizard.plan.impossible import PlanImpossible
from wizard.plan.planner import make_plan
from wizard.plan.python_steps import version_brought
from wizard.plan.venv import target as gfx_of
from wizard.plan.wheel_index import python_of

UV = "uv"
"""Stands for the uv of a machine that has none yet: it is installed together with this program."""


@dataclass(frozen=True, slots=True)
class Target:
    """The machines that a folder is for, as far as it matters to what lies in it."""

    stack: str
    gfx: str
    """The card's instruction set, for wheels that are made for one; ``""`` for none."""
    distribution: str
    release: str
    architecture: str
    glibc: str
    python: str
    """Minor version that the stack gets, for example ``3.10``."""
    brings_python: bool
    """True where the machine has none of that version that makes venvs."""

    def __str__(self) -> str:
        where = " ".join(filter(None, (self.distribution, self.release, self.architecture)))
        return f"{self.stack} on {where}, Python {self.python}"


def target_of(machine: Machine, choice: Choice, places: Places) -> Target:
    """What the stack takes on that machine. Raises PlanImpossible."""
    stack = find_stack(choice.stack)
    if isinstance(machine.uv, Unknown):
        machine = replace(machine, uv=UV)
    plan = make_plan(machine, choice, places)
    assert stack is not None  # noqa: S101 - else there is no plan
    known, brought = _known(machine), version_brought(plan.steps)
    return Target(
        stack=stack.id,
        gfx=gfx_of(machine, choice, stack) if stack.gfx else "",
        distribution=known["distribution"],
        release=known["release"],
        architecture=known["architecture"],
        glibc=known["glibc"],
        python=brought or python_of(plan, machine.interpreters),
        brings_python=bool(brought),
    )


def _known(machine: Machine) -> dict[str, str]:
    """What must be known to choose wheels. Raises PlanImpossible."""
    system = machine.system
    facts: dict[str, Fact[str]] = {
        "distribution": system.distribution,
        "release": system.release,
        "architecture": system.architecture,
        "glibc": system.glibc,
    }
    found: dict[str, str] = {}
    for name, fact in facts.items():
        if isinstance(fact, Unknown) or not fact:
            if name in ("architecture", "glibc"):
                why = fact.because if isinstance(fact, Unknown) else "it is not recorded"
                raise PlanImpossible(
                    f"The {name} of the target machine is not known ({why}), so the right wheels "
                    "cannot be chosen."
                )
            fact = ""
        found[name] = fact
    return found
