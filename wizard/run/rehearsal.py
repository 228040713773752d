"""The executor of dry runs: it has no code that could change anything."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from wizard.plan.content import content_lines
from wizard.plan.steps import Plan
from wizard.run.events import Event, Output, PlanFinished, StepFinished, StepStarted


class Rehearsal:
    """Tells every step and every file."""

    def __init__(self) -> None:
        self._cancelled = False

    def cancel(self) -> None:
        """Stop telling."""
        self._cancelled = True

    async def carry_out(self, plan: Plan) -> AsyncGenerator[Event, None]:
        """The events of a real run, with nothing done."""
        for number, step in enumerate(plan.steps, 1):
            if self._cancelled:
                break
            yield StepStarted(number, len(plan.steps), str(step), step.reason)
            if content := content_lines(step):
                yield Output(tuple(f"| {line}" for line in content))
            yield StepFinished(number, 0.0, False, "rehearsed: nothing was changed")
        yield PlanFinished(not self._cancelled, self._cancelled, False, False, "", "")
