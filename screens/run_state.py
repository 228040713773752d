"""How far a run is: events folded into one frozen value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from wizard.plan.steps import FetchWheels, Plan, Step
from wizard.run.events import (
    Event,
    Output,
    PlanFinished,
    Progress,
    StepFailed,
    StepFinished,
    StepStarted,
)

STEP_BYTES = 20_000_000
"""A step that moves no bytes over the network counts as so many in the bar of the whole plan."""
UNKNOWN_DOWNLOAD_BYTES = 2_000_000_000
"""What a download of unknown size counts as: the stacks' wheels take 0.2 to 4.2 GB."""


class State(Enum):
    """Where a step is, as its word."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    TOLD = "rehearsed"
    BEFORE = "was done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class RunState:
    """Everything that Apply shows, apart from the log."""

    reasons: tuple[str, ...]
    states: tuple[State, ...]
    weights: tuple[int, ...]
    """What each step counts in the bar of the whole plan, in bytes."""
    current: int = 0
    """Number of the running or last step, 0 before the first."""
    progress: Progress | None = None
    failure: StepFailed | None = None
    finished: PlanFinished | None = None
    rehearsed: bool = False
    """True when nothing is really done."""

    @property
    def share(self) -> float:
        """How much of the whole plan is through, from 0 to 1."""
        if self.finished is not None and self.finished.ok:
            return 1.0
        through = sum(
            weight
            for weight, word in zip(self.weights, self.states, strict=True)
            if word in THROUGH
        )
        return (through + self._running_bytes()) / max(1, sum(self.weights))

    def _running_bytes(self) -> float:
        progress = self.progress
        if progress is None or not progress.total or not 0 < self.current <= len(self.weights):
            return 0.0
        return self.weights[self.current - 1] * min(1.0, progress.done / progress.total)


THROUGH = (State.DONE, State.BEFORE, State.TOLD)


def before_run(plan: Plan, *, rehearsed: bool = False) -> RunState:
    """The state before the first event."""
    reasons = tuple(step.reason for step in plan.steps)
    weights = tuple(_weight(step, plan) for step in plan.steps)
    return RunState(reasons, (State.WAITING,) * len(reasons), weights, rehearsed=rehearsed)


def _weight(step: Step, plan: Plan) -> int:
    if not isinstance(step, FetchWheels):
        return STEP_BYTES
    known = plan.download_bytes
    return max(STEP_BYTES, UNKNOWN_DOWNLOAD_BYTES if known is None else known)


def after(state: RunState, event: Event) -> RunState:
    """The state after an event."""
    match event:
        case StepStarted():
            marked = _mark(state, event.number, State.RUNNING)
            return replace(marked, current=event.number, progress=None)
        case StepFinished():
            done = State.TOLD if state.rehearsed else State.DONE
            word = State.BEFORE if event.already_done else done
            return replace(_mark(state, event.number, word), progress=None)
        case StepFailed():
            return replace(_mark(state, event.number, State.FAILED), failure=event, progress=None)
        case Progress():
            return replace(state, progress=event)
        case PlanFinished():
            return replace(state, finished=event, progress=None)
        case Output():
            return state


def broken_off(state: RunState, happened: str) -> RunState:
    """The state after the events ended without saying how it went."""
    failure = StepFailed(
        max(state.current, 1),
        happened,
        "How far the running step came is not known.",
        "Start the same plan again: each step first looks whether it is already done.",
    )
    return after(state, failure)


def _mark(state: RunState, number: int, word: State) -> RunState:
    place = number - 1
    if not 0 <= place < len(state.states):
        return state
    return replace(state, states=(*state.states[:place], word, *state.states[place + 1 :]))
