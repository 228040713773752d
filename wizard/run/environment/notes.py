"""What the journal notes around a step: what was there before, and what is ours after it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from wizard.host.environment import site_packages
from wizard.host.files import Print, listing, prints
from wizard.plan.existing_steps import SetAsidePackages
from wizard.plan.steps import (
    ClearExecutableStack,
    PinInstalled,
    Plan,
    Step,
    WriteFile,
)


def notes_before(step: Step, plan: Plan) -> dict[str, Any]:
    """What the journal must know before the step acts, so that undo can tell ours from theirs."""
    noted: dict[str, Any] = {"kind": type(step).__name__}
    if isinstance(step, SetAsidePackages):
        noted["real"] = os.path.realpath(step.root)  # a link may lead elsewhere by the way back
    if isinstance(step, SetAsidePackages) and step.root == plan.venv:
        noted["folders_before"] = sorted(listing(Path(plan.venv)).folders)
    return noted


def made_by(step: Step, plan: Plan) -> dict[str, Print]:
    """Files below the venv that are there because this step ran."""
    venv = Path(plan.venv)
    match step:
        case WriteFile() | PinInstalled():
            return prints(venv, (Path(step.path),))
        case ClearExecutableStack():
            return prints(venv, torch_libraries(step))
        case _:
            return {}


def torch_libraries(step: ClearExecutableStack) -> tuple[Path, ...]:
    """The libraries of the step, wherever site-packages is."""
    return tuple(
        packages / "torch" / "lib" / name
        for packages in site_packages(Path(step.venv), step.site)
        for name in step.libraries
    )
