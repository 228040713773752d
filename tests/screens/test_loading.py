"""What takes a while is told, with its time, and its screen stands as it will when it has come."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, replace

import pytest
from textual.geometry import Offset
from textual.pilot import Pilot

from screens.app import SetupApp
from screens.history.screen import HINT
from screens.session import Session
from tests.screens import examples
from tests.screens.collaborators import but
from tests.screens.diagnose_fakes import DIAGNOSING, FROM_TEXT
from tests.screens.driving import as_agreed, drawn, press, screen_text, until
from tests.screens.failing import Waiting
from tests.screens.fakes import LIVE_SERVICES, REPORT
from tests.screens.past_fakes import PAST
from tests.screens.states import KNOWN, session_at_any
from tests.screens.test_goldens import SIZES
from wizard.conv2d.requests import Request, sweep_in
from wizard.conv2d.sweep import ShapeStarted, SweepDone, SweepEvent
from wizard.core.events import StepStarted
from wizard.machine.facts import Machine
from wizard.operations.packages import UNRESOLVED, AptChange
from wizard.plan.steps import Plan
from wizard.plan.wheel_index import WheelsSought
from wizard.run.at_work import AtWork
from wizard.services import Services

DIAGNOSED = "2 faults, 1 warning"
Compare = Callable[[str, str], None]
OPEN = AptChange("x", install=(("rocm-core", UNRESOLVED),))
OPEN_PLAN = replace(examples.PLAN, steps=(OPEN, *examples.PLAN.steps))
STARTED = StepStarted(1, 6, "uv python install --no-bin 3.10", "The first step.")


@dataclass(frozen=True, slots=True)
class Loading:
    """A screen that waits: the words of what it does, and the part that is not to move."""

    step: str
    says: str
    still: str
    services: Callable[[Waiting], Services]
    keys: tuple[tuple[str, str], ...] = ()
    """Each with the words that stand there before it is pressed."""
    session: Session | None = None


def _past(waiting: Waiting) -> Services:
    return waiting.services(past=but(PAST, whole=waiting.approach(PAST.whole)))


def _runs(waiting: Waiting) -> Services:
    return waiting.services(past=but(PAST, kept=waiting.approach(PAST.kept)))


def _explains(waiting: Waiting) -> Services:
    text = waiting.approach(lambda _: FROM_TEXT)
    return waiting.services(diagnostics=but(DIAGNOSING, explain_file=text))


def _fixes(waiting: Waiting) -> Services:
    fix = waiting.approach(DIAGNOSING.make_fix)
    return waiting.services(diagnostics=but(DIAGNOSING, make_fix=fix))


def _resolves(waiting: Waiting) -> Services:
    return waiting.services(resolve=waiting.approach(examples.make_plan))


def _seeks(waiting: Waiting) -> Services:
    async def seek(_plan: Plan, _machine: Machine) -> WheelsSought:
        await asyncio.to_thread(waiting.gate.wait)
        return WheelsSought()

    return waiting.services(seek_wheels=seek)


def _watches(waiting: Waiting) -> Services:
    work = AtWork("apt is at work", "/var/x", waiting.events())
    return waiting.services(at_work=lambda: work)


def _measures(waiting: Waiting) -> Services:
    async def run(request: Request) -> AsyncGenerator[SweepEvent, None]:
        sweep = sweep_in(request)
        yield ShapeStarted(1, len(sweep.rows), sweep.rows[0], sweep.deadlines.first)
        await asyncio.to_thread(waiting.gate.wait)
        yield SweepDone((), None, 0.1)

    return waiting.services(run=run)


MEASURES = tuple(("", key) for key in ("o", *("down",) * 3, "right", "escape", "enter"))
"""On the CPU: no question comes before."""
STATES: dict[str, Loading] = {
    "detect": Loading(
        "detect",
        "Inspecting this machine",
        "#parts",
        lambda w: w.services(detect=w.approach(LIVE_SERVICES.knowledge.detect)),
    ),
    "diagnose": Loading(
        "diagnose",
        "Inspecting this machine",
        "#findings",
        lambda w: w.services(detect=w.approach(LIVE_SERVICES.knowledge.detect)),
        session=Session(),
    ),
    "diagnose-text": Loading(
        "diagnose",
        "Reading x",
        "#findings",
        _explains,
        ((DIAGNOSED, "t"), ("Explain a text", "tab"), ("", "x"), ("", "enter")),
    ),
    "diagnose-fix": Loading(
        "diagnose", "Making the plan", "#details", _fixes, ((DIAGNOSED, "enter"),)
    ),
    "review": Loading(
        "review",
        "Checking the packages and versions",
        "#plan",
        _resolves,
        session=replace(KNOWN, plan=OPEN_PLAN, choice=examples.CHOICE),
    ),
    "review-wheels": Loading("review", "Checking whether the index", "#plan", _seeks),
    "clear": Loading(
        "clear",
        "Reading the files that would change",
        "#menu",
        lambda w: w.services(make_clearing=w.approach(LIVE_SERVICES.plans.make_clearing)),
        (("What do you want to remove?", "enter"),),
    ),
    "roll-back": Loading(
        "roll_back",
        "Reading what the last run changed",
        "#plan",
        lambda w: w.services(find_rollback=w.approach(LIVE_SERVICES.runs.find_rollback)),
    ),
    "history": Loading("conv2d", "Reading earlier runs", "#runs", _runs, (("Which Python", "h"),)),
    "history-whole": Loading(
        "conv2d", "Reading ...", "#runs", _past, (("Which Python", "h"), (HINT, "enter"))
    ),
    "report": Loading(
        "done",
        "Gathering information for the report. Nothing has been written yet.",
        "#report-lines",
        lambda w: w.services(draft=w.approach(lambda: REPORT)),
        (("p Report", "p"),),
    ),
    "apply": Loading(
        "apply",
        "step 1 of 6",
        "#log",
        lambda w: w.services(carry_out=w.events(STARTED)),
    ),
    "apply-starts": Loading(
        "apply", "Starting", "#log", lambda w: w.services(carry_out=w.events())
    ),
    "watch": Loading("welcome", "Starting", "#log", _watches, (("for your RX 5600", "w"),)),
    "conv2d": Loading("conv2d", "Now 16->32 at 32x32", "#grid", _measures, MEASURES),
}


def place_of(pilot: Pilot[int], part: str) -> Offset | None:
    """Where a part of the screen begins; None for one that is not on it."""
    found = pilot.app.screen.query(part)
    return found.first().region.offset if found else None


async def come_to(pilot: Pilot[int], state: Loading) -> None:
    for words, key in state.keys:
        await until(pilot, lambda words=words: words in screen_text(pilot.app))  # type: ignore[misc]
        await press(pilot, key)
        await drawn(pilot.app)
    await until(pilot, lambda: state.says in screen_text(pilot.app))
    await drawn(pilot.app)


@pytest.mark.parametrize("name", STATES)
async def test_what_is_done_is_told_with_its_time_and_nothing_jumps_when_it_comes(
    name: str, same_as_golden: Compare
) -> None:
    state, waiting = STATES[name], Waiting()
    session = session_at_any(state.step) if state.session is None else state.session
    app = SetupApp(state.services(waiting), session, state.step)
    try:
        async with app.run_test(size=SIZES[0]) as pilot:
            await come_to(pilot, state)
            waiting.now = 12.0
            await until(pilot, lambda: "12 s so far" in screen_text(pilot.app))
            await as_agreed(pilot, same_as_golden, f"loading-{name}")
            before = place_of(pilot, state.still)
            assert before is not None
            waiting.gate.set()
            await until(pilot, lambda: "so far" not in screen_text(pilot.app))
            after = place_of(pilot, state.still)
            assert after in (before, None), "what came has moved it"
    finally:
        # Else the end of the loop would wait for the thread, and a failure never be seen.
        waiting.gate.set()
