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

from textual.pilot import Pilot

from screens.app import SetupApp
from screens.conv2d.services import example_told
from screens.diagnose.state import Shown
from screens.services import Services
from screens.start import services_for
from screens.themes import DARK
from screens.widgets.log_pane import RunLog
from screens.widgets.sweep_views import SweepViews
from tests.documents.svg import Frame, frame_of, picture
from tests.screens.driving import LOOK_AGAIN_S, press, reach, settled, still, until
from wizard.__main__ import parser
from wizard.conv2d.runs.example import replayed
from wizard.plan.steps import Plan
from wizard.run.events import Event, StepStarted

FOLDER = Path(__file__).parents[2] / "assets" / "screenshots"
SIZE = (104, 30)
BROKEN = "tests/machines/rx5700xt-jammy-clean"
"""A recorded machine with a fault, for Diagnose: the demo's has none."""
TODAY = date(2026, 11, 25)
STEP_S = 0.15
"""For so long the film shows a step of Install."""
SEEN_S = 0.1
"""What is over sooner has no frame."""


def services(*words: str) -> Services:
    """Those of a start with these words, whatever terminal and day this is."""
    given = services_for(parser().parse_args(words))
    return replace(given, theme=DARK, unicode=True, console=False, today=lambda: TODAY)


@dataclass
class Film:
    """The demo from its start to a setting that fixes the hang of its recorded run."""

    frames: list[Frame] = field(default_factory=list)
    stills: dict[str, Frame] = field(default_factory=dict)
    clock_s: float = 0.0
    """What the program takes for the time."""
    speed: float = 1.0
    unseen_s: float = 0.0

    def __post_init__(self) -> None:
        demo = services("--demo")
        self.carry_out = demo.carry_out
        self.app = SetupApp(
            replace(
                demo,
                carry_out=self.installed,
                run_sweep=lambda request: replayed(request, self.wait),
                replayed=example_told(),
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
        while any(views._has_news for views in screen.query(SweepViews)):
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

    async def on(self, pilot: Pilot[int], step: str, seconds: float, still: str = "") -> None:
        """A step once it has come to rest, with how long it is shown and as which picture."""
        await reach(pilot, step)
        await settled(pilot)
        await self.drawn()
        self.show(seconds)
        if still:
            self.stills[still] = self.frames[-1]

    async def walk(self) -> None:
        """By the keys of somebody who does what each screen suggests."""
        async with self.app.run_test(size=SIZE) as pilot:
            await self.on(pilot, "welcome", 1.6)
            await press(pilot, "enter")
            await self.on(pilot, "detect", 1.6, "detect")
            await press(pilot, "enter")
            await self.on(pilot, "ask", 0.8)
            await press(pilot, "space")
            await self.on(pilot, "ask", 0.6)
            await press(pilot, "enter")
            await self.on(pilot, "choose", 3.0, "choose")
            await press(pilot, "c")
            await self.on(pilot, "compare", 2.4, "compare")
            await press(pilot, "escape")
            await self.on(pilot, "choose", 0.4)
            await press(pilot, "enter")
            await self.on(pilot, "review", 2.2)
            await press(pilot, "enter")
            await self.on(pilot, "apply", 1.2, "install")
            await press(pilot, "enter")
            await self.on(pilot, "conv2d", 0.8)
            self.speed = 4.0
            await press(pilot, "enter")
            await self.on(pilot, "conv2d", 2.5, "measure")
            self.speed = 8.0
            await press(pilot, "enter")
            await self.on(pilot, "conv2d", 3.5)


async def diagnosed() -> Frame:
    """Diagnose, on a machine with a fault."""
    app = SetupApp(services("--machine", BROKEN))
    async with app.run_test(size=SIZE) as pilot:
        await reach(pilot, "welcome")
        await settled(pilot)
        await press(pilot, "d")
        await reach(pilot, "diagnose")
        await until(pilot, lambda: getattr(app.screen, "here", Shown()).result is not None)
        await settled(pilot)
        return frame_of(app)


async def drawn() -> dict[str, str]:
    """Each picture by its name, the same every time."""
    film = Film()
    await film.walk()
    title = "rdna1-setup --demo"
    pictures = {name: picture(title, [frame]) for name, frame in film.stills.items()}
    pictures["demo"] = picture(title, film.frames, alone=len(film.frames) - 1)
    pictures["diagnose"] = picture(f"rdna1-setup --machine {BROKEN}", [await diagnosed()])
    return pictures


if __name__ == "__main__":
    for name, svg in asyncio.run(drawn()).items():
        (FOLDER / f"{name}.svg").write_text(svg, "utf-8")
