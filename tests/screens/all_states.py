"""Every screen and window at least once, and the states that no usual day shows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import replace

from screens.choose.approaches import ApproachList, Evidence
from screens.conv2d.details import Answer
from screens.diagnose.text_question import TextQuestion
from screens.dialogs import LinesView, Notice, Question
from screens.explain import Explain
from screens.history.screen import HINT, History
from screens.palette import Palette
from screens.report_preview import ReportPreview
from screens.run.screen import RunScreen
from tests.conv2d.test_settings_command import ANSWER
from tests.screens import examples
from tests.screens.diagnose_fakes import FINE, OVERRIDE, looking
from tests.screens.examples import MACHINE
from tests.screens.failing import LONG_NAME, LONG_PATH
from tests.screens.fakes import DRY_SERVICES, LIVE_SERVICES, LOG
from tests.screens.past_fakes import FOLDER
from tests.screens.states import KNOWN, LONG_LINES, PLANNED, State, diagnosing, live
from tests.screens.states import STATES as UNUSUAL
from tests.screens.test_keeping import SEARCH, services_that_find
from wizard.core.events import (
    Event,
    Output,
    PlanFinished,
    Progress,
    StepFailed,
    StepFinished,
    StepStarted,
)
from wizard.core.trouble import Trouble
from wizard.machine.facts import FoundApplication, Machine
from wizard.operations.groups import AddToGroups
from wizard.plan.steps import Plan
from wizard.plan.wheel_index import WheelsSought
from wizard.run.at_work import AtWork
from wizard.run.preflight import NOT_TOLD, WheelsSize
from wizard.services import Services


def with_events(*events: Event, ends: bool = False) -> Callable[..., AsyncGenerator[Event, None]]:
    """Events that come at once, and then none for as long as anybody looks."""

    async def come(*_: object) -> AsyncGenerator[Event, None]:
        for event in events:
            yield event
        if not ends:
            await asyncio.Event().wait()

    return come


JOIN = AddToGroups("this permission to use the GPU.", "sam", ("render",))
JOINING = replace(
    PLANNED,
    plan=replace(examples.PLAN, steps=(JOIN, *examples.PLAN.steps)),
    choice=examples.CHOICE,
)
COMFYUI = FoundApplication("comfyui", "/home/sam/ComfyUI", "", "")
JOINED = replace(
    JOINING,
    machine=replace(MACHINE, applications=(COMFYUI,)),
    applications=("comfyui",),
    finished=PlanFinished(True, False, True, True, "20260101-120000", LOG),
)


LONG_EVENTS = (
    StepStarted(1, 1, f"apt-get install {LONG_PATH}", LONG_NAME),
    Output(LONG_LINES[:40]),
    Progress(26, 100, "percent", f"Unpacking {LONG_NAME}", None),
)
LONG_FAILURE = StepFailed(1, *(f"{LONG_NAME} {LONG_PATH}",) * 3)
NOT_DONE = PlanFinished(False, False, False, False, "", "")
AT_WORK = (
    StepStarted(3, 3, "step 3 of root's part", "step 3 of root's part"),
    Output(("Get:1 rocm-dev", "apt is still working, 63 %")),
    Progress(26, 100, "percent", "Unpacking libssl3 (amd64)", None),
)


def root_at_work(text: str, saved: str, *events: Event) -> Services:
    """Root at work for an earlier start."""
    return live(at_work=lambda: AtWork(text, saved, with_events(*events)))


GONE = Trouble(
    "download.pytorch.org has no torch==1.13.1+rocm5.2 for Python 3.10 on a 64-bit PC with "
    "Linux. The index has other wheels for this package.",
    "What this plan installs cannot be downloaded. Nothing was changed.",
    "Use another stack, or name an index or a folder that has these wheels, with --torch-index URL "
    "or --wheelhouse DIR.",
)
WHY = "The server is down, or a firewall or a wrong proxy setting blocks the connection."


def answering(found: WheelsSought) -> Callable[[Plan, Machine], Awaitable[WheelsSought]]:
    """An index that has been asked."""

    async def seek(_plan: Plan, _machine: Machine) -> WheelsSought:
        return found

    return seek


def saying(found: WheelsSize) -> Callable[[Plan], Awaitable[WheelsSize]]:
    """A pip that has been asked."""

    async def size(_plan: Plan) -> WheelsSize:
        return found

    return size


CLEAN = replace(MACHINE, environments=(), rocm_trees=(), rocm_packages=(), settings=())
TAKEN_BACK = (
    StepStarted(1, 2, "undo run 20260101-120000-3f9a1c", "The folder."),
    Output(("removed 12 files",)),
    StepFinished(1, 0.1, False, "undone"),
    PlanFinished(True, False, True, False, "", ""),
)

WINDOWS: dict[str, State] = {
    "palette": State(
        "welcome", ("What do you want to do?", "key Enter"), keys=("ctrl+p",), top=Palette
    ),
    "palette-typed": State("welcome", ("Colors: light",), keys=("ctrl+p", *"light"), top=Palette),
    "keys-of-a-window": State(
        "conv2d", ("Help: keys in this window",), keys=("o", "question_mark"), top=Notice
    ),
    "explain": State("choose", ("Explanations",), keys=("i",), top=Explain),
    "explained": State("choose", ("===",), keys=("i", "enter"), top=LinesView),
    "ask": State("ask", ("What do you want to run?",)),
    "compare": State("compare", ("Large convolutions:",)),
    "roads": State("choose", ("All 28 known approaches",), keys=("o",), top=ApproachList),
    "choose-cannot-run": State(
        "ask",
        ("cannot run ComfyUI",),
        keys=("space", "enter", "down", "enter"),
        top=Question,
    ),
    "review-groups": State("review", ("Press g to keep your groups",), session=JOINING),
    "done-login": State("done", ("Log out and log in again", "cd ~/ComfyUI"), session=JOINED),
    "stack-in-full": State("choose", ("all details",), keys=("d",), top=LinesView),
    "evidence": State("choose", ("Evidence: rocm52",), keys=("e",), top=Evidence),
    "review-wheels-gone": State(
        "review",
        ("has no torch==1.13.1+rocm5.2", "Nothing was changed", "--torch-index URL"),
        live(seek_wheels=answering(WheelsSought(GONE))),
    ),
    "review-wheels-not-asked": State(
        "review",
        ("could not be asked", "Enter installs"),
        live(seek_wheels=answering(WheelsSought(note=f"{LONG_NAME} could not be asked. {WHY}"))),
    ),
    "review-size": State(
        "review",
        ("uv currently chooses 35 wheels: 2.7 GB to download.", "2.7 GB download"),
        live(wheels_size=saying(WheelsSize(35, 2_700_000_000))),
    ),
    "review-size-not-known": State(
        "review",
        ("The size of the download is not known: not every server", "as of 20"),
        live(wheels_size=saying(WheelsSize(35, None, NOT_TOLD))),
    ),
    "text-asked": State("diagnose", ("Explain a text",), keys=("t",), top=TextQuestion),
    "answer": State("conv2d", ("10 shapes on cuda",), keys=("enter", "y", "a"), top=Answer),
    "setting-found": State(
        "conv2d",
        ("Enter opens Review to save this setting.",),
        services_that_find(ANSWER),
        SEARCH,
    ),
    "report": State("done", ("This is the whole report.",), keys=("p",), top=ReportPreview),
    "welcome-at-work": State(
        "welcome",
        ("apt is still working", "Watch"),
        root_at_work("apt is still working, 63 %", f"{FOLDER}/events.jsonl", *AT_WORK),
    ),
    "welcome-at-work-long": State(
        "welcome", ("Watch",), root_at_work(f"apt {LONG_NAME}", LONG_PATH, *LONG_EVENTS)
    ),
    "watch": State(
        "welcome",
        ("Unpacking libssl3",),
        root_at_work("apt is still working, 63 %", f"{FOLDER}/events.jsonl", *AT_WORK),
        ("w",),
        top=RunScreen,
    ),
    "watch-long": State(
        "welcome",
        ("Unpacking AMD",),
        root_at_work(f"apt {LONG_NAME}", LONG_PATH, *LONG_EVENTS),
        ("w",),
        top=RunScreen,
    ),
    "roll-back": State("roll_back", ("Roll back run 20260101",), live(undoable=lambda: True)),
    "take-back": State(
        "take_back",
        ("removed 12 files",),
        session=replace(
            KNOWN,
            rollback=replace(
                LIVE_SERVICES.runs.find_rollback(), events=with_events(*TAKEN_BACK, ends=True)
            ),
        ),
    ),
    "history": State("conv2d", (HINT,), keys=("h",), top=History),
    "history-dry-run": State("conv2d", ("DRY RUN",), DRY_SERVICES, ("h",), top=History),
    "diagnose": State("diagnose", ("2 faults",)),
    "diagnose-unfolded": State("diagnose", ("There is",), keys=("end", "space")),
    "diagnose-clean": State("diagnose", ("all fine",), diagnosing(look=looking(*FINE))),
    "diagnose-one": State("diagnose", ("1 fault",), diagnosing(look=looking(OVERRIDE))),
    "detect-clean": State("detect", ("on your",), live(detect=lambda on_part: CLEAN)),
    "choose-clean": State("choose", ("a new folder",), session=replace(KNOWN, machine=CLEAN)),
    "clear-clean": State(
        "clear", ("What do you want to remove?",), session=replace(KNOWN, machine=CLEAN)
    ),
}
"""Every window, and the screens beside the road, on usual days and on a clean machine."""

STATES = {**WINDOWS, **UNUSUAL}
EACH_ONCE = {state.seen: name for name, state in reversed(STATES.items()) if state.seen}
"""Every screen and window, with the name of a state that shows it."""
USUAL = {name: STATES[name] for name in (*EACH_ONCE.values(), *WINDOWS)}
"""States that show each screen and window, and what of them differs from machine to machine."""
