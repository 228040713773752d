"""How much a plan would fetch: uv decides as the plan will, in a folder that is thrown away."""

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
from wizard.operations.create_environment import CreateEnvironment
from wizard.operations.resolve import Resolve
from wizard.plan.steps import Plan
from wizard.run.preflight_folder import made
from wizard.system.downloads import size_on_servers
from wizard.system.lock import read_wheels
from wizard.system.system import System
from wizard.system.web import open_web

DEADLINE_S = 120.0
"""Nobody waits longer for a size; uv decides on torch and all that it takes in well below it."""
IMPATIENT = {"PIP_RETRIES": "1", "PIP_TIMEOUT": "10"}
"""A server that does not answer is not worth the deadline."""

NOT_BEFORE = "it is known only after the versions are chosen."
BRINGS_PYTHON = "the Python that this plan installs is not installed yet."
TOO_LATE = f"uv did not choose versions within {DEADLINE_S:.0f} seconds."
NOT_TOLD = "not every server reports the size of its wheels."


@dataclass(frozen=True, slots=True)
class WheelsSize:
    """What would be fetched, or why that is not known."""

    wheels: int = 0
    bytes: int | None = None
    """Of all wheels that are not on this machine yet; None where it is not known."""
    because: str = ""
    """Why it is not known."""


async def wheels_size(
    plan: Plan, environ: Mapping[str, str], folder: Path, deadline_s: float = DEADLINE_S
) -> WheelsSize:
    """Let uv decide as the plan will, and ask the servers for sizes; fetches no wheel.

    In ``folder``, where nothing of it is left.
    """
    makes = next((step for step in plan.steps if isinstance(step, CreateEnvironment)), None)
    resolve = plan.resolve
    if resolve is None:
        return WheelsSize(because=NOT_BEFORE)
    python = makes.python if makes else resolve.python
    if not os.access(python, os.X_OK):
        return WheelsSize(because=BRINGS_PYTHON)
    try:
        with made(folder), TemporaryDirectory(prefix="size-", dir=folder) as work:
            told = f"{work}/told" if resolve.told else ""
            step = replace(resolve, python=python, work=work, told=told)
            return await asyncio.wait_for(_asked(step, {**environ, **IMPATIENT}), deadline_s)
    except asyncio.TimeoutError:
        return WheelsSize(because=TOO_LATE)
    except (Trouble, OSError) as error:
        return WheelsSize(because=as_trouble(error).happened)


async def _asked(step: Resolve, environ: Mapping[str, str]) -> WheelsSize:
    system = System(environ, step.work, lambda: False)
    async with aclosing(step.do(system, {})) as news:
        async for _ in news:
            pass
    left = Event()
    try:
        return await asyncio.to_thread(_added_up, step, environ, left)
    finally:
        left.set()


def _added_up(step: Resolve, environ: Mapping[str, str], left: Event) -> WheelsSize:
    wheels = read_wheels(Path(step.lock))
    web = open_web(environ, (step.manifest.index,) if step.manifest.index else ())
    size = size_on_servers(wheels, web, left.is_set)
    return WheelsSize(len(wheels), size, NOT_TOLD if size is None else "")
