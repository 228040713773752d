"""How far a run is: events folded into one frozen value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from wizard.plan.steps import Plan
from wizard.run.events import (
    Event,
    Output,
    PlanFinished,
    Progress,
    StepFailed,
    StepFinished,
    StepStarted,
)


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
    current: int = 0
    """Number of the running or last step, 0 before the first."""
    progress: Progress | None = None
    failure: StepFailed | None = None
    finished: PlanFinished | None = None
    rehearsed: bool = False
    """True when nothing is really done."""


def before_run(plan: Plan, *, rehearsed: bool = False) -> RunState:
    """The state before the first event."""
    reasons = tuple(step.reason for step in plan.steps)
    return RunState(reasons, (State.WAITING,) * len(reasons), rehearsed=rehearsed)


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
