"""The pictures of README.md and SCREENS.md, drawn by the program itself on recorded machines.

``python -m tests.documents.screenshot`` writes them all; look at them in a browser before they are
kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

from screens.app import SetupApp
from screens.conv2d.sweep_views import SweepViews
from screens.diagnose.text import Shown
from screens.start import services_for
from screens.themes import DARK
from screens.widgets.log_pane import RunLog
from tests.documents.svg import Frame, frame_of, picture
from tests.screens.collaborators import but
from tests.screens.driving import LOOK_AGAIN_S, press, reach, resolved, still, until
from wizard.cli.options import parser
from wizard.conv2d.runs.example import replayed
from wizard.core.events import Event, StepStarted
from wizard.plan.steps import Plan
from wizard.services import Services

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "assets" / "screenshots"
SIZE = (104, 30)
BROKEN = "tests/machines/rx5700xt-jammy-clean"
"""A recorded machine with a fault, for Diagnose: the demo's has none."""
DEMO_TITLE = "rdna1-setup --demo: an example machine; its hang was planted, on another GPU"
TODAY = date(2026, 11, 25)
STEP_S = 0.15
"""For so long the film shows a step of Install."""
SEEN_S = 0.1
"""What is over sooner has no frame."""
WALK = (
    ("", "welcome", 1.6, "", 1),
    ("enter", "detect", 1.6, "detect", 1),
    ("enter", "ask", 0.8, "", 1),
    ("space", "ask", 0.6, "", 1),
    ("enter", "choose", 3.0, "choose", 1),
    ("c", "compare", 2.4, "compare", 1),
    ("escape", "choose", 0.4, "", 1),
    ("enter", "review", 2.2, "", 1),
    ("enter", "apply", 1.2, "install", 1),
    ("enter", "conv2d", 0.8, "", 1),
    ("enter", "conv2d", 2.5, "measure", 4),
    ("enter", "conv2d", 3.5, "", 8),
)
"""The film: a key, the step that it leads to, for how many seconds its end is shown, as which
picture that is kept, and how many times faster than the demo it is."""


def services(*words: str) -> Services:
    """Those of a start with these words, whatever terminal and day this is."""
    given = services_for(parser().parse_args(words))
    return replace(given, theme=DARK, unicode=True, console=False, pause_s=0.0, today=lambda: TODAY)


@dataclass
class Film:
    """The demo from its start to a setting that fixes the hang of its recorded run."""

    frames: list[Frame] = field(default_factory=list)
    stills: dict[str, Frame] = field(default_factory=dict)
    clock_s: float = 0.0
    """What the program takes for the time."""
    speed: int = 1
    unseen_s: float = 0.0

    def __post_init__(self) -> None:
        demo = services("--demo")
        self.carry_out = demo.runs.carry_out
        self.app = SetupApp(
            but(
                demo,
                carry_out=self.installed,
                run=lambda request: replayed(request, self.wait),
                clock=lambda: self.clock_s,
            )
        )

    async def wait(self, seconds: float) -> None:
        """In place of a pause: a frame that lasts as long, unless it is too short to be seen."""
        self.clock_s += seconds
        self.unseen_s += seconds / self.speed
        if self.unseen_s >= SEEN_S:
            await self.drawn()
            self.show(self.unseen_s)
            self.unseen_s = 0.0

    async def drawn(self) -> None:
        """Returns when all that has happened is on the screen: some of it comes in batches."""
        screen = self.app.screen
        for log in screen.query(RunLog):
            log.take_in()
        while any(views._has_news for views in screen.query(SweepViews)):  # noqa: ASYNC110
            await asyncio.sleep(LOOK_AGAIN_S)
        await still(self.app)

    async def installed(self, plan: Plan) -> AsyncGenerator[Event, None]:
        """The events of Install: each step is seen as it begins."""
        async for event in self.carry_out(plan):
            yield event
            if isinstance(event, StepStarted):
                await self.wait(STEP_S)

    def show(self, seconds: float) -> None:
        """Holds what is on the screen; two frames that are alike are one."""
        frame = frame_of(self.app, seconds)
        if self.frames and self.frames[-1].rows == frame.rows:
            frame = Frame(frame.rows, self.frames.pop().seconds + seconds)
        self.frames.append(frame)

    async def walk(self) -> None:
        """By the keys of somebody who does what each screen suggests."""
        async with self.app.run_test(size=SIZE) as pilot:
            for key, step, seconds, name, self.speed in WALK:
                if key:
                    await press(pilot, key)
                await reach(pilot, step)
                await resolved(pilot)
                await self.drawn()
                self.show(seconds)
                if name:
                    self.stills[name] = self.frames[-1]


async def diagnosed() -> Frame:
    """Diagnose, on a machine with a fault."""
    app = SetupApp(services("--machine", str(ROOT / BROKEN)))
    async with app.run_test(size=SIZE) as pilot:
        await reach(pilot, "welcome")
        await resolved(pilot)
        await press(pilot, "d")
        await reach(pilot, "diagnose")
        await until(pilot, lambda: getattr(app.screen, "here", Shown()).result is not None)
        await resolved(pilot)
        return frame_of(app)


async def drawn() -> dict[str, str]:
    """Each picture by its name, the same every time."""
    film = Film()
    await film.walk()
    pictures = {name: picture(DEMO_TITLE, [frame]) for name, frame in film.stills.items()}
    pictures["demo"] = picture(DEMO_TITLE, film.frames, alone=len(film.frames) - 1)
    pictures["diagnose"] = picture(f"rdna1-setup --machine {BROKEN}", [await diagnosed()])
    return pictures


if __name__ == "__main__":
    for name, svg in asyncio.run(drawn()).items():
        (FOLDER / f"{name}.svg").write_text(svg, "utf-8")
