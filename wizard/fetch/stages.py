"""What is fetched, for whom, from where, whereto; and the steps that fill the folder, in order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from wizard.core.trouble import Trouble
from wizard.fetch.folder import LOCK, PYTHON, WHEELS, Folder
from wizard.fetch.python_archive import bring_python, installed_python
from wizard.fetch.target import Target
from wizard.fetch.wheels import Sources, choose_stack, make_chooser
from wizard.knowledge.stacks import Stack, find_stack
from wizard.plan.steps import FetchWheels
from wizard.run.pip_report import fetch_reported, read_report
from wizard.system.system import Act, Done, Stopped, System


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
    act: Callable[[System], Act]


def stages(fetch: Fetch) -> tuple[Stage, ...]:
    """Every step, whatever of it was done before: each looks for itself."""
    name, python = fetch.target.stack, fetch.target.python
    report, venv = fetch.folder.work / "stack.json", fetch.folder.work / f"pip-{python}"
    return (
        *_bring(fetch),
        Stage(
            f"Set up a pip for Python {python}",
            "This pip chooses the wheels. It is deleted when the folder is complete.",
            partial(_make_chooser, fetch, venv),
        ),
        Stage(
            f"Choose the wheels of {name}",
            "pip chooses exact versions for the machines' Python and C library, from "
            f"{fetch.index}.",
            partial(choose_stack, report, venv, fetch.target, fetch.sources),
        ),
        Stage(
            f"Download the wheels of {name}",
            "An interrupted download can be resumed, and every SHA-256 is checked.",
            partial(_fetched, fetch, report),
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


async def _make_chooser(fetch: Fetch, venv: Path, system: System) -> Act:
    minor = fetch.target.python
    brought = installed_python(fetch.folder.work / "python", minor)
    python = fetch.here.pythons.get(minor) or str(brought or "")
    async for each in make_chooser(python, venv, fetch.sources, system):
        yield each


async def _fetched(fetch: Fetch, report: Path, system: System) -> Act:
    folder = fetch.folder
    staging, lock = folder.path / WHEELS, folder.path / LOCK
    step = FetchWheels("", str(report), str(staging), str(lock), "", fetch.stack.hashes)
    news = fetch_reported(
        step, cancelled=system.cancelled, environ=system.environ, indexes=system.indexes
    )
    while (each := await asyncio.to_thread(next, news, None)) is not None:
        yield each
    if system.cancelled():
        raise Stopped
    yield Done(await asyncio.to_thread(_only_chosen, folder, report, staging))


def _only_chosen(folder: Folder, report: Path, staging: Path) -> str:
    """Remove what an earlier choice left; raises Trouble for what nobody of us put there."""
    chosen = {wheel.file for wheel in read_report(report)}
    ours = {name.rpartition("/")[2] for name in folder.sums()}
    for path in staging.iterdir():
        if path.name in chosen:
            continue
        if path.name in ours or path.name.endswith((".whl.part", ".whl.json")):
            path.unlink()
            continue
        raise Trouble(
            f"{path} is not one of the wheels that pip chose.",
            "The file would be copied to every machine, and could be installed there.",
            "Move that file out of the way, then run the same command again.",
        )
    return f"{len(chosen)} wheels; every SHA-256 matches"


async def _finish(folder: Folder, system: System) -> Act:
    count = await asyncio.to_thread(folder.finish, system.cancelled)
    if system.cancelled():
        raise Stopped
    yield Done(f"{count} files")
