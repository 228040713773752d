"""Made-up services for states that neither the demo nor a dry run reaches."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable

from tests.screens.collaborators import but
from tests.screens.fakes import LIVE_SERVICES, LOG, fail_at_three
from tests.screens.test_roll_back import SYSTEM
from wizard.core.events import (
    Event,
    Output,
    PlanFinished,
    Progress,
    StepFailed,
    StepFinished,
    StepStarted,
)
from wizard.plan.steps import Plan
from wizard.run.at_work import AtWork
from wizard.services import Services
from wizard.services.runs import Rollback, Unfinished

RUN = "20260101-120000-3f9a1c"
SAVED = f"/var/lib/rdna1-setup/runs/{RUN}/events.jsonl"
WORDS = "apt is still working, 63 %: Unpacking libssl3 (amd64) and what else it needs for that"
FOLDER = "/home/sam/rdna1/a-folder-with-a-rather-long-name/rocm52"
WAITS = Unfinished(RUN, "rocm52", "rocm52", FOLDER, "venv")


async def root_at_work() -> AsyncGenerator[Event, None]:
    """A step of root's that does not end."""
    yield StepStarted(3, 3, "step 3 of root's part", "step 3 of root's part")
    yield Output(("Get:1 rocm-dev", WORDS))
    yield Progress(26, 100, "percent", "Unpacking libssl3 (amd64)", None)
    await asyncio.Event().wait()


async def endless(plan: Plan) -> AsyncGenerator[Event, None]:
    """A download that goes on and on."""
    step = plan.steps[0]
    yield StepStarted(1, len(plan.steps), str(step), step.reason)
    yield Output(tuple(f"line {number} of a long log: {WORDS}" for number in range(200)))
    yield Progress(410_000_000, 1_640_000_000, "bytes", "torch-1.13.1+rocm5.2.whl", 1500.0)
    await asyncio.Event().wait()


async def taken_back() -> AsyncGenerator[Event, None]:
    """A way back whose second step fails."""
    yield StepStarted(1, 2, "undo run 20260101-120000-3f9a1c", "The folder.")
    yield StepFinished(1, 0.1, False, "taken back")
    yield StepStarted(2, 2, "remove 3 packages", "They came with it.")
    yield StepFailed(
        2, "apt ended with 100.", "Another program holds its lock.", "Try again later."
    )
    yield PlanFinished(False, False, True, False, RUN, LOG)


def live() -> Services:
    """A run that can be taken back."""
    way = Rollback("Undo run 20260101-120000-3f9a1c (rocm52):", SYSTEM, taken_back, lambda: None)
    return but(
        LIVE_SERVICES,
        undoable=lambda: True,
        find_rollback=lambda: way,
    )


def at_work() -> Services:
    """Root at work for an earlier start, a run that waits, and one that fails."""
    work = AtWork(WORDS, SAVED, root_at_work)
    return but(
        LIVE_SERVICES,
        at_work=lambda: work,
        unfinished=lambda: WAITS,
        undoable=lambda: True,
        carry_out=fail_at_three,
    )


def under_way() -> Services:
    """Half taken back, and a plan that does not end."""
    return but(LIVE_SERVICES, half_undone=lambda: RUN, undoable=lambda: True, carry_out=endless)


SERVICES: dict[str, Callable[[], Services]] = {
    "live": live,
    "at-work": at_work,
    "under-way": under_way,
}
