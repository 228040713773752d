"""Text from outside is shown as it is: never markup, never a command to the terminal."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from dataclasses import replace

from rich.segment import Segment
from textual.color import Color

from screens.app import SafeOutput, SetupApp
from screens.session import STEPS, Session
from tests.screens import examples
from tests.screens.collaborators import but
from tests.screens.driving import go, press, reach, resolved, screen_text, session_at
from tests.screens.examples import NASTY
from tests.screens.fakes import LIVE_SERVICES
from wizard.advice.fit import Answer
from wizard.advice.recommend import Recommendation
from wizard.conv2d.shapes import Preset, Published, Row, square
from wizard.core.events import Event, Output, PlanFinished, Progress, StepFailed, StepStarted
from wizard.core.glyphs import to_ascii
from wizard.knowledge.claims import Word
from wizard.machine.facts import Machine
from wizard.machine.part import PartDone
from wizard.operations.write_file import WriteFile
from wizard.plan.choice import Choice
from wizard.plan.steps import Plan
from wizard.services import Services
from wizard.services.runs import Rollback

SIZE = (120, 40)


def detect(on_part: Callable[[PartDone], None]) -> Machine:
    on_part(examples.Part(NASTY, NASTY, NASTY, (NASTY,)))
    return examples.NASTY_MACHINE


def recommend(machine: Machine, applications: tuple[str, ...], preset: str) -> Recommendation:
    found = replace(examples.recommend(machine, ()), applications=applications or ("own",))
    text = (NASTY,)
    answers = tuple(Answer(one, Word.NO, NASTY) for one in found.applications)
    fit = replace(found.fits[0], obstacles=text, needs=text, answers=answers)
    fit = replace(fit, possible=not applications)
    return replace(found, fits=(fit,), sentence=NASTY, reason=NASTY, next_best=NASTY, measure=NASTY)


def make_plan(machine: Machine, choice: Choice) -> Plan:
    step = WriteFile(NASTY, NASTY, NASTY, f"{NASTY}\n{NASTY}", 0o644)
    return replace(examples.PLAN, steps=(step,), notes=(NASTY,), venv=NASTY, stack=NASTY)


async def carry_out(plan: Plan) -> AsyncGenerator[Event, None]:
    yield StepStarted(1, 1, NASTY, NASTY)
    yield Output((NASTY,))
    yield Progress(1, 2, NASTY, NASTY, None)
    yield StepFailed(1, NASTY, NASTY, NASTY)
    yield PlanFinished(False, False, True, True, NASTY, NASTY)


async def take_back() -> AsyncGenerator[Event, None]:
    async for event in carry_out(examples.PLAN):
        yield event


ROW = Row(square(1, 1, 8), Published(NASTY, None, None, None, NASTY, NASTY))
BACK = Rollback(NASTY, make_plan(examples.MACHINE, examples.CHOICE), take_back, lambda: None)
SERVICES = but(
    LIVE_SERVICES,
    detect=detect,
    recommend=recommend,
    make=make_plan,
    carry_out=carry_out,
    stacks=lambda: tuple(replace(s, title=NASTY, torch=NASTY) for s in examples.STACKS),
    claims=lambda: tuple(
        replace(claim, text=NASTY, who=NASTY, source=NASTY, card=NASTY) for claim in examples.CLAIMS
    ),
    applications=lambda: tuple(replace(a, title=NASTY) for a in examples.APPLICATIONS),
    undoable=lambda: True,
    find_rollback=lambda: BACK,
    presets=lambda: (Preset("a", NASTY, NASTY, NASTY, (ROW,)),),
)
KEYS = {
    "detect": ("enter",),
    "choose": ("space", "enter", "e"),
    "conv2d": ("space",),
}


async def test_nasty_text_is_shown_and_obeyed_by_nobody() -> None:
    async with nasty_app(SERVICES, "welcome").run_test(size=SIZE, notifications=True) as pilot:
        for step in (*STEPS[1:], "roll_back", "take_back"):
            await go(pilot, step, nasty_session(step))
            await resolved(pilot)
            await press(pilot, *KEYS.get(step, ()))
            text = screen_text(pilot.app)
            assert "[/opt/rocm] [bold]x [gfx1010]" in text, step
            assert "\x1b" not in text
            assert "\x07" not in text


async def test_a_saved_plan_holds_no_escape() -> None:
    saved: list[str] = []

    def save(name: str, text: str) -> str:
        saved.append(text)
        return name

    services = but(SERVICES, save=save)
    async with nasty_app(services, "review").run_test(size=SIZE) as pilot:
        await reach(pilot, "review")
        await press(pilot, "s")
        assert "[bold]x" in saved[0]
        assert "\x1b" not in saved[0]


def test_the_last_gate_lets_no_control_character_through() -> None:
    segments = SafeOutput(ascii_only=False).apply([Segment("a\x1b[31mb\x9bc")], Color(0, 0, 0))
    assert [segment.text for segment in segments] == ["abc"]


async def test_an_ascii_terminal_gets_ascii_alone() -> None:
    app = SetupApp(but(LIVE_SERVICES, unicode=False))
    async with app.run_test(size=(80, 24)) as pilot:
        for step in STEPS:
            await go(pilot, step)
            await resolved(pilot)
            await press(pilot, "question_mark")
            assert screen_text(app).isascii(), step


def test_ascii_keeps_the_width_of_our_marks() -> None:
    assert to_ascii("✓ ok … ─ █░ é") == "* ok ~ - #. ?"


def nasty_app(services: Services, step: str) -> SetupApp:
    """The app at a step, with nasty text in everything that it was given."""
    return SetupApp(services, nasty_session(step), step)


def nasty_session(step: str) -> Session:
    """What a step needs, as nasty as can be."""
    session = session_at(step) if step in STEPS else Session(rollback=BACK)
    machine = examples.NASTY_MACHINE if session.machine else None
    plan = make_plan(examples.MACHINE, examples.CHOICE) if session.plan else None
    return replace(session, machine=machine, plan=plan)
