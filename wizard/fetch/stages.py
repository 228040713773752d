"""What is fetched, for whom, from where, whereto; and the steps that fill the folder, in order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from wizard.core.trouble import Trouble
from wizard.fetch.folder import LOCK, PYTHON, WHEELS, Folder
from wizard.fetch.python_archive import bring_python, installed_python
from wizard.fetch.target import Target
from wizard.fetch.wheels import Sources, choose_stack
from wizard.knowledge.stacks import Stack, find_stack
from wizard.operations.fetch_wheels import FetchWheels
from wizard.system.lock import read_wheels
from wizard.system.system import Done, News, Stopped, System


@dataclass(frozen=True, slots=True)
class Here:
    """What the machine that fetches has."""

    pythons: Mapping[str, str]
    """Path of an interpreter that makes venvs, by minor version."""
    uv: str
    environ: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Fetch:
    """What is fetched, for whom, from where, whereto."""

    target: Target
    folder: Folder
    sources: Sources
    here: Here

    @property
    def stack(self) -> Stack:
        """The stack, as our data describes it."""
        stack = find_stack(self.target.stack)
        assert stack is not None  # noqa: S101 - a target is of a stack that is known
        return stack

    @property
    def index(self) -> str:
        """Where torch comes from."""
        return self.sources.wheelhouse or self.sources.torch_index or self.stack.index or "PyPI"


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of fetching."""

    text: str
    reason: str
    act: Callable[[System], News]


def stages(fetch: Fetch) -> tuple[Stage, ...]:
    """Every step, whatever of it was done before: each looks for itself."""
    name = fetch.target.stack
    return (
        *_bring(fetch),
        Stage(
            f"Choose the wheels of {name}",
            "uv chooses exact versions for the machines' Python and C library, from "
            f"{fetch.index}.",
            partial(_choose, fetch),
        ),
        Stage(
            f"Download the wheels of {name}",
            "An interrupted download can be resumed, and every SHA-256 is checked.",
            partial(_fetched, fetch),
        ),
        Stage(
            "Write the SHA-256 of every file",
            "SHA256SUMS is written last, so a folder without it is incomplete.",
            partial(_finish, fetch.folder),
        ),
    )


def _bring(fetch: Fetch) -> tuple[Stage, ...]:
    """The Python that the machines lack, or that chooses the wheels and is not here."""
    target, work = fetch.target, fetch.folder.work
    if target.brings_python:
        mirror = fetch.folder.path / PYTHON
        reason = "The machines that this folder is for have no suitable Python."
    elif target.python not in fetch.here.pythons:
        mirror = work / "mirror"
        reason = (
            "Choosing the wheels requires the target machines' Python version, which this machine "
            "does not have."
        )
    else:
        return ()
    act = partial(
        bring_python, fetch.here.uv, target.python, target.architecture, mirror, work / "python"
    )
    return (Stage(f"Download Python {target.python} for uv", reason, act),)


async def _choose(fetch: Fetch, system: System) -> News:
    minor, work = fetch.target.python, fetch.folder.work
    brought = installed_python(work / "python", minor)
    python = fetch.here.pythons.get(minor) or str(brought or "")
    choosing = choose_stack(work, fetch.here.uv, python, fetch.target, fetch.sources, system)
    async with aclosing(choosing) as news:
        async for each in news:
            yield each


async def _fetched(fetch: Fetch, system: System) -> News:
    folder = fetch.folder
    chosen, staging = folder.work / "lock.json", folder.path / WHEELS
    step = FetchWheels("", str(chosen), str(staging), str(folder.path / LOCK), fetch.stack.hashes)
    async with aclosing(step.do(system, {})) as news:
        async for each in news:
            yield each
    yield Done(await asyncio.to_thread(_only_chosen, folder, chosen, staging))


def _only_chosen(folder: Folder, lock: Path, staging: Path) -> str:
    """Remove what an earlier choice left; raises Trouble for what nobody of us put there."""
    chosen = {wheel.file for wheel in read_wheels(lock)}
    ours = {name.rpartition("/")[2] for name in folder.sums()}
    for path in staging.iterdir():
        if path.name in chosen:
            continue
        if path.name in ours or path.name.endswith((".whl.part", ".whl.json")):
            path.unlink()
            continue
        raise Trouble(
            f"{path} is not one of the wheels that were chosen.",
            "The file would be copied to every machine, and could be installed there.",
            "Move that file out of the way, then run the same command again.",
        )
    return f"{len(chosen)} wheels; every SHA-256 matches"


async def _finish(folder: Folder, system: System) -> News:
    count = await asyncio.to_thread(folder.finish, system.cancelled)
    if system.cancelled():
        raise Stopped
    yield Done(f"{count} files")
