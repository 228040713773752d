"""Where a run stands: which steps are done, and what an interrupted one left."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from wizard.core.trouble import Trouble
from wizard.host.files import has_text
from wizard.journalform import Record
from wizard.operations.operation import Operation
from wizard.plan.environment import adds_settings_alone
from wizard.plan.existing_steps import SetAsidePackages
from wizard.plan.steps import (
    USER_EDITS,
    ClearExecutableStack,
    DropDownloads,
    FetchWheels,
    InstallWheels,
    PinInstalled,
    Plan,
    Resolve,
    RunProgram,
    Step,
    WriteFile,
)
from wizard.run.environment import execstack
from wizard.run.environment.backup import Backup
from wizard.run.environment.notes import torch_libraries
from wizard.run.environment.ownership import Owned
from wizard.run.root_part import is_root_step

OF_PIP = re.compile(r"bin/pip[\d.]*|lib/python[\d.]+/site-packages/(pip|~)[^/]*/.*")
"""What a pip that replaces itself writes and removes."""
OF_SETUPTOOLS = re.compile(
    r"lib/python[\d.]+/site-packages/(setuptools|pkg_resources|_distutils_hack)[^/]*/.*"
)
"""What a setuptools that replaces another writes and removes."""


def done_steps(plan: Plan, record: Record) -> frozenset[int]:
    """Numbers of the steps whose outcome was noted and still holds."""
    steps = dict(enumerate(plan.steps, 1))
    noted = {n: step for n, step in steps.items() if n in record.outcomes}
    done = {n for n, step in noted.items() if _is_done(n, step, record)}
    if not any(isinstance(steps[n], InstallWheels) for n in done):
        # What is fetched anew must be dropped anew.
        done -= {n for n, step in steps.items() if isinstance(step, DropDownloads)}
    else:
        done |= {n for n, step in steps.items() if isinstance(step, (FetchWheels, Resolve))}
    return frozenset(done)


def _changes_system(step: Step) -> bool:
    # A later step may have changed the same thing on purpose: with an outcome, it is done. What
    # has none is looked at by who acts, before acting.
    return is_root_step(step) or isinstance(step, USER_EDITS)


def _is_done(number: int, step: Step, record: Record) -> bool:
    if isinstance(step, InstallWheels):  # its lock goes with the downloads
        return _stands(Path(step.venv), Owned(Path(record.folder)).read())
    if isinstance(step, Operation):
        return _is_proved(step, record.intents.get(number, {}))
    return _changes_system(step) or _holds(step, record)


def _holds(step: Step, record: Record) -> bool:
    match step:
        case RunProgram():
            return all(Path(path).exists() for path in step.creates)
        case WriteFile():
            return has_text(Path(step.path), step.content) or _was_added_to(step)
        case PinInstalled():
            return Path(step.path).is_file()
        case ClearExecutableStack():
            return not any(_may_ask(lib) for lib in torch_libraries(step) if lib.is_file())
        case DropDownloads():
            return not Path(step.folder).exists()
        case _:
            # Checks are cheap and worth repeating.
            return isinstance(step, SetAsidePackages) and _is_aside(step, record)


def _stands(venv: Path, noted: Iterable[str]) -> bool:
    """True where all that is ours is there, but for what gave way to a newer release of its own."""
    there, gone = set[str](), set[str]()
    for path in noted:
        (there if (venv / path).exists() else gone).add(path)
    newer = any(OF_SETUPTOOLS.fullmatch(p) and p.endswith(".dist-info/RECORD") for p in there)
    return all(OF_PIP.fullmatch(p) or (newer and OF_SETUPTOOLS.fullmatch(p)) for p in gone)


def _is_proved(step: Operation, before: Mapping[str, Any]) -> bool:
    try:
        step.verify(before)
    except (Trouble, OSError):
        return False
    return True


def _was_added_to(step: WriteFile) -> bool:
    """True where a setting was kept since: written anew, the file would lose it."""
    try:
        return adds_settings_alone(Path(step.path).read_text("utf-8"), step.content)
    except (OSError, UnicodeDecodeError):
        return False


def _is_aside(step: SetAsidePackages, record: Record) -> bool:
    if any(record.plan["steps"][n - 1]["kind"] == "InstallWheels" for n in record.intents):
        return True  # what stands there now is no first state: moving it would only mix two
    aside = Backup(Path(step.root), Path(step.backup))
    return aside.manifest.exists() and all(map(aside.is_kept, aside.things()))


def _may_ask(library: Path) -> bool:
    try:
        return execstack.asks_for_executable_stack(library)
    except (OSError, ValueError):
        return True  # the step itself will look again, and say what is wrong
