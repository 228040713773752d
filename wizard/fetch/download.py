"""What is fetched, for whom and from where, and the steps that fill the folder, in order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic

from wizard.core.events import (
    Done,
    Event,
    Output,
    PlanFinished,
    StepFailed,
    StepFinished,
    StepStarted,
)
from wizard.core.trouble import Trouble
from wizard.fetch.folder import (
    LOCK,
    PYTHON,
    WHEELS,
    Folder,
    Sources,
    Target,
    choose_stack,
    in_words,
)
from wizard.fetch.python_archive import bring_python, installed_python
from wizard.knowledge.stacks import Stack, find_stack
from wizard.operations.fetch_wheels import FetchWheels
from wizard.run.lock import only_one
from wizard.system.lock import read_wheels
from wizard.system.system import News, Stopped, System


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


class Filling:
    """Fills one folder for one target."""

    def __init__(self, fetch: Fetch) -> None:
        self._fetch = fetch
        self._cancelled = False

    def cancel(self) -> None:
        """Stop at the next safe point: between two steps, or inside a download."""
        self._cancelled = True

    async def events(self) -> AsyncGenerator[Event, None]:
        """Events until PlanFinished; a folder that is whole already is only looked through."""
        folder = self._fetch.folder
        try:
            if await asyncio.to_thread(self._is_whole):
                yield Output((f"{folder.path} is complete: every SHA-256 matches.",))
                yield _ending(ok=True, changed=False)
                return
            if self._cancelled:  # it may be whole, and nobody has seen all of it
                yield _ending(ok=False, changed=False, cancelled=True)
                return
            await asyncio.to_thread(folder.begin, self._fetch.target)
            with only_one(folder.work):
                folder.reopen()
                async with aclosing(self._each()) as events:
                    async for event in events:
                        yield event
        except (Trouble, OSError) as error:
            yield _failed(0, in_words(error, folder.path))
            yield _ending(ok=False, changed=False)

    def _is_whole(self) -> bool:
        folder = self._fetch.folder
        folder.require_for(self._fetch.target)
        return folder.finished and not folder.wrong(lambda: self._cancelled)

    async def _each(self) -> AsyncGenerator[Event, None]:
        every, system = stages(self._fetch), self._system()
        for number, stage in enumerate(every, 1):
            if self._cancelled:
                break
            yield StepStarted(number, len(every), stage.text, stage.reason)
            try:
                async with aclosing(_one(number, stage, system)) as events:
                    async for event in events:
                        yield event
            except Stopped:
                break
            except (Trouble, OSError) as error:
                missing = "; ".join(each.text for each in every[number - 1 :])
                yield _failed(number, in_words(error, self._fetch.folder.path), missing)
                yield _ending(ok=False, changed=True)
                return
        yield _ending(ok=not self._cancelled, changed=True, cancelled=self._cancelled)

    def _system(self) -> System:
        scratch = self._fetch.folder.work / "tmp"
        scratch.mkdir(exist_ok=True)
        known = (self._fetch.sources.torch_index, self._fetch.stack.index)
        indexes = tuple(address for address in known if "://" in address)
        return System(self._fetch.here.environ, str(scratch), lambda: self._cancelled, indexes)


async def _one(number: int, stage: Stage, system: System) -> AsyncGenerator[Event, None]:
    began, outcome = monotonic(), ""
    async with aclosing(stage.act(system)) as acting:
        async for item in acting:
            if isinstance(item, Done):
                outcome = item.outcome
            else:
                yield item
    yield StepFinished(number, monotonic() - began, False, outcome)


def _failed(number: int, trouble: Trouble, missing: str = "") -> StepFailed:
    lacks = f" The folder is incomplete. Remaining steps: {missing}." if missing else ""
    meaning = f"{trouble.meaning}{lacks}"
    return StepFailed(number, trouble.happened, meaning, trouble.next_step)


def _ending(*, ok: bool, changed: bool, cancelled: bool = False) -> PlanFinished:
    return PlanFinished(ok, cancelled, changed, False, "", "")
