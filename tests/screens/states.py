"""States of screens that no usual day shows: nothing there, a failure, texts without end."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from typing import Any

from textual.screen import Screen

from screens.app import SetupApp, make_step
from screens.conv2d.details import Details
from screens.conv2d.options_dialog import OptionsDialog
from screens.dialogs import Notice, PathQuestion, Question
from screens.history.screen import ResultChoice
from screens.session import Session
from tests.handmade import torch
from tests.screens import examples
from tests.screens.collaborators import but
from tests.screens.diagnose_fakes import DIAGNOSING, OVERRIDE, looking
from tests.screens.driving import session_at
from tests.screens.failing import (
    DENIED,
    FULL,
    GONE,
    LONG_BACK,
    LONG_MACHINE,
    LONG_NAME,
    LONG_PARTS,
    LONG_PATH,
    LONG_PLAN,
    SLOW,
    TOLD,
    fails,
    fails_later,
    half_detected,
    long_detect,
    no_sweep,
)
from tests.screens.fakes import (
    DRY_SERVICES,
    LIVE_SERVICES,
    REPORT,
    break_off,
    fail_at_three,
    result_of,
)
from tests.screens.past_fakes import PAST
from wizard.conv2d.caution import Circumstances
from wizard.conv2d.requests import Request, sweep_in
from wizard.conv2d.runs.folders import KeptRuns
from wizard.conv2d.sweep import ShapeDone, SweepDone, SweepEvent
from wizard.core.events import PlanFinished, StepFailed
from wizard.diagnose.finding import Evidence
from wizard.machine.facts import Environment, Machine
from wizard.plan.choice import Choice
from wizard.plan.steps import Plan
from wizard.run.at_work import AtWork
from wizard.services import DEMO, Services
from wizard.services.runs import Unfinished


@dataclass(frozen=True, slots=True)
class State:
    """How a screen comes to be in a state, and words that must stand there."""

    step: str
    shows: tuple[str, ...]
    services: Services = LIVE_SERVICES
    keys: tuple[str, ...] = ()
    session: Session | None = None
    top: type[Screen[Any]] | None = None
    """What the keys lead to, where that is to be known."""

    @property
    def seen(self) -> type[Screen[Any]] | None:
        """What is on top for certain."""
        if self.top is not None or self.keys:
            return self.top
        session = session_at_any(self.step) if self.session is None else self.session
        return type(make_step(self.step, session, self.services))

    def app(self, services: Services | None = None) -> SetupApp:
        """The app at this step."""
        session = session_at_any(self.step) if self.session is None else self.session
        return SetupApp(services or self.services, session, self.step)


KNOWN = Session(machine=examples.MACHINE, parts=examples.PARTS)
PLANNED = replace(KNOWN, plan=examples.PLAN)
NO_CARD = replace(examples.MACHINE, gpus=())
LONG = Session(machine=LONG_MACHINE, parts=LONG_PARTS)
LONG_LINES = tuple(f"{n} {LONG_PATH * 2}" for n in range(400))
LONG_FAILURE = StepFailed(3, *(f"{LONG_NAME} {LONG_PATH} " * 3,) * 3)
LONG_FINDING = replace(
    OVERRIDE,
    title=LONG_NAME,
    evidence=(Evidence(LONG_NAME, LONG_PATH),) * 3,
    fix=(LONG_NAME,) * 3,
)
MANY = tuple(replace(LONG_FINDING, cause=f"{OVERRIDE.cause}-{n}") for n in range(400))


def session_at_any(step: str) -> Session:
    """What a user who came to this step brings along, also beside the line of the steps."""
    if step in ("roll_back", "diagnose", "clear"):
        return KNOWN
    return session_at(step)


def no_plan(machine: Machine, choice: Choice) -> Plan:
    """A folder that is taken."""
    raise ValueError(f"{choice.venv} holds files of another program")


def live(**approaches: object) -> Services:
    """The usual services but for these roads."""
    return but(LIVE_SERVICES, **approaches)


def past(**approaches: object) -> Services:
    """The usual services but for these roads to runs that are over."""
    return live(past=but(PAST, **approaches))


def diagnosing(**approaches: object) -> Services:
    """The usual services but for these ways to find out what is wrong."""
    return live(diagnostics=but(DIAGNOSING, **approaches))


CPU_ONLY = Environment("/home/sam/cpu", "venv", "3.12", torch("2.4.1+cpu", build="cpu"))
CPU_ALONE = Session(machine=replace(examples.MACHINE, environments=(CPU_ONLY,)), aside=True)
ON_CPU = ("o", "down", "down", "down", "right", "escape")
"""The keys that set the device of Measure to the CPU."""


async def all_pass(request: Request) -> AsyncGenerator[SweepEvent, None]:
    """Every shape passes."""
    rows = sweep_in(request).rows
    results = tuple(replace(result_of(rows[0]), shape=row.shape) for row in rows)
    for number, result in enumerate(results, 1):
        yield ShapeDone(number, len(results), result)
    yield SweepDone(results, None, 0.1)


IN_USE = live(circumstances=lambda: Circumstances(screen=True, in_use=True))


EMPTY: dict[str, State] = {
    "detect-no-card": State(
        "detect", ("No graphics card was found.",), live(detect=lambda on_part: NO_CARD)
    ),
    "clear-nothing": State(
        "clear", ("No plan can be made", "Nothing was changed."), keys=("down", "enter")
    ),
    "done-nothing": State("done", ("Nothing was installed.",), session=KNOWN),
    "explain-text-none": State("diagnose", ("There is no text yet",), keys=("t", "ctrl+r")),
    "apply-search-none": State("apply", ("no match",), keys=("slash", "q", "q", "q")),
}
"""What there is nothing of."""

ERRORS: dict[str, State] = {
    "welcome-unread": State(
        "welcome",
        ("Earlier runs cannot be read", "Permission denied", "start the program again"),
        live(undoable=fails(DENIED), unfinished=fails(DENIED)),
    ),
    "detect-error": State(
        "detect",
        ("could not be inspected", "The operation took", "Press r to read again"),
        live(detect=fails(SLOW)),
    ),
    "detect-error-half": State(
        "detect",
        ("Permission denied", "findings so far are below", "to read again"),
        live(detect=half_detected),
    ),
    "choose-no-plan": State(
        "choose",
        ("holds files of another program", "Choose another folder"),
        live(make=no_plan),
        ("enter",),
    ),
    "choose-denied": State(
        "choose",
        (
            "The plan was not made: Permission denied",
            "You do not have permission.",
            "choose another folder",
        ),
        live(make=fails(DENIED)),
        ("enter",),
    ),
    "clear-denied": State(
        "clear",
        (
            "The plan was not made: Permission denied",
            "You do not have permission.",
            "then choose again",
        ),
        live(make_clearing=fails(DENIED)),
        ("enter",),
    ),
    "review-refused": State(
        "review",
        (TOLD.happened, "This plan cannot start"),
        live(obstacle=lambda plan: TOLD),
    ),
    "review-unknown": State(
        "review",
        ("Could not check whether this plan can start", "The operation took too long", "open"),
        live(obstacle=fails(SLOW)),
    ),
    "review-not-saved": State(
        "review",
        ("The text was not saved: No space left", "The disk is full", "press s again"),
        live(save=fails(FULL)),
        ("s",),
    ),
    "apply-broken-off": State(
        "apply",
        ("The run ended early: No space left", "Try again"),
        live(carry_out=break_off),
    ),
    "apply-log-unnamed": State("apply", ("6 of 6 steps done",), live(log_of=fails(DENIED))),
    "roll-back-refused": State(
        "roll_back", (TOLD.happened, TOLD.meaning, TOLD.next_step), live(find_rollback=fails(TOLD))
    ),
    "roll-back-denied": State(
        "roll_back",
        (
            "The changes of the last run cannot be read",
            "You do not have permission.",
            "open Roll back again",
        ),
        live(find_rollback=fails(DENIED)),
    ),
    "take-back-broken": State(
        "take_back",
        ("The run ended early: No space left", "The rollback continues where it stopped"),
        session=replace(
            KNOWN, rollback=replace(LIVE_SERVICES.runs.find_rollback(), events=fails_later(FULL))
        ),
    ),
    "watch-broken": State(
        "watch",
        ("The run ended early: No such file", "to see which steps are still running as root"),
        session=replace(
            KNOWN, at_work=AtWork("apt is at work", "/var/lib/rdna1-setup/x", fails_later(GONE))
        ),
    ),
    "conv2d-stopped": State(
        "conv2d",
        ("The run stopped early: No space left", "The disk is full", "press Enter again"),
        live(run=no_sweep),
        (*ON_CPU, "enter"),
    ),
    "conv2d-under-way-unknown": State(
        "conv2d",
        ("Could not check whether a run is active", "You do not have permission.", "Press h"),
        live(under_way=fails(DENIED)),
        top=Notice,
    ),
    "conv2d-nobody-known": State(
        "conv2d",
        (
            "Could not check who a hang would disturb",
            "The operation took too long",
            "press Enter again",
        ),
        live(circumstances=fails(SLOW)),
        ("enter",),
    ),
    "history-unread": State(
        "conv2d",
        ("The saved runs cannot be read", "You do not have permission.", "press h again"),
        past(kept=fails(DENIED)),
        ("h",),
    ),
    "history-vanished": State(
        "conv2d",
        ("The file or folder does not exist. It may", "Fix the problem, then try again."),
        past(whole=fails(GONE)),
        ("h", "enter"),
    ),
    "report-not-gathered": State(
        "done",
        ("The report could not be collected", "You do not have permission.", "press p again"),
        live(draft=fails(DENIED)),
        ("p",),
    ),
    "report-not-written": State(
        "done",
        ("The report was not written: No space left", "The disk is full", "name another folder"),
        live(draft=lambda: replace(REPORT, write=fails(FULL))),
        ("p", "w", "enter"),
    ),
    "diagnose-slow": State(
        "diagnose",
        (
            "This machine could not be inspected",
            "The operation took too long",
            "Press r to try again",
        ),
        live(detect=fails(SLOW)),
        session=Session(),
    ),
    "diagnose-not-saved": State(
        "diagnose",
        ("The text was not saved: No space left", "The disk is full", "press s again"),
        live(save=fails(FULL)),
        ("s",),
    ),
    "diagnose-no-fix": State(
        "diagnose",
        (
            "The plan was not made: Permission denied",
            "You do not have permission.",
            "press Enter again",
        ),
        diagnosing(make_fix=fails(DENIED)),
        ("enter",),
    ),
    "diagnose-vanished": State(
        "diagnose",
        (
            "The text was not read: No such file",
            "The file or folder does not exist. It may",
            "name another file",
        ),
        diagnosing(explain_file=fails(GONE)),
        ("t", "tab", "slash", "x", "enter"),
    ),
}
"""What fails, and is told."""

LONGEST: dict[str, State] = {
    "welcome-long": State(
        "welcome",
        ("Not finished", "Continue"),
        live(
            unfinished=lambda: Unfinished(
                "20260101-120000-3f9a1c", "rocm52", "rocm52", LONG_PATH, "venv"
            )
        ),
    ),
    "detect-long": State("detect", ("for your",), live(detect=long_detect)),
    "detect-long-details": State(
        "detect", ("Source:",), live(detect=long_detect), ("space", "down", "space")
    ),
    "choose-long": State("choose", ("Changes",), session=replace(LONG, folder=LONG_PATH)),
    "clear-long": State("clear", ("What do you want to remove?",), session=LONG),
    "review-long": State("review", ("72 steps",), session=replace(LONG, plan=LONG_PLAN)),
    "apply-long": State("apply", ("72 of 72 steps done",), session=replace(LONG, plan=LONG_PLAN)),
    "apply-long-failure": State(
        "apply",
        ("What to do:",),
        live(carry_out=fail_at_three),
        session=replace(LONG, plan=replace(LONG_PLAN, steps=LONG_PLAN.steps[:3])),
    ),
    "done-long": State(
        "done",
        ("Not finished",),
        session=replace(
            LONG,
            plan=LONG_PLAN,
            failure=LONG_FAILURE,
            finished=PlanFinished(False, False, True, True, "20260101-120000", LONG_PATH),
        ),
    ),
    "roll-back-long": State("roll_back", ("Roll back run",), live(find_rollback=lambda: LONG_BACK)),
    "conv2d-long": State("conv2d", ("Python",), session=replace(LONG, plan=LONG_PLAN)),
    "history-long": State(
        "conv2d",
        ("a-folder-with",),
        past(whole=lambda run: LONG_LINES[:40]),
        ("h", "enter"),
    ),
    "report-long": State(
        "done",
        ("This is the whole report.",),
        live(draft=lambda: replace(REPORT, path=LONG_PATH, lines=LONG_LINES)),
        ("p",),
    ),
    "report-long-path": State(
        "done",
        ("Save the report",),
        live(draft=lambda: replace(REPORT, path=LONG_PATH, about=(LONG_PATH,) * 30)),
        ("p", "w"),
    ),
    "saved-long": State(
        "review",
        ("Saved", "rdna1-plan"),
        live(save=lambda name, text: f"{LONG_PATH}/{name}"),
        ("s",),
    ),
    "diagnose-400": State("diagnose", ("400 faults",), diagnosing(look=looking(*MANY))),
}
"""Texts without end."""

USUAL: dict[str, State] = {
    "clear": State("clear", ("What do you want to remove?",)),
    "history-whole": State("conv2d", ("16->32 3x3",), keys=("h", "enter")),
    "history-result": State(
        "conv2d", ("Which result do you want a script for?",), keys=("h", "r"), top=ResultChoice
    ),
    "history-export": State("conv2d", ("Export as a card",), keys=("h", "x"), top=PathQuestion),
    "history-over": State(
        "conv2d", ("Overwrite this file?",), past(is_there=lambda path: True), ("h", "x", "enter")
    ),
    "history-written": State("conv2d", ("Read it before you share it",), keys=("h", "x", "enter")),
    "history-none": State("conv2d", ("No Conv2d",), past(kept=KeptRuns), ("h",)),
    "conv2d-cpu": State("conv2d", ("CPU only", "on the CPU"), session=CPU_ALONE),
    "conv2d-right": State(
        "conv2d",
        ("All 10 shapes are right.", "Enter continues to Done."),
        live(run=all_pass),
        ("enter", "y"),
    ),
    "conv2d-one-shape": State("conv2d", ("This shape",), keys=("down", "space"), top=Details),
    "conv2d-options": State("conv2d", ("Options",), keys=("o",), top=OptionsDialog),
    "conv2d-in-use": State("conv2d", ("its screen is in use",), IN_USE, ("enter",), top=Question),
    "welcome-help": State("welcome", ("Help: Welcome",), keys=("question_mark",)),
}
"""Screens and windows that no other golden shows at both sizes."""

DRY: dict[str, State] = {
    "detect-dry-run": State("detect", ("DRY RUN",), DRY_SERVICES),
    "choose-dry-run": State("choose", ("DRY RUN",), DRY_SERVICES),
    "clear-dry-run": State("clear", ("DRY RUN",), DRY_SERVICES),
    "conv2d-dry-run": State("conv2d", ("DRY RUN", "nothing is started"), DRY_SERVICES),
    "conv2d-dry-run-start": State("conv2d", ("Nothing was started.",), DRY_SERVICES, ("enter",)),
    "diagnose-fix-dry-run": State("diagnose", ("DRY RUN", "[Review]"), DRY_SERVICES, ("enter",)),
    "done-demo": State("done", ("DEMO",), but(DRY_SERVICES, mode=DEMO)),
}
"""Screens that are to say that nothing is done."""

STATES = {**USUAL, **EMPTY, **ERRORS, **LONGEST, **DRY}
