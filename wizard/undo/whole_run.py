"""A whole run taken back, for the command and the wizard alike: root's part first, then its folder.

The folder waits for the system: with its journal closed, nobody would offer the rest of the way.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from wizard.apt.packages import Versions
from wizard.core.events import (
    Event,
    Output,
    PlanFinished,
    Progress,
    StepFailed,
    StepFinished,
    StepStarted,
)
from wizard.core.lines import clean
from wizard.core.time_left import TOLD_S
from wizard.core.trouble import Trouble
from wizard.host.host import Host
from wizard.journalform import ROLLED_BACK
from wizard.places import Places
from wizard.plan.steps import Plan
from wizard.plan.way_back import FOLDER_REASON
from wizard.run.executor import Executor
from wizard.run.live import now
from wizard.run.records import read_record
from wizard.undo.one_run import Undo, find_undo, undo
from wizard.undo.system import lost_by, staying, system_way_back


@dataclass(frozen=True, slots=True)
class WholeUndo:
    """How a run would be taken back, as it is now."""

    folder: Undo
    system: Plan | None
    """What root takes back before; None where nothing of the system's is to be taken back."""
    lost: Versions = ()
    """Packages that the run removed for good."""
    staying: tuple[str, ...] = ()
    """What somebody else has changed since: it is left alone."""

    def __str__(self) -> str:
        told = "".join(f"\nnot restored: {each}" for each in map(_told, self.lost))
        told += "".join(f"\nleave unchanged: {each}" for each in self.staying)
        return f"{self.folder}{told}"


def find_whole_undo(
    places: Places, host: Host, wanted: str = "", *, wait: bool = True
) -> WholeUndo:
    """The way back of a run, or of the newest one; raises Trouble where there is none.

    With ``wait``, programs that a killed run left behind may end first: seconds.
    """
    found = find_undo(places, wanted, wait=wait)
    system = system_way_back(found.record, host, places)
    others = tuple(staying(found.record, host).values())
    return WholeUndo(found, system, lost_by(found.record, host), others)


def _told(package: tuple[str, str]) -> str:
    return f"{' '.join(package)} was removed permanently, and no package file was kept"


class TakingBack:
    """Takes a run back as it was shown; the executor must be one that acts."""

    def __init__(
        self,
        shown: WholeUndo,
        executor: Executor,
        places: Places,
        clock: Callable[[], datetime] = now,
    ) -> None:
        self._shown = shown
        self._executor = executor
        self._places = places
        self._clock = clock
        self._cancelled = False
        self._log = ""
        self._progress: Progress | None = None

    def cancel(self) -> None:
        """Stop between two steps."""
        self._cancelled = True
        self._executor.cancel()

    async def events(self) -> AsyncGenerator[Event, None]:
        """What happens, as of one plan; the folder is its last step."""
        system, before = self._shown.system, 0
        if system is not None:
            before = len(system.steps)
            async with aclosing(self._executor.carry_out(system)) as events:
                async for event in events:
                    match event:
                        case StepStarted():
                            yield replace(event, total=before + 1)
                        case PlanFinished(ok=True):
                            self._log = event.log
                        case PlanFinished():
                            yield event
                            return
                        case _:
                            yield event
        if self._cancelled:
            yield self._end(ok=False)
            return
        async for event in self._folder_events(before + 1):
            yield event

    async def _folder_events(self, number: int) -> AsyncGenerator[Event, None]:
        run, began = self._shown.folder, time.monotonic()
        place = f" in {run.way.venv}" if run.way.venv else ""
        text = f"undo run {run.record.id}{place}"
        yield StepStarted(number, number, text, FOLDER_REASON)
        try:
            undoing = asyncio.ensure_future(asyncio.to_thread(self._undo))
            told = None
            while not undoing.done():
                await asyncio.wait((undoing,), timeout=TOLD_S)
                if self._progress is not None and self._progress is not told:
                    yield (told := self._progress)
            left = await undoing
            left = (*map(_told, self._shown.lost), *self._shown.staying, *left)
        except Trouble as trouble:
            yield StepFailed(number, trouble.happened, trouble.meaning, trouble.next_step)
            yield self._end(ok=False)
            return
        if left:
            yield Output(tuple(clean(line).replace("\n", "?") for line in left))
            yield self._not_all(number, left)
        else:
            yield StepFinished(number, time.monotonic() - began, False, "undone")
        yield self._end(ok=not left)

    def _undo(self) -> tuple[str, ...]:
        return undo(
            self._shown.folder, self._places, self._clock(), system_is_back=True, tell=self._tell
        )

    def _tell(self, done: int, total: int, unit: str) -> None:
        # From the thread that removes: whoever shows it looks a few times a second.
        self._progress = Progress(done, total, unit, "", None)

    def _not_all(self, number: int, left: tuple[str, ...]) -> StepFailed:
        record = read_record(Path(self._shown.folder.record.folder))
        closed = record is not None and record.state == ROLLED_BACK
        count = "one thing" if len(left) == 1 else f"{len(left)} things"
        return StepFailed(
            number,
            f"The run was undone, except for {count}: {left[0]}",
            "Everything else is as it was before the run. "
            + (
                "The run is now listed as undone."
                if closed
                else "You can roll back this run again."
            ),
            "The lines above show what went wrong and why.",
        )

    def _end(self, *, ok: bool) -> PlanFinished:
        return PlanFinished(ok, self._cancelled and not ok, True, False, "", self._log)
