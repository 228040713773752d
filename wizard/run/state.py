"""How far a run is: events folded into one frozen value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

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
from wizard.run.overall import Overall, one_step, overall

MOST_STEPS = 1_000
"""A higher number is not that of a step."""
FOLDER_TITLE = "Remove our files, restore yours"
"""The last step of a rollback, which no plan holds."""
BEGIN_AGAIN = "Try again. Each step first checks whether its work is already done."


class State(Enum):
    """Where a step is, as the word behind its title; a time takes the place of some."""

    WAITING = ""
    RUNNING = "running"
    DONE = "done"
    SHOWN = "not run"
    BEFORE = "already done"
    FAILED = "failed"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class StepRow:
    """One step as the list shows it."""

    title: str
    state: State = State.WAITING
    seconds: float = 0.0
    """How long it took."""


@dataclass(frozen=True, slots=True)
class RunState:
    """Everything that a run shows, apart from its log."""

    steps: tuple[StepRow, ...]
    overall: Overall
    current: int = 0
    """Number of the running or last step, 0 before the first."""
    progress: Progress | None = None
    failure: StepFailed | None = None
    finished: PlanFinished | None = None
    done: State = State.DONE
    """What a finished step is: a dry run only shows it."""
    watched: bool = False
    """True when somebody else's run is only watched: its steps come with its events."""

    @property
    def share(self) -> float:
        """How much of everything is done, from 0 to 1; it never goes back."""
        return self.overall.share

    @property
    def ended(self) -> bool:
        """True when nothing more will come."""
        return self.finished is not None or self.failure is not None

    @property
    def ok(self) -> bool:
        """True when it ended well."""
        return self.failure is None and self.finished is not None and self.finished.ok

    @property
    def through(self) -> int:
        """How many steps are done."""
        return sum(row.state in (self.done, State.BEFORE) for row in self.steps)

    def title(self, number: int) -> str:
        """The title of a step, ``""`` where there is none of that number."""
        return self.steps[number - 1].title if 0 < number <= len(self.steps) else ""


def before_run(plan: Plan, done: State = State.DONE) -> RunState:
    """The state before the first event of a plan."""
    rows = tuple(StepRow(step.title) for step in plan.steps)
    return RunState(rows, overall(plan), done=done)


def before_rollback(system: Plan | None) -> RunState:
    """The state before the first event of a rollback, whose last step is the folder."""
    first = before_run(system) if system is not None else RunState((), Overall(()))
    weights = (*first.overall.weights, *one_step().weights)
    return RunState((*first.steps, StepRow(FOLDER_TITLE)), Overall(weights))


def before_watching() -> RunState:
    """The state before the first event of a run that is only watched."""
    return RunState((), one_step(), watched=True)


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
            word = State.BEFORE if event.already_done else state.done
            return replace(_mark(state, event.number, word, event.seconds), progress=None)
        case StepFailed():
            failed = _mark(state, event.number, State.FAILED)
            return replace(failed, failure=event, progress=None)
        case Progress():
            return replace(state, progress=event)
        case PlanFinished():
            rows = tuple(
                replace(row, state=State.STOPPED) if row.state is State.RUNNING else row
                for row in state.steps
            )
            return replace(state, steps=rows, finished=event, progress=None)


def broken_off(state: RunState, happened: str, next_step: str = BEGIN_AGAIN) -> RunState:
    """The state after the events ended without saying how it went."""
    meaning = "The progress of the running step is not known."
    return after(state, StepFailed(max(state.current, 1), happened, meaning, next_step))


def _with_step(state: RunState, event: StepStarted) -> RunState:
    """The state with the steps up to this one: root is asked for a step when those before are done.

    The bar is this step's: the helper takes no new one once the wizard that started it is gone.
    """
    missing = range(len(state.steps) + 1, min(event.number, MOST_STEPS) + 1)
    rows = (StepRow(f"Run step {number} as root", State.BEFORE) for number in missing)
    return replace(state, steps=(*state.steps, *rows), overall=one_step())


def _mark(state: RunState, number: int, word: State, seconds: float = 0.0) -> RunState:
    at = number - 1
    if not 0 <= at < len(state.steps):
        return state
    row = replace(state.steps[at], state=word, seconds=seconds)
    return replace(state, steps=(*state.steps[:at], row, *state.steps[at + 1 :]))
