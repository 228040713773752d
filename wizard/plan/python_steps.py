"""Steps that bring a Python and make an environment of it."""

from __future__ import annotations

from wizard.advice.fit import Fit
from wizard.advice.leftovers import short_path
from wizard.core.own_files import Places
from wizard.machine.facts import Machine, Unknown
from wizard.operations.create_environment import CreateEnvironment
from wizard.operations.install_python import InstallPython
from wizard.plan.choice import Choice
from wizard.plan.steps import Step


def python_steps(
    machine: Machine, choice: Choice, held: Fit, places: Places, work: str
) -> tuple[Step, ...]:
    """An environment of the right Python, which uv may have to bring."""
    python, folder = held.python, f"{places.data}/python"
    fetched: tuple[InstallPython, ...] = ()
    if version := _version_of_uv(machine, choice, python, folder):
        fetched = (
            InstallPython(
                f"This machine has no usable Python {version}. uv can install one without root.",
                str(machine.uv),
                version,
                folder,
                choice.python_mirror,
            ),
        )
        python = fetched[0].python
    return (
        *fetched,
        CreateEnvironment(
            "The environment is one folder. Downloads go to "
            f"{short_path(places.cache, machine)} until the last step.",
            uv_of(machine),
            python,
            choice.venv,
            work,
        ),
    )


def _version_of_uv(machine: Machine, choice: Choice, python: str, folder: str) -> str:
    """Which Python uv brings, also where it did so before; ``""`` for one of the machine's own.

    The plan of a run that was cut off after that is the same as before it, and so goes on.
    """
    if python.startswith("uv:"):
        return python.removeprefix("uv:")
    if choice.python or isinstance(machine.uv, Unknown) or not python.startswith(f"{folder}/"):
        return ""
    return python.rpartition("/python")[2]


def uv_of(machine: Machine) -> str:
    """The uv that acts for a plan: it comes with this program, wherever a machine's own is."""
    return "uv" if isinstance(machine.uv, Unknown) else machine.uv


def version_brought(steps: tuple[Step, ...]) -> str:
    """The Python that uv brings in these steps, for example ``3.10``; ``""`` for none."""
    return next((step.version for step in steps if isinstance(step, InstallPython)), "")
