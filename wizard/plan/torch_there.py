"""The torch that is there already: it may need no more than a setting, so it is measured first."""

from __future__ import annotations

from dataclasses import dataclass

from wizard.machine.facts import Environment, Machine, Unknown
from wizard.plan.leftovers import short_path


@dataclass(frozen=True, slots=True)
class TorchThere:
    """A torch and the Python that imports it."""

    python: str
    torch: str
    """Its version."""
    build: str
    """``rocm``, ``cuda``, ``cpu`` or ``unknown``."""
    place: str
    """Where it lies, as people write it."""


def torch_there(machine: Machine) -> TorchThere | None:
    """The first torch that was built for ROCm and can be started; None where there is none."""
    return next((there for there in torches_there(machine) if there.build == "rocm"), None)


def torches_there(machine: Machine) -> tuple[TorchThere, ...]:
    """Every torch whose Python is known, those built for ROCm first."""
    found = (
        TorchThere(python, torch.version, torch.build, short_path(environment.path, machine))
        for environment in machine.environments
        if (torch := environment.torch) and (python := _python_of(environment, machine))
    )
    return tuple(sorted(found, key=lambda there: there.build != "rocm"))


def _python_of(environment: Environment, machine: Machine) -> str:
    if environment.kind in ("venv", "conda"):
        return f"{environment.path}/bin/python"
    if isinstance(environment.python, Unknown):
        return ""
    series = environment.python.split(".")[:2]
    known = (one for one in machine.interpreters if one.version.split(".")[:2] == series)
    return next((one.path for one in known), "")
