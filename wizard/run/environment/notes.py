"""What the journal notes around a step: what was there before, and what is ours after it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from wizard.host.prints import Print, listing, prints
from wizard.host.venv_layout import made_with_venv, site_packages
from wizard.plan.existing_steps import ResolveCarried, SetAsidePackages, changes_existing
from wizard.plan.steps import (
    ClearExecutableStack,
    CreateVenv,
    DropDownloads,
    PinInstalled,
    Plan,
    RunProgram,
    Step,
    WriteFile,
)


def notes_before(step: Step, plan: Plan) -> dict[str, Any]:
    """What the journal must know before the step acts, so that undo can tell ours from theirs."""
    noted: dict[str, Any] = {"kind": type(step).__name__}
    if isinstance(step, CreateVenv):
        there = listing(Path(plan.venv))
        noted["before"] = sorted(there.files)
        noted["folders_before"] = sorted(there.folders)
        noted["made_folders"] = [str(path) for path in _folders(plan) if not path.exists()]
    if changes_existing(plan) and step == plan.steps[0]:
        noted["made_folders"] = [str(path) for path in _folders(plan) if not path.exists()]
    if isinstance(step, SetAsidePackages):
        noted["real"] = os.path.realpath(step.root)  # a link may lead elsewhere by the way back
    if isinstance(step, SetAsidePackages) and step.root == plan.venv:
        noted["folders_before"] = sorted(listing(Path(plan.venv)).folders)
    return noted


def _folders(plan: Plan) -> tuple[Path, ...]:
    """Folders that the plan needs, each with its parents, deepest first."""
    wanted = [Path(plan.venv)]
    wanted += [Path(step.folder).parent for step in plan.steps if isinstance(step, DropDownloads)]
    every = {folder for path in wanted for folder in (path, *path.parents)}
    return tuple(sorted(every, key=lambda folder: (len(folder.parts), str(folder)), reverse=True))


def made_by(step: Step, plan: Plan) -> dict[str, Print]:
    """Files below the venv that are there because this step ran."""
    venv = Path(plan.venv)
    match step:
        case CreateVenv() | RunProgram():
            return {} if changes_existing(plan) else made_with_venv(venv, ())
        case ResolveCarried():
            return prints(venv, (Path(step.told),))
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
