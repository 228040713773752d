"""Which wheels: uv decides, with a Python of the machines' own version, for their C library."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path

from wizard.core.events import Output
from wizard.core.sizes import counted
from wizard.fetch.target import Target
from wizard.host.live import LiveHost
from wizard.host.pip_settings import PipSettings, pip_settings
from wizard.knowledge.stacks import find_stack
from wizard.operations.resolve import Resolve, ask_target, choose
from wizard.operations.uv_project import Wishes
from wizard.plan.venv import AS_PYTHON_BRINGS, stack_wishes
from wizard.system.lock import write_wheels
from wizard.system.system import Done, News, System


@dataclass(frozen=True, slots=True)
class Sources:
    """Where wheels are taken from, as ``plan`` takes them."""

    torch_index: str = ""
    wheelhouse: str = ""


async def choose_stack(
    work: Path, uv: str, python: str, target: Target, sources: Sources, system: System
) -> News:
    """Choose the wheels of the stack, and what a new environment holds besides, once: a second
    choice could be another one."""
    step = Resolve("", uv, python, str(work), wishes_of(target, sources))
    lock = Path(step.lock)
    if await asyncio.to_thread(lock.is_file):
        yield Done("already chosen")
        return
    here = await ask_target(system, python)
    there = replace(here, glibc=target.glibc, machine=target.architecture)
    own = LiveHost(system.environ)
    settings = PipSettings() if sources.wheelhouse else pip_settings(own)
    async with aclosing(choose(step, step.wishes, settings, there, system)) as news:
        async for each in news:
            if isinstance(each, Output):
                yield each
            else:
                write_wheels(lock, each)
                yield Done(f"{counted(len(each), 'wheel')} chosen")


def wishes_of(target: Target, sources: Sources) -> Wishes:
    """What the stack asks for on that machine."""
    stack = find_stack(target.stack)
    assert stack is not None  # noqa: S101 - a target is of a stack that is known
    index, house = sources.torch_index, sources.wheelhouse
    return stack_wishes(stack, target.gfx, index, house, AS_PYTHON_BRINGS)
