"""The executor that acts: journal first, then the step, then proof of its outcome."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Collection, Mapping
from contextlib import aclosing
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Protocol

from wizard.core.amounts import counted
from wizard.core.events import (
    Done,
    Event,
    Output,
    PlanFinished,
    StepFailed,
    StepFinished,
    StepStarted,
)
from wizard.core.journal import Kind, Record
from wizard.core.own_files import Places
from wizard.core.trouble import Trouble, as_trouble
from wizard.host.live import LiveHost
from wizard.machine.stack_facts import stack_form, stack_now
from wizard.operations.operation import Before
from wizard.plan.steps import Plan, Step
from wizard.root.rights import AskForRights, ask_here
from wizard.run.journal import SCRATCH, Journal, Owned, new_folder, scratch
from wizard.run.lock import only_one
from wizard.run.log import log, log_of
from wizard.run.obstacles import require_place, require_start
from wizard.run.preflight import drop_preflight
from wizard.run.progress import Ahead
from wizard.run.rehearsal import ALREADY_DONE
from wizard.run.resume import done_steps
from wizard.run.rollback_folder import files_before
from wizard.run.root_part import RootPart
from wizard.run.runs import NOTE, read_record, restart_waits, this_boot
from wizard.system.programs import wait_for_strays
from wizard.system.system import Stopped, System


class Executor(Protocol):
    """Carries a plan out, or tells what carrying it out would do."""

    def carry_out(self, plan: Plan) -> AsyncGenerator[Event, None]:
        """Events until PlanFinished; close the iterator to stop at once."""

    def cancel(self) -> None:
        """Stop at the next safe point: between two steps, or inside a download."""


def now() -> datetime:
    """The local time, with its offset."""
    return datetime.now().astimezone()


class Live:
    """Carries plans out on this machine for the user who runs it."""

    def __init__(
        self,
        places: Places,
        environ: Mapping[str, str],
        clock: Callable[[], datetime] = now,
        ask_for_rights: AskForRights = ask_here,
        *,
        yes: bool = False,
    ) -> None:
        """``yes``: the plan was read and agreed to; only plain root may say so for root's part."""
        self._places = places
        self._environ = environ
        self._clock = clock
        self._ask_for_rights = ask_for_rights
        self._yes = yes
        self._cancelled = False

    def cancel(self) -> None:
        """Stop at the next safe point: between two steps, or inside a download."""
        self._cancelled = True

    async def carry_out(self, plan: Plan) -> AsyncGenerator[Event, None]:
        """Go through the plan; a run of the same plan that was cut off is continued."""
        self._cancelled = False
        record: Record | None = None
        ahead = Ahead(plan, time.monotonic)
        try:
            with only_one(Path(self._places.state)):
                record = await asyncio.to_thread(self._run_of, plan)
                if record.interrupted and plan.venv:
                    await asyncio.to_thread(wait_for_strays, Path(plan.venv))
                async with aclosing(self._each_step(plan, record)) as events:
                    async for event in events:
                        log(record, event)
                        yield ahead.tell(event)
        except (Trouble, OSError) as error:
            trouble = as_trouble(error)
            yield StepFailed(0, trouble.happened, trouble.meaning, trouble.next_step)
            begun = record is not None
            told = (record.id, log_of(record)) if record is not None else ("", "")
            yield PlanFinished(False, False, begun, False, *told)

    def _run_of(self, plan: Plan) -> Record:
        found = require_start(plan, self._places)
        if found is not None:
            return found
        if plan.venv:
            require_place(Path(plan.venv))
        time_now = self._clock()
        folder = new_folder(Path(self._places.runs), time_now, plan.id)
        stack = stack_form(stack_now(LiveHost()))
        Journal(folder).begin(plan, time_now.isoformat(timespec="seconds"), stack)
        record = read_record(folder)
        assert record is not None  # noqa: S101 - written on the line above
        return record

    async def _each_step(self, plan: Plan, record: Record) -> AsyncGenerator[Event, None]:
        """Step after step; what was found done is only told."""
        folder = Path(record.folder)
        root = RootPart(plan, folder, self._ask_for_rights, self._environ, yes=self._yes)
        done, changed, intents = done_steps(plan, record), False, dict(record.intents)
        with scratch(record):
            try:
                for number, step in enumerate(plan.steps, 1):
                    if self._cancelled:
                        yield self._end(plan, record, intents, ok=False, changed=changed)
                        return
                    yield StepStarted(number, len(plan.steps), str(step), step.reason)
                    if number in done:
                        outcome = record.outcomes.get(number, ALREADY_DONE)
                        yield StepFinished(number, 0.0, True, outcome)
                        continue
                    ended = False
                    system = System(
                        self._environ,
                        str(folder / SCRATCH),
                        lambda: self._cancelled,
                        plan.indexes,
                        partial(root.do, number),
                    )
                    acting = self._step(number, step, plan, folder, intents, system)
                    async with aclosing(acting) as events:
                        async for event in events:
                            ended = isinstance(event, StepFinished)
                            yield event
                    changed = changed or step.changes
                    if not ended:
                        yield self._end(plan, record, intents, ok=False, changed=changed)
                        return
                Journal(folder).close("finished", self._clock().isoformat(timespec="seconds"))
                yield self._end(plan, record, intents, ok=True, changed=changed)
            finally:
                await root.close()
                await asyncio.to_thread(drop_preflight, self._places)

    async def _step(
        self,
        number: int,
        step: Step,
        plan: Plan,
        folder: Path,
        intents: dict[int, Before],
        system: System,
    ) -> AsyncGenerator[Event, None]:
        """One step, begun or continued: it ends with StepFinished, StepFailed, or neither where
        the user has stopped it. ``intents`` are those of the run so far; this one is added."""
        journal, owned, began = Journal(folder), Owned(folder), time.monotonic()
        try:
            noted = intents.get(number)
            done = noted is not None and await asyncio.to_thread(step.probe, noted)
            theirs = files_before(intents)
            if noted is not None and not done:
                left = await asyncio.to_thread(_clear, step, noted, plan.venv, theirs, system)
                if left:
                    yield Output((f"Removed {left} that an interrupted step had left behind.",))
            ours = owned.read() if plan.changes_existing else ()
            await asyncio.to_thread(step.refuse_to_overwrite, theirs, ours)
            if noted is None:  # what was seen first counts, whatever stands there now
                noted = await asyncio.to_thread(step.observe)
            if step.restart_needed:
                noted = {**noted, NOTE: this_boot()}
            journal.intend(number, noted)
            intents[number] = noted
            outcome = ""
            if not done:
                async with aclosing(step.do(system, noted)) as acting:
                    async for item in acting:
                        if isinstance(item, Done):
                            outcome = item.outcome
                        else:
                            yield item
            after = await asyncio.to_thread(step.verify, noted)
            outcome = after.text or outcome
            theirs = files_before(intents)
            owned.add({path: seen for path, seen in after.files.items() if path not in theirs})
            journal.finish(number, outcome)
            yield StepFinished(number, time.monotonic() - began, False, outcome)
        except Stopped:
            yield Output(("Stopped at a safe point. Anything already downloaded is kept.",))
        except (Trouble, OSError) as error:
            trouble = as_trouble(error)
            yield StepFailed(number, trouble.happened, trouble.meaning, trouble.next_step)

    def _end(
        self,
        plan: Plan,
        record: Record,
        intents: Mapping[int, Before],
        *,
        ok: bool,
        changed: bool,
    ) -> PlanFinished:
        return PlanFinished(
            ok=ok,
            cancelled=self._cancelled and not ok,
            changed=changed,
            relogin_needed=plan.relogin_needed and ok,
            run="" if plan.kind is Kind.ROLLBACK else record.id,  # to undo that is to install again
            log=log_of(record),
            restart_needed=ok and restart_waits(intents),
        )


def _clear(step: Step, before: Before, venv: str, theirs: Collection[str], system: System) -> str:
    """Remove what the step left when it was cut off; says how much that was, ``""`` for nothing."""
    left = [path for path in step.remains(before) if path not in theirs]
    for path in left:
        system.remove(f"{venv}/{path}")
    return counted(len(left), "file") if left else ""


class AllDone:
    """Tells each step of a finished run once more."""

    def __init__(self, record: Record) -> None:
        self._record = record

    def cancel(self) -> None:
        """There is nothing to stop."""

    async def carry_out(self, plan: Plan) -> AsyncGenerator[Event, None]:
        """The events of a run in which nothing was left to do."""
        for number, step in enumerate(plan.steps, 1):
            yield StepStarted(number, len(plan.steps), str(step), step.reason)
            yield StepFinished(number, 0.0, True, self._record.outcomes.get(number, ALREADY_DONE))
        yield PlanFinished(True, False, False, False, self._record.id, log_of(self._record))
