"""What a folder is fetched for: a stack on a kind of machine, and the Pythons that it takes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from wizard.knowledge.stacks import find_stack
from wizard.machine.facts import Fact, Interpreter, Machine, Unknown
from wizard.places import Places
from wizard.plan.choice import Choice
from wizard.plan.impossible import PlanImpossible
from wizard.plan.planner import make_plan
from wizard.plan.python_steps import version_brought
from wizard.plan.steps import CreateVenv, Plan
from wizard.plan.venv import target as gfx_of

UV = "uv of the folder"
"""Stands for the uv that the folder brings, where a machine has none."""
WIZARD_PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
"""What the wizard itself runs on."""


@dataclass(frozen=True, slots=True)
class Target:
    """The machines that a folder is for, as far as it matters to what lies in it."""

    stack: str
    gfx: str
    """The card's instruction set, for wheels that are made for one; ``""`` for none."""
    machine: str
    """Name of the recorded machine; ``""`` for the machine that fetched."""
    distribution: str
    release: str
    architecture: str
    glibc: str
    python: str
    """Minor version that the stack gets, for example ``3.10``."""
    python_path: str
    """Where the machine has it; ``""`` where the folder brings it."""
    wizard_python: str
    wizard_python_path: str

    @property
    def brought(self) -> tuple[str, ...]:
        """Pythons that the folder brings."""
        pairs = (
            (self.python, self.python_path),
            (self.wizard_python, self.wizard_python_path),
        )
        return tuple(dict.fromkeys(minor for minor, path in pairs if not path))

    @property
    def minors(self) -> tuple[str, ...]:
        """Pythons for which wheels are chosen."""
        return tuple(dict.fromkeys((self.python, self.wizard_python)))

    def __str__(self) -> str:
        where = " ".join(filter(None, (self.distribution, self.release, self.architecture)))
        return f"{self.stack} on {where}, Python {self.python}"


def target_of(machine: Machine, choice: Choice, places: Places) -> Target:
    """What the stack takes on that machine. Raises PlanImpossible."""
    stack = find_stack(choice.stack)
    if isinstance(machine.uv, Unknown):
        machine = replace(machine, uv=UV)  # the folder brings it
    plan = make_plan(machine, choice, places)
    assert stack is not None  # noqa: S101 - else there is no plan
    minor, path = _python_of(plan, machine.interpreters)
    known = _known(machine)
    wizard, wizard_path = _wizard_python(machine.interpreters) or _brought_wizard(minor, path)
    return Target(
        stack=stack.id,
        gfx=gfx_of(machine, choice, stack) if stack.gfx else "",
        machine=machine.recorded,
        distribution=known["distribution"],
        release=known["release"],
        architecture=known["architecture"],
        glibc=known["glibc"],
        python=minor,
        python_path=path,
        wizard_python=wizard,
        wizard_python_path=wizard_path,
    )


def _python_of(plan: Plan, interpreters: tuple[Interpreter, ...]) -> tuple[str, str]:
    """The version that the plan's venv is made of, and where it lies; ``""`` where uv brings it."""
    python = next(step.python for step in plan.steps if isinstance(step, CreateVenv))
    if brought := version_brought(plan.steps):
        return brought, ""
    return next(_minor(each) for each in interpreters if each.path == python), python


def _wizard_python(interpreters: tuple[Interpreter, ...]) -> tuple[str, str] | None:
    """The machine's own Python that the wizard runs on; uv makes venvs without ensurepip."""
    fitting = [each for each in interpreters if _minor(each) in WIZARD_PYTHONS]
    system = [each for each in fitting if each.path.startswith("/usr/bin/")]
    return next(((_minor(each), each.path) for each in (*system, *fitting)), None)


def _brought_wizard(stack_python: str, path: str) -> tuple[str, str]:
    return (stack_python if stack_python in WIZARD_PYTHONS and not path else "3.12", "")


def _minor(interpreter: Interpreter) -> str:
    return ".".join(interpreter.version.split(".")[:2])


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
                    f"The {name} of that machine is not known ({why}): without it nobody can say "
                    "which wheels run there."
                )
            fact = ""
        found[name] = fact
    return found
