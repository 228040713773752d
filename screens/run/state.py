"""How far a run is: events folded into one frozen value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from wizard.plan.steps import Plan
from wizard.plan.way_back import FOLDER_REASON
from wizard.run.events import (
    Event,
    Output,
    PlanFinished,
    Progress,
    StepFailed,
    StepFinished,
    StepStarted,
)
from wizard.run.overall import Overall, one_step, overall

MOST_STEPS = 1_000
"""A number above that is none of a step."""


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
    overall: Overall
    current: int = 0
    """Number of the running or last step, 0 before the first."""
    progress: Progress | None = None
    failure: StepFailed | None = None
    finished: PlanFinished | None = None
    rehearsed: bool = False
    """True when nothing is really done."""
    watched: bool = False
    """True when somebody else's run is only looked at."""

    @property
    def share(self) -> float:
        """How much of all is through, from 0 to 1; it never goes back."""
        return self.overall.share

    @property
    def ended(self) -> bool:
        """True when nothing more will come."""
        return self.finished is not None or self.failure is not None


def before_run(plan: Plan, *, rehearsed: bool = False) -> RunState:
    """The state before the first event of a plan."""
    reasons = tuple(step.reason for step in plan.steps)
    waiting = (State.WAITING,) * len(reasons)
    return RunState(reasons, waiting, overall(plan), rehearsed=rehearsed)


def before_taking_back(system: Plan | None) -> RunState:
    """The state before the first event of a way back, whose last step is the folder."""
    reasons = (
        (*(step.reason for step in system.steps), FOLDER_REASON) if system else (FOLDER_REASON,)
    )
    weights = (*overall(system).weights, *one_step().weights) if system else one_step().weights
    return RunState(reasons, (State.WAITING,) * len(reasons), Overall(weights))


def before_watching() -> RunState:
    """The state before the first event of a run that is only looked at; its steps come with it."""
    return RunState((), (), one_step(), watched=True)


def after(state: RunState, event: Event) -> RunState:
    """The state after an event."""
    if isinstance(event, Output):
        return state
    state = replace(state, overall=state.overall.after(event))
    match event:
        case StepStarted():
            state = _with_step(state, event) if state.watched else state
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


BEGIN_AGAIN = "Start the same plan again: each step first looks whether it is already done."


def broken_off(state: RunState, happened: str, next_step: str = BEGIN_AGAIN) -> RunState:
    """The state after the events ended without saying how it went."""
    failure = StepFailed(
        max(state.current, 1),
        happened,
        "How far the running step came is not known.",
        next_step,
    )
    return after(state, failure)


def _with_step(state: RunState, event: StepStarted) -> RunState:
    """The state with the steps up to this one; root is asked for a step when those before are done.

    The bar is this step's: the helper takes no new one once the wizard that started it is gone.
    """
    missing = range(len(state.states) + 1, min(event.number, MOST_STEPS) + 1)
    return replace(
        state,
        reasons=(*state.reasons, *(f"step {number} of root's part" for number in missing)),
        states=(*state.states, *(State.BEFORE for _ in missing)),
        overall=one_step(),
    )


def _mark(state: RunState, number: int, word: State) -> RunState:
    place = number - 1
    if not 0 <= place < len(state.states):
        return state
    return replace(state, states=(*state.states[:place], word, *state.states[place + 1 :]))
