"""The three kinds of runs: a plan is carried out, rolled back, or only watched."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, replace

from screens.session import Session, following
from wizard.core.events import Event
from wizard.core.journal import Kind
from wizard.plan.steps import Plan
from wizard.run.progress import (
    BEGIN_AGAIN,
    RunState,
    State,
    before_rollback,
    before_run,
    before_watching,
)
from wizard.services import DEMO, Services

MEASURE, FINISH, LOOK_AGAIN = "Measure", "Finish", "Check again"
GO_ON, TRY_AGAIN = "Continue", "Try again"
START = "Go back to the start"
LABELS = (MEASURE, FINISH, LOOK_AGAIN, GO_ON, TRY_AGAIN, START)
"""What Enter does at the end of a run."""
AFTERWARDS = {"conv2d": MEASURE, "diagnose": LOOK_AGAIN, "done": FINISH}
PLAN_WORDS = {
    Kind.INSTALL: ("Installing {}", "Installed {}."),
    Kind.REMOVE: ("Removing what you chose", "Removed what you chose."),
    Kind.CLEAN_UP: ("Removing what you chose", "Removed what you chose."),
    Kind.FIX: ("Applying the fix", "Applied the fix."),
    Kind.KEEP: ("Saving the setting", "Saved the setting."),
    Kind.ROLLBACK: ("Rolling back", "Rolled back."),
}
"""What a plan of each kind does, and has done."""
LOG_HELP = (
    "l shows the log on the whole screen, and Esc goes back. / searches it: up and down move "
    "between matches, and Esc ends the search. y copies the selected text, or the newest lines "
    "if none is selected. The file named above the log has every line. Tab switches between the "
    "steps and the log. End goes back to the newest lines."
)
ROOT_HELP = (
    "If a step needs root, sudo asks for your password in this terminal. Then you see a list of "
    "what will be done and are asked to type yes. If the program is killed, start it again: it "
    f"continues where it stopped.\n\n{LOG_HELP}"
)


@dataclass(frozen=True, slots=True)
class Run:
    """One run, ready to begin."""

    doing: str
    """Such as ``Installing native``."""
    done: str
    """Such as ``Installed native.``"""
    state: RunState
    events: Callable[[], AsyncGenerator[Event, None]]
    result: Callable[[Session, RunState], Session]
    """The session with what came of it."""
    stop: Callable[[], None] | None = None
    """Asks it to stop at its next safe point; None for what goes on whatever happens here."""
    log: Callable[[], str] = str
    """Path of the file that has the whole log, ``""`` while there is none; may take a while."""


@dataclass(frozen=True, slots=True)
class Forward:
    """Where Enter leads."""

    label: str
    """One of ``LABELS``."""
    step: str

    @property
    def sentence(self) -> str:
        """As the conclusion tells it."""
        return f"Press Enter to {self.label[0].lower()}{self.label[1:]}."


@dataclass(frozen=True, slots=True)
class RunKind:
    """What tells one kind of run from another."""

    name: str
    """As ``StepScreen.NAME``."""
    title: str
    help: str
    begin: Callable[[Session, Services], Run]
    """Raises ValueError where the session lacks what is to be run."""
    forward: Callable[[Session, RunState], Forward | None]
    """Where Enter leads once the run has ended."""
    back: str = ""
    """Where Esc leads; ``""`` for the preceding step."""
    safe: str = ""
    """What is asked before it is stopped."""
    when_broken_off: str = BEGIN_AGAIN


def _how_it_went(session: Session, state: RunState) -> Session:
    return replace(session, finished=state.finished, failure=state.failure)


def _install(session: Session, services: Services) -> Run:
    plan = _plan_in(session)
    doing, done = (words.format(plan.name) for words in PLAN_WORDS[plan.kind])
    if services.rehearses:
        done = f"{'Demo' if services.mode == DEMO else 'Dry run'} finished: nothing was changed."
    return Run(
        doing,
        done,
        before_run(plan, State.SHOWN if services.rehearses else State.DONE),
        lambda: services.runs.carry_out(plan),
        _how_it_went,
        services.runs.ask_to_stop,
        log=lambda: services.runs.log_of(plan),
    )


def _after_install(session: Session, state: RunState) -> Forward:
    if not state.ok:
        return Forward(GO_ON if state.failure is None else TRY_AGAIN, "review")
    step = following("apply", session)
    return Forward(AFTERWARDS.get(step, FINISH), step)


def _roll_back(session: Session, services: Services) -> Run:
    rollback = session.rollback
    if rollback is None or services.rehearses:
        raise ValueError("there is nothing that may be rolled back")
    plan = rollback.plan
    return Run(
        "Rolling back",
        "Rolled back.",
        before_rollback(plan),
        rollback.events,
        _how_it_went,
        rollback.cancel,
        log=(lambda: services.runs.log_of(plan)) if plan is not None else str,
    )


def _after_rollback(_: Session, state: RunState) -> Forward:
    # What is left is shown again, and asked for with y, before any more of it is done.
    return Forward(START, "welcome") if state.ok else Forward(GO_ON, "roll_back")


def _watch(session: Session, _: Services) -> Run:
    at_work = session.at_work
    if at_work is None:
        raise ValueError("there is nothing to watch")
    return Run(
        "A step of an earlier run is still running as root",
        "The root step has finished.",
        before_watching(),
        at_work.watch,
        lambda session, _: replace(session, at_work=None),
        log=lambda: at_work.saved,
    )


def _plan_in(session: Session) -> Plan:
    if session.plan is None:
        raise ValueError("a run needs a plan")
    return session.plan


INSTALL = RunKind(
    "apply",
    "Install",
    "The steps run in this order. The log shows every command and what it prints.\n\n"
    "c stops safely: between two steps, or inside a download, which is kept and resumed. A step "
    "that installs something or changes the system is finished first. Esc and q wait until then."
    f"\n\n{ROOT_HELP}",
    _install,
    _after_install,
    safe=(
        "The installation stops after this step, or immediately if a download is in progress. The "
        "partial download is kept and resumed later. A step that installs something or changes the "
        "system is finished first."
    ),
)
ROLL_BACK = RunKind(
    "take_back",
    "Roll back",
    "The last change is undone first. The log shows every command and what it prints.\n\nc stops "
    f"safely between two steps. Rolling back again continues from there.\n\n{ROOT_HELP}",
    _roll_back,
    _after_rollback,
    back="welcome",
    safe="The rollback stops after this step. Roll back again to continue from there.",
    when_broken_off="Roll back again. The rollback continues where it stopped.",
)
WATCH = RunKind(
    "watch",
    "Watch",
    "An earlier session of this program ended while a step was running as root. That step will "
    "finish, and no new one will start.\n\nYou can quit at any time without interrupting it. "
    "When the step is finished, go back to the start to continue the plan or roll it "
    f"back.\n\n{LOG_HELP}",
    _watch,
    lambda *_: Forward(START, "welcome"),
    back="welcome",
    when_broken_off="Go to Welcome to see which steps are still running as root. Nothing was "
    "interrupted.",
)
