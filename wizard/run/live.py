"""The executor that acts: journal first, then the step, then proof of its outcome."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import aclosing, contextmanager
from datetime import datetime
from itertools import chain, count
from pathlib import Path

from wizard.places import Places
from wizard.plan.existing_steps import ResolveCarried, ResolveHeld
from wizard.plan.steps import CheckTorch, Plan, RunProgram, Step
from wizard.run.act import act
from wizard.run.acting import Done, Stopped, Surroundings
from wizard.run.events import (
    Event,
    Output,
    PlanFinished,
    Progress,
    StepFailed,
    StepFinished,
    StepStarted,
)
from wizard.run.journal import Journal, Record, read_record, read_records
from wizard.run.lock import only_one
from wizard.run.ownership import Owned
from wizard.run.remains import files_before
from wizard.run.resume import (
    clear_remains,
    done_steps,
    notes_before,
    ours_after,
    refuse_to_overwrite,
    run_to_resume,
)
from wizard.run.rollback import SCRATCH
from wizard.run.strays import wait_for_strays
from wizard.run.trouble import Trouble, as_trouble

LONGEST_LOG = 64 * 2**20
"""Bytes of program output kept in one log: a program that prints without end fills no disk."""


def now() -> datetime:
    """The local time, with its offset."""
    return datetime.now().astimezone()


class Live:
    """Carries plans out on this machine for the user who runs it."""

    def __init__(
        self, places: Places, environ: Mapping[str, str], clock: Callable[[], datetime] = now
    ) -> None:
        self._places = places
        self._environ = environ
        self._clock = clock
        self._cancelled = False

    def cancel(self) -> None:
        """Stop at the next safe point: between two steps, or inside a download."""
        self._cancelled = True

    async def carry_out(self, plan: Plan) -> AsyncGenerator[Event, None]:
        """Go through the plan; a run of the same plan that was cut off is gone on with."""
        self._cancelled = False
        record: Record | None = None
        try:
            with only_one(Path(self._places.state)):
                record = self._run_of(plan)
                if record.interrupted:
                    await asyncio.to_thread(wait_for_strays, Path(plan.venv))
                async with aclosing(self._steps(plan, record)) as events:
                    async for event in events:
                        _log(record, event)
                        yield event
        except (Trouble, OSError) as error:
            trouble = as_trouble(error)
            yield StepFailed(0, trouble.happened, trouble.meaning, trouble.next_step)
            yield _failed_outside_of_a_step(record)

    def _run_of(self, plan: Plan) -> Record:
        runs = Path(self._places.runs)
        found = run_to_resume(plan, read_records(runs))
        if found is not None:
            return found
        if rooted := [str(step) for step in plan.steps if step.needs_root]:
            raise Trouble(
                f"This plan needs root for {len(rooted)} steps, the first: {rooted[0]}",
                "Steps that need root are planned and shown; carrying them out is not built yet.",
                "Take the footprint venv: it needs no root, and torch needs no system ROCm.",
            )
        time_now = self._clock()
        folder = _new_folder(runs, f"{time_now:%Y%m%d-%H%M%S}-{plan.id[:6]}")
        Journal(folder).begin(plan, time_now.isoformat(timespec="seconds"))
        record = read_record(folder)
        assert record is not None  # noqa: S101 - written on the line above
        return record

    async def _steps(self, plan: Plan, record: Record) -> AsyncGenerator[Event, None]:
        with _scratch(record):
            async with aclosing(self._each_step(plan, record)) as events:
                async for event in events:
                    yield event

    async def _each_step(self, plan: Plan, record: Record) -> AsyncGenerator[Event, None]:
        done = done_steps(plan, record)
        changed = False
        for number, step in enumerate(plan.steps, 1):
            if self._cancelled:
                yield self._end(plan, record, ok=False, changed=changed)
                return
            yield StepStarted(number, len(plan.steps), str(step), step.reason)
            if number in done:
                yield StepFinished(number, 0.0, True, record.outcomes.get(number, "done before"))
                continue
            failed = False
            async with aclosing(self._step(number, step, plan, record)) as events:
                async for event in events:
                    failed = failed or isinstance(event, StepFailed)
                    yield event
            changed = changed or not isinstance(step, CheckTorch)
            if failed or (self._cancelled and not isinstance(event, StepFinished)):
                yield self._end(plan, record, ok=False, changed=changed)
                return
        Journal(Path(record.folder)).close("finished", self._time())
        yield self._end(plan, record, ok=True, changed=changed)

    async def _step(
        self, number: int, step: Step, plan: Plan, record: Record
    ) -> AsyncGenerator[Event, None]:
        journal, began = Journal(Path(record.folder)), time.monotonic()
        try:
            if left := clear_remains(step, plan, record):
                yield Output((f"Removed {left} files that an interrupted step had left.",))
            refuse_to_overwrite(step, plan, _as_noted(record))
            noted = record.intents.get(number) or notes_before(step, plan)
            journal.intend(number, noted)
            outcome = ""
            async with aclosing(act(step, self._around(plan, record))) as acting:
                async for item in acting:
                    if isinstance(item, Done):
                        outcome = item.outcome
                    else:
                        yield item
            known = files_before(_as_noted(record))
            Owned(Path(record.folder)).add(ours_after(step, plan, known))
            journal.finish(number, outcome)
            yield StepFinished(number, time.monotonic() - began, False, outcome)
        except Stopped:
            yield Output(("Stopped at a safe point; what was fetched is kept.",))
        except (Trouble, OSError) as error:
            trouble = as_trouble(error)
            yield StepFailed(number, trouble.happened, trouble.meaning, trouble.next_step)

    def _around(self, plan: Plan, record: Record) -> Surroundings:
        scratch = str(Path(record.folder) / SCRATCH)
        return Surroundings(self._environ, scratch, lambda: self._cancelled, _indexes(plan))

    def _end(self, plan: Plan, record: Record, *, ok: bool, changed: bool) -> PlanFinished:
        return PlanFinished(
            ok=ok,
            cancelled=self._cancelled and not ok,
            changed=changed,
            relogin_needed=plan.relogin_needed and ok,
            run=record.id,
            log=f"{record.folder}/log.txt",
        )

    def _time(self) -> str:
        return self._clock().isoformat(timespec="seconds")


def _as_noted(record: Record) -> Record:
    """The record with what this very run has noted so far."""
    return read_record(Path(record.folder)) or record


@contextmanager
def _scratch(record: Record) -> Iterator[None]:
    """The folder for temporary files, empty at first; a killed pip leaves gigabytes in it."""
    folder = Path(record.folder) / SCRATCH
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(exist_ok=True)
    try:
        yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _indexes(plan: Plan) -> tuple[str, ...]:
    kinds = (RunProgram, ResolveHeld, ResolveCarried)
    programs = (step for step in plan.steps if isinstance(step, kinds))
    return tuple(word for program in programs for word in program.argv if "://" in word)


def _failed_outside_of_a_step(record: Record | None) -> PlanFinished:
    if record is None:
        return PlanFinished(False, False, False, False, "", "")
    return PlanFinished(False, False, True, False, record.id, f"{record.folder}/log.txt")


def _new_folder(runs: Path, name: str) -> Path:
    """A folder that is not there yet: two runs of one plan can begin within a second."""
    names = chain((name,), (f"{name}-{number}" for number in count(2)))
    candidates = (runs / each for each in names)
    return next(folder for folder in candidates if not folder.exists())


def _log(record: Record, event: Event) -> None:
    lines: tuple[str, ...]
    match event:
        case StepStarted():
            lines = (f"[{event.number}/{event.total}] {event.text}",)
        case Output():
            lines = event.lines
        case StepFinished():
            lines = (f"ok ({event.seconds:.1f} s): {event.outcome}",)
        case StepFailed():
            lines = (f"failed: {event.happened}", event.meaning, event.next_step)
        case PlanFinished():
            lines = ("finished" if event.ok else "not finished",)
        case Progress():
            return
    path = Path(record.folder) / "log.txt"
    with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
        if file.tell() < LONGEST_LOG or not isinstance(event, Output):
            file.writelines(f"{line}\n" for line in lines)
