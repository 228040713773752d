"""The executor of dry runs: it has no code that could change anything."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass

from wizard.core.events import Event, Output, PlanFinished, StepFailed, StepFinished, StepStarted
from wizard.core.trouble import Trouble
from wizard.plan.steps import Plan

ALREADY_DONE = "already done"
"""The outcome of a step that was found done, where none was noted."""


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What a look at this machine tells of a run before it begins."""

    done: frozenset[int] = frozenset()
    """Numbers of steps whose outcome is there."""
    trouble: Trouble | None = None
    """Why the first step would not be begun."""


NOTHING_DONE = Foreseen()


class Rehearsal:
    """Tells every step and every file, and which of them were found done."""

    def __init__(self, found: Foreseen = NOTHING_DONE) -> None:
        self._found = found
        self._cancelled = False

    def cancel(self) -> None:
        """Stop telling."""
        self._cancelled = True

    async def carry_out(self, plan: Plan) -> AsyncGenerator[Event, None]:
        """The events of a real run, with nothing done."""
        if trouble := self._found.trouble:
            yield StepFailed(0, trouble.happened, trouble.meaning, trouble.next_step)
            yield PlanFinished(False, False, False, False, "", "")
            return
        would_change = False
        for number, step in enumerate(plan.steps, 1):
            if self._cancelled:
                break
            yield StepStarted(number, len(plan.steps), str(step), step.reason)
            if number in self._found.done:
                yield StepFinished(number, 0.0, True, ALREADY_DONE)
                continue
            would_change = would_change or step.changes
            if content := step.content_lines():
                yield Output(tuple(f"| {line}" for line in content))
            yield StepFinished(number, 0.0, False, "dry run: nothing was changed")
        yield PlanFinished(
            not self._cancelled, self._cancelled, False, False, "", "", would_change=would_change
        )
