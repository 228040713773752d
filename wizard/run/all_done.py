"""The executor for a plan that was found done: it looks back, and changes nothing."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from wizard.core.events import Event, PlanFinished, StepFinished, StepStarted
from wizard.core.journal import Record
from wizard.plan.steps import Plan
from wizard.run.log import log_of

STILL = "already done"


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
