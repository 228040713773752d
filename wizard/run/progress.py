"""How far a run is: events folded into one frozen value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

from wizard.core.events import (
    CHECKED,
    REMOVED,
    RESTORED,
    Event,
    Output,
    PlanFinished,
    Progress,
    StepFailed,
    StepFinished,
    StepStarted,
)
from wizard.core.time_left import TimeLeft
from wizard.plan.rollback import FOLDER_TITLE
from wizard.plan.room import Sizes, sizes_of, wheel_steps
from wizard.plan.steps import Plan

FETCHES = "Retrieving file "
"""How apt begins the text of a download in the locale C.UTF-8, which its callers set."""

SMALL_BYTES = 20_000_000
"""What a step counts that moves next to nothing, and any other one at least."""
UNKNOWN_FETCH_BYTES = 2_000_000_000
"""What a download of unknown size counts as until it tells its own: wheels of 0.2 to 4.2 GB."""
UNKNOWN_UNPACK_BYTES = 3 * UNKNOWN_FETCH_BYTES
"""What an installation of unknown size counts as: torch's wheels unpack to about three times."""
UNPACKED_A_SECOND = 100_000_000
"""What an installation writes, as far as it is foreseen: 65 MB/s of small files and their byte code
on two cores in November 2026, several times that of large libraries."""
WAITING = "seconds"
"""The unit of a wait, such as for apt's lock: no part of the work itself."""
NOT_YET = 0.9999
"""The share of a plan whose last step is through, until its executor says that it has ended."""


@dataclass(frozen=True, slots=True)
class Weight:
    """What a step counts in the whole, in bytes: first what it fetches, then what it unpacks."""

    fetch: int
    unpack: int

    @property
    def whole(self) -> int:
        """Both."""
        return self.fetch + self.unpack

    def through(self, progress: Progress) -> float:
        """So many bytes of this step are through."""
        if progress.total <= 0 or progress.unit == WAITING:
            return 0.0
        part = min(1.0, max(0.0, progress.done / progress.total))
        if progress.unit in (CHECKED, REMOVED, RESTORED):  # one after the other
            part = part / 2 + (0.0 if progress.unit == CHECKED else 0.5)
        if progress.unit != "percent" or not (self.fetch and self.unpack):
            return self.whole * part
        # apt counts to 100 twice: once for what it fetches, then for what dpkg does with it.
        if progress.what.startswith(FETCHES):
            return self.fetch * part
        return self.fetch + self.unpack * part


@dataclass(frozen=True, slots=True)
class Overall:
    """How far all steps together are; it never goes back, and is whole only at the good end."""

    weights: tuple[Weight, ...]
    done: frozenset[int] = frozenset()
    """Numbers of the steps that are through, from 1."""
    current: int = 0
    share: float = 0.0
    """From 0 to 1."""
    fetches: int = 0
    """Number of the step that fetches the wheels, 0 for none."""
    unpacks: int = 0
    """Number of the step that unpacks them."""

    def after(self, event: Event) -> Overall:
        """How far it is after an event."""
        match event:
            case StepStarted():
                return replace(self, current=event.number)
            case StepFinished():
                through = replace(self, done=self.done | {event.number})
                return through._reached(0.0)
            case Progress() if self.current not in self.done:
                weighed = self._weighed(event)
                return weighed._reached(weighed._weight(self.current).through(event))
            case PlanFinished(ok=True):
                return replace(self, share=1.0)
            case _:
                return self

    def seconds_left(self, step_s: float | None) -> float | None:
        """How long it still takes with all that comes after the running step.

        ``step_s`` is how long that one still takes, by its measured speed; None where nobody knows,
        and then nobody knows the whole either.
        """
        later = [
            weight
            for number, weight in enumerate(self.weights, 1)
            if number != self.current and number not in self.done
        ]
        if step_s is None or any(weight.fetch for weight in later):
            return None
        return step_s + sum(weight.unpack for weight in later) / UNPACKED_A_SECOND

    def _weighed(self, progress: Progress) -> Overall:
        """With the size that the wheels tell of themselves, in place of what was assumed."""
        told, before = progress.total, self._weight(self.current).whole
        if progress.unit != "bytes" or told <= 0 or told == before:
            return self
        if self.fetches and self.current == self.fetches:
            # What is fetched unpacks to as many times its size as was assumed.
            unpacked = round(self._weight(self.unpacks).unpack * told / before)
            both = self._with(self.fetches, Weight(told, 0))
            return both._with(self.unpacks, Weight(0, unpacked))
        return self

    def _with(self, number: int, weight: Weight) -> Overall:
        before, after = self.weights[: number - 1], self.weights[number:]
        return replace(self, weights=(*before, weight, *after)) if number else self

    def _reached(self, running: float) -> Overall:
        through = sum(self._weight(number).whole for number in self.done) + running
        share = through / max(1, sum(weight.whole for weight in self.weights))
        return replace(self, share=max(self.share, min(share, NOT_YET)))

    def _weight(self, number: int) -> Weight:
        return self.weights[number - 1] if 0 < number <= len(self.weights) else Weight(0, 0)


def overall(plan: Plan) -> Overall:
    """The start of a plan."""
    fetches, unpacks = wheel_steps(plan)
    return Overall(tuple(map(_weight, sizes_of(plan))), fetches=fetches, unpacks=unpacks)


def _weight(sizes: Sizes) -> Weight:
    weight = Weight(
        UNKNOWN_FETCH_BYTES if sizes.download is None else sizes.download,
        UNKNOWN_UNPACK_BYTES if sizes.installed is None else sizes.installed,
    )
    return weight if weight.whole >= SMALL_BYTES else Weight(0, SMALL_BYTES)


class Ahead:
    """How long a plan still takes, told with its progress."""

    def __init__(self, plan: Plan, clock: Callable[[], float]) -> None:
        self._overall, self._step = overall(plan), TimeLeft(clock)

    def tell(self, event: Event) -> Event:
        """The event; one of progress with the time left of all steps together."""
        self._overall = self._overall.after(event)
        self._step.take(event)
        if not isinstance(event, Progress):
            return event
        return replace(event, seconds_left=self._overall.seconds_left(self._step.seconds))


def one_step() -> Overall:
    """The start of one step of which nothing is known: fetching counts as much as the rest."""
    return Overall((Weight(SMALL_BYTES, SMALL_BYTES),), current=1)


MOST_STEPS = 1_000
"""A higher number is not that of a step."""
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
