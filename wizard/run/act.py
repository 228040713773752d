"""How each kind of step is carried out on this machine, and how its outcome is verified."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from wizard.core.trouble import Trouble
from wizard.plan.existing_steps import SetAsidePackages
from wizard.plan.steps import (
    CheckTorch,
    ClearExecutableStack,
    DropDownloads,
    PinInstalled,
    RunProgram,
    Step,
    WriteFile,
)
from wizard.plan.user_files import PutLinesBack, TakeLinesOut
from wizard.run.environment.own_files import (
    clear_stack,
    drop_downloads,
    pin_installed,
    write_settings,
)
from wizard.run.environment.setting_aside import set_packages_aside
from wizard.run.environment.torch_check import check_torch
from wizard.run.root_part import is_root_step
from wizard.run.shell_lines import edit_lines
from wizard.system.system import Act, Done, System


def act(step: Step, system: System) -> Act:
    """Carry one step out; ends with Done, or raises Trouble."""
    match step:
        case RunProgram():
            return _run_program(step, system)
        case CheckTorch():
            return check_torch(step, system)
        case WriteFile():
            return _at_once(lambda: write_settings(Path(step.path), step.content, step.mode))
        case PinInstalled():
            return _at_once(lambda: pin_installed(step))
        case ClearExecutableStack():
            return _at_once(lambda: clear_stack(step))
        case DropDownloads():
            return _at_once(lambda: drop_downloads(step))
        case _:
            return _act_on_existing(step, system)


def _act_on_existing(step: Step, system: System) -> Act:
    match step:
        case SetAsidePackages():
            return set_packages_aside(step, system)
        case TakeLinesOut() | PutLinesBack():
            return _at_once(lambda: edit_lines(step))
        case _ if system.as_root is not None and is_root_step(step):
            return system.as_root()
        case _:
            raise Trouble(
                f"This version of rdna1-setup cannot carry out this step: {step}",
                "This version does not recognize this kind of step.",
                "Please report this problem, and attach the plan.",
            )


async def _run_program(step: RunProgram, system: System) -> Act:
    async for output in system.run(step.argv, system.environment(), step.deadline_s):
        yield output
    if missing := _missing(step.creates):
        raise Trouble(
            f"The program succeeded, but did not create {', '.join(missing)}.",
            "The program reported success, but it did not do its job.",
            "Read the log above, then run the same command again.",
        )
    yield Done("done" if not step.creates else f"{', '.join(step.creates)} exists")


def _missing(paths: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(path for path in paths if not Path(path).exists())


async def _at_once(action: Callable[[], str]) -> Act:
    yield Done(await asyncio.to_thread(action))
