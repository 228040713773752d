"""The mouse: a row, a tick, a tab, a key on an edge: a click does what the key does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot

from screens.app import SetupApp
from screens.choose.approaches import ApproachList
from screens.choose.ask import Ask
from screens.choose.screen import Choose
from screens.conv2d.screen import Conv2d
from screens.dialogs import LinesView, Notice, PathQuestion, Question
from screens.report_preview import ReportPreview
from screens.session import Session
from tests.screens.collaborators import but
from tests.screens.diagnose_fakes import FINDINGS
from tests.screens.driving import drawn, press, resolve, screen_text, step_name, until
from tests.screens.fakes import LIVE_SERVICES
from tests.screens.reaching import flat, rest
from tests.screens.states import session_at_any
from wizard.services import Services

SIZE = (80, 24)
WIDE = (120, 40)


def screen(kind: type) -> Callable[[App[int]], bool]:
    """True once a screen of this kind is on top."""
    return lambda app: isinstance(app.screen, kind)


def step(name: str) -> Callable[[App[int]], bool]:
    """True once this step is on the screen."""
    return lambda app: step_name(app) == name


def shows(text: str) -> Callable[[App[int]], bool]:
    """True once this stands on the screen."""
    return lambda app: text in " ".join(screen_text(app).split())


def of(kind: type, look: Callable[[Any], object]) -> Callable[[App[int]], bool]:
    """True once what is known of a step is so."""
    return lambda app: isinstance(app.screen, kind) and bool(look(app.screen))


@dataclass(frozen=True, slots=True)
class Click:
    """Words on a screen, and what a click on them leads to."""

    step: str
    words: str
    leads: Callable[[App[int]], bool]
    keys: tuple[str, ...] = ()
    services: Services = LIVE_SERVICES
    size: tuple[int, int] = SIZE
    session: Session | None = None


UNDOABLE = but(LIVE_SERVICES, undoable=lambda: True)
CLICKS: dict[str, Click] = {
    "start": Click("welcome", "Set up", step("detect")),
    "panel": Click("welcome", "Measure  ", step("conv2d")),
    "diagnose": Click("welcome", "Diagnose  ", step("diagnose")),
    "remove": Click("welcome", "Remove  ", step("detect")),
    "report": Click("welcome", "Report  ", screen(ReportPreview)),
    "roll back": Click("welcome", "Roll back  ", step("roll_back"), (), UNDOABLE),
    "answer": Click("detect", "System  ", screen(Notice)),
    "wish": Click("ask", "[ ] YOLO", of(Ask, lambda s: s.session.applications == ("yolo",))),
    "stack": Click("choose", "rocm57", of(Choose, lambda s: s.session.stack == "rocm57")),
    "other ways": Click("choose", "All known approaches", screen(ApproachList)),
    "aspect": Click("compare", "disputed", shows("with rocm57: disputed")),
    "way": Click("clear", "Other leftovers", step("review")),
    "finding": Click("diagnose", FINDINGS[1].title[:30], screen(LinesView)),
    "fixable": Click("diagnose", "A variable is set", step("review")),
    "fine": Click("diagnose", "3 more checks", shows("There is")),
    "topic": Click("choose", "HSA_OVERRIDE_GFX_VERSION", screen(LinesView), ("i",)),
    "road": Click("choose", "ROCm 6.2 wheels", shows("Matrix products"), ("o",)),
    "shape": Click("conv2d", "48x48    16->32", shows("> 48x48"), ("v",)),
    "cell": Click("conv2d", "(hung)", screen(Notice)),
    "option": Click("conv2d", "Deadline      <", shows("< 180 s for each shape"), ("o",)),
    "options done": Click("conv2d", "Esc Done", step("conv2d"), ("o",)),
    "python": Click("conv2d", "~/ai/venv", shows("> ~/ai/venv")),
    "another python": Click("conv2d", "Another Python", of(Conv2d, lambda s: s._list.typing)),
    "result": Click("conv2d", "32->64 3x3", screen(PathQuestion), ("h", "r")),
    "result left": Click("conv2d", "Esc Back", step("history"), ("h", "r")),
    "path taken": Click("done", "Enter Accept", shows("Written"), ("p", "w")),
    "yes": Click("conv2d", "y I saved my work", shows("hang at 224x224"), ("enter",)),
    "no": Click("conv2d", "Esc No, go back", step("conv2d"), ("enter",)),
    "closed": Click("detect", "Esc Close", step("detect"), ("space",)),
    "run": Click("conv2d", "2026-01-02 08:04", screen(LinesView), ("h",)),
}


async def click(pilot: Pilot[int], words: str) -> None:
    """Clicks in the middle of words where they stand first."""
    for y, line in enumerate(screen_text(pilot.app).split("\n")):
        if (x := line.find(words)) >= 0:
            await pilot.click(offset=(x + len(words.rstrip()) // 2, y))
            await resolve(pilot.app)
            return
    raise AssertionError(f"{words!r} is not on the screen:\n{screen_text(pilot.app)}")


@pytest.mark.parametrize("name", CLICKS)
async def test_a_click_does_what_the_words_under_it_say(name: str) -> None:
    case = CLICKS[name]
    app = SetupApp(case.services, case.session or session_at_any(case.step), case.step)
    async with app.run_test(size=case.size) as pilot:
        await rest(pilot)
        for key in case.keys:
            await press(pilot, key)
            await rest(pilot)
        await drawn(app)
        before = flat(pilot)
        await click(pilot, case.words)
        await until(pilot, lambda: case.leads(app) and flat(pilot) != before)


@pytest.mark.parametrize("words", ["Measure every shape"])
async def test_a_click_in_the_blank_rest_of_a_line_changes_nothing(words: str) -> None:
    app = SetupApp(LIVE_SERVICES, session_at_any("conv2d"), "conv2d")
    async with app.run_test(size=WIDE) as pilot:
        await rest(pilot)
        before = flat(pilot)
        rows = screen_text(app).split("\n")
        y = next(at for at, row in enumerate(rows) if words in row)
        await pilot.click(offset=(len(rows[y]) + 5, y))
        await rest(pilot)
        assert flat(pilot) == before


async def test_a_click_beside_all_words_of_a_question_answers_nothing() -> None:
    app = SetupApp(LIVE_SERVICES, session_at_any("conv2d"), "conv2d")
    async with app.run_test(size=SIZE) as pilot:
        await rest(pilot)
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(app.screen, Question))
        for offset in ((0, 0), (40, 23), (40, 12)):
            await pilot.click(offset=offset)
        await resolve(app)
        assert isinstance(app.screen, Question)
