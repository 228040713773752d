"""How much a plan would fetch: pip itself decides, in a venv beside that is thrown away again."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event

from wizard.core.trouble import Trouble, as_trouble
from wizard.plan.steps import CreateVenv, Plan, RunProgram, Step
from wizard.run.act import act
from wizard.run.pip_report import read_report
from wizard.run.preflight_folder import made
from wizard.system.downloads import size_on_servers
from wizard.system.system import System
from wizard.system.web import open_web

DEADLINE_S = 120.0
"""Nobody waits longer for a size; pip decides on torch and all that it takes in well below it."""
IMPATIENT = (("PIP_RETRIES", "1"), ("PIP_TIMEOUT", "10"))
"""A server that does not answer is not worth the deadline."""
NO_NEW_PIP = "/python3.8"
REPORT = "report.json"

NOT_BEFORE = "it is known only after the versions are chosen."
BRINGS_PYTHON = "the Python that this plan installs is not installed yet."
WHOLE_WHEELS = "pip for Python 3.8 would have to download every wheel to find out."
TOO_LATE = f"pip did not choose versions within {DEADLINE_S:.0f} seconds."
NOT_TOLD = "not every server reports the size of its wheels."


@dataclass(frozen=True, slots=True)
class WheelsSize:
    """What pip would fetch, or why that is not known."""

    wheels: int = 0
    bytes: int | None = None
    """Of all wheels that are not on this machine yet; None where it is not known."""
    because: str = ""
    """Why it is not known."""


async def wheels_size(
    plan: Plan, environ: Mapping[str, str], folder: Path, deadline_s: float = DEADLINE_S
) -> WheelsSize:
    """Let pip decide as the plan will, and ask the servers for sizes; fetches no wheel.

    In ``folder``, where nothing of it is left.
    """
    makes = next((step for step in plan.steps if isinstance(step, CreateVenv)), None)
    runs = [step for step in plan.steps if isinstance(step, RunProgram)]
    decides = [step for step in runs if "--report" in step.argv]
    if makes is None or not decides:
        return WheelsSize(because=NOT_BEFORE)
    if makes.python.endswith(NO_NEW_PIP):
        return WheelsSize(because=WHOLE_WHEELS)
    if not os.access(makes.python, os.X_OK):
        return WheelsSize(because=BRINGS_PYTHON)
    programs = (*(step for step in runs if "--upgrade" in step.argv), *decides)
    try:
        with made(folder), TemporaryDirectory(prefix="size-", dir=folder) as name:
            work = Path(name)
            venv = replace(makes, venv=str(work / "venv"))
            steps: tuple[Step, ...] = (venv, *(_moved(step, plan.venv, work) for step in programs))
            return await asyncio.wait_for(_asked(steps, environ, work), deadline_s)
    except asyncio.TimeoutError:
        return WheelsSize(because=TOO_LATE)
    except (Trouble, OSError) as error:
        return WheelsSize(because=as_trouble(error).happened)


def _moved(step: RunProgram, venv: str, folder: Path) -> RunProgram:
    """The step with its Python in the folder's venv, and its report in the folder.

    Without a second way: that one fetches every wheel whole.
    """
    own = step.argv[0].replace(venv, str(folder / "venv"), 1)
    argv = (own, *step.argv[1:])
    if "--report" in argv:
        place = argv.index("--report") + 1
        argv = (*argv[:place], str(folder / REPORT), *argv[place + 1 :])
    return replace(
        step,
        argv=argv,
        creates=(),
        otherwise=(),
        folder="",
        environment=(*step.environment, *IMPATIENT),
    )


async def _asked(steps: tuple[Step, ...], environ: Mapping[str, str], folder: Path) -> WheelsSize:
    system = System(environ, str(folder), lambda: False)
    for step in steps:
        async with aclosing(act(step, system)) as news:
            async for _ in news:
                pass
    left = Event()
    try:
        return await asyncio.to_thread(_added_up, steps, environ, folder, left)
    finally:
        left.set()


def _added_up(
    steps: tuple[Step, ...], environ: Mapping[str, str], folder: Path, left: Event
) -> WheelsSize:
    words = (word for step in steps if isinstance(step, RunProgram) for word in step.argv)
    web = open_web(environ, tuple(word for word in words if "://" in word))
    wheels = read_report(folder / REPORT)
    size = size_on_servers(wheels, web, left.is_set)
    return WheelsSize(len(wheels), size, NOT_TOLD if size is None else "")
