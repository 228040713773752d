"""Fills the folder; what was cut off goes on where it was."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from time import monotonic

from wizard.core.events import Event, Output, PlanFinished, StepFailed, StepFinished, StepStarted
from wizard.core.trouble import Trouble
from wizard.fetch.folder import in_words
from wizard.fetch.stages import Fetch, Stage, stages
from wizard.run.lock import only_one
from wizard.system.system import Done, Stopped, System


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
