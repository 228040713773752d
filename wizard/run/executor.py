"""The executor that acts: journal first, then the step, then proof of its outcome."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from wizard.core.amounts import counted
from wizard.core.events import Event, Output, PlanFinished, StepFailed, StepFinished, StepStarted
from wizard.core.journal import Kind, Record
from wizard.core.own_files import Places
from wizard.core.trouble import Trouble, as_trouble
from wizard.host.live import LiveHost
from wizard.machine.stack_facts import stack_form, stack_now
from wizard.operations.operation import Probe
from wizard.plan.steps import Plan, Step
from wizard.root.rights import AskForRights, ask_here
from wizard.run.journal import SCRATCH, Journal, Owned, new_folder, scratch
from wizard.run.lock import only_one
from wizard.run.log import log, log_of
from wizard.run.obstacles import require_place, run_to_go_on_with
from wizard.run.preflight_folder import drop_preflight
from wizard.run.progress import Ahead
from wizard.run.resume import done_steps
from wizard.run.rollback_folder import files_before
from wizard.run.root_part import RootPart
from wizard.run.runs import NOTE, read_record, restart_waits, this_boot
from wizard.system.programs import wait_for_strays
from wizard.system.system import Done, Stopped, System

STILL = "already done"
"""The outcome of a step that was found done, where none was noted."""


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
        """Go through the plan; a run of the same plan that was cut off is gone on with."""
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
        found = run_to_go_on_with(plan, self._places)
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
        done, changed = done_steps(plan, record), False
        with scratch(record):
            try:
                for number, step in enumerate(plan.steps, 1):
                    if self._cancelled:
                        yield self._end(plan, record, ok=False, changed=changed)
                        return
                    yield StepStarted(number, len(plan.steps), str(step), step.reason)
                    if number in done:
                        outcome = record.outcomes.get(number, STILL)
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
                    async with aclosing(self._step(number, step, plan, record, system)) as events:
                        async for event in events:
                            ended = isinstance(event, StepFinished)
                            yield event
                    changed = changed or step.changes
                    if not ended:
                        yield self._end(plan, record, ok=False, changed=changed)
                        return
                Journal(folder).close("finished", self._clock().isoformat(timespec="seconds"))
                yield self._end(plan, record, ok=True, changed=changed)
            finally:
                await root.close()
                await asyncio.to_thread(drop_preflight, self._places)

    async def _step(
        self, number: int, step: Step, plan: Plan, record: Record, system: System
    ) -> AsyncGenerator[Event, None]:
        """One step, begun or gone on with: it ends with StepFinished, StepFailed, or neither where
        the user has stopped it."""
        folder, began = Path(record.folder), time.monotonic()
        journal = Journal(folder)
        try:
            found, left = await asyncio.to_thread(_probe, step, record.intents.get(number), system)
            if left:
                yield Output(
                    (f"Removed {counted(left, 'file')} that an interrupted step had left behind.",)
                )
            owned = Owned(folder)
            ours = owned.read() if plan.changes_existing else ()
            theirs = files_before(_as_noted(record))
            await asyncio.to_thread(step.refuse_to_overwrite, theirs, ours)
            noted = record.intents.get(number)
            if noted is None:  # what was seen first counts, whatever stands there now
                noted = await asyncio.to_thread(step.observe)
            if step.restart_needed:
                noted = {**noted, NOTE: this_boot()}
            journal.intend(number, noted)
            outcome = ""
            if found is not Probe.DONE:
                async with aclosing(step.do(system, noted)) as acting:
                    async for item in acting:
                        if isinstance(item, Done):
                            outcome = item.outcome
                        else:
                            yield item
            after = await asyncio.to_thread(step.verify, noted)
            outcome = after.text or outcome
            there_before = frozenset(files_before(_as_noted(record)))
            files = after.files.items()
            owned.add({path: seen for path, seen in files if path not in there_before})
            journal.finish(number, outcome)
            yield StepFinished(number, time.monotonic() - began, False, outcome)
        except Stopped:
            yield Output(("Stopped at a safe point. Anything already downloaded is kept.",))
        except (Trouble, OSError) as error:
            trouble = as_trouble(error)
            yield StepFailed(number, trouble.happened, trouble.meaning, trouble.next_step)

    def _end(self, plan: Plan, record: Record, *, ok: bool, changed: bool) -> PlanFinished:
        return PlanFinished(
            ok=ok,
            cancelled=self._cancelled and not ok,
            changed=changed,
            relogin_needed=plan.relogin_needed and ok,
            run="" if plan.kind is Kind.ROLLBACK else record.id,  # to undo that is to install again
            log=log_of(record),
            restart_needed=ok and restart_waits(_as_noted(record)),
        )


def _probe(step: Step, before: Mapping[str, Any] | None, system: System) -> tuple[Probe, int]:
    """How far the step came that was cut off, and how many files of a half one were removed."""
    if before is None:
        return Probe.NOT_DONE, 0
    found = step.probe(before)
    return found, step.clear(system, before) if found is Probe.PARTIAL else 0


def _as_noted(record: Record) -> Record:
    """The record with what this very run has noted so far."""
    return read_record(Path(record.folder)) or record


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
            yield StepFinished(number, 0.0, True, self._record.outcomes.get(number, STILL))
        yield PlanFinished(True, False, False, False, self._record.id, log_of(self._record))
