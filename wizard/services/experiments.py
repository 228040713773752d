"""Conv2d experiments: carried out by a runner of their own, which outlives the screens."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from assets import FOLDER
from wizard.commands.looking import places_of

if TYPE_CHECKING:
    from wizard.conv2d.candidates import Asked
    from wizard.conv2d.caution import Circumstances
    from wizard.conv2d.requests import Request
    from wizard.conv2d.shapes import Preset, Row
    from wizard.conv2d.sweep import Sweep, SweepEvent
    from wizard.host.host import Host

MEASURING = "A measurement is running. Open this window again when it has finished."


@dataclass(frozen=True, slots=True)
class SweepUnderWay:
    """A Conv2d experiment that runs by itself, begun by an earlier start or by another one."""

    text: str
    """What it is and since when."""
    request: Request
    follow: Callable[[], AsyncGenerator[SweepEvent, None]]
    """What it did and does, to its end; to close it ends nothing but the looking."""
    begun: int = 0
    """How many shapes it had begun when it was found: nobody saw when."""


class Experiments:
    """The experiments of one machine."""

    outlives = True
    """True where one goes on when its events are no longer read."""
    replayed = ""
    """What is played in place of a real run, such as "recorded on an RX 5600 XT": then nothing is
    started, and nobody is asked first. ``""`` where runs are real."""

    def __init__(self, host: Host) -> None:
        self._host, self._places = host, places_of(host)

    def presets(self) -> tuple[Preset, ...]:
        """Every table of shapes."""
        from wizard.conv2d.shapes import load_presets

        return load_presets()

    def plays(self, request: Request) -> bool:
        """False for what nothing was recorded of, where runs are played."""
        return True

    def layers_in(self, path: str) -> Preset:
        """The layers that a file lists, with its whole path as id. Raises WrongRequest."""
        from wizard.conv2d import requests

        whole = os.path.abspath(os.path.expanduser(path))  # noqa: PTH100, PTH111 - `~` may name nobody
        return replace(requests.layers_in(whole), id=whole)

    def circumstances(self) -> Circumstances:
        """Whom a hang of the card would hit; it may take a moment."""
        from wizard.conv2d.caution import circumstances_of

        return circumstances_of(self._host)

    def run(self, request: Request) -> AsyncGenerator[SweepEvent, None]:
        """The events of a request.

        On a card it may cost as many hangs as the circumstances allow, where it does not say.
        """
        from wizard.conv2d.requests import sweep_in, with_hangs
        from wizard.conv2d.runs.runner import run_apart

        if sweep_in(request).device == "cuda" and request.hangs is None:
            request = with_hangs(request, self.circumstances().hangs)
        return run_apart(self._places, request, os.environ)

    async def ask(self, sweep: Sweep, rows: Sequence[Row]) -> tuple[Asked, ...]:
        """What MIOpen would choose from for each row; nothing is launched."""
        from wizard.conv2d.candidates import NotAsked
        from wizard.conv2d.worker.questions import ask_miopen

        if self.under_way() is not None:
            return (NotAsked(MEASURING),) * len(rows)
        environ, _ = sweep.surroundings.environment(os.environ)
        return await ask_miopen(sweep, rows, environ)

    def under_way(self) -> SweepUnderWay | None:
        """Quick: the experiment that is under way, whoever began it."""
        from wizard.conv2d.runs.folders import live_run

        run = live_run(self._places)
        if run is None:
            return None
        from wizard.conv2d.requests import described
        from wizard.conv2d.runs.events import begun, followed

        text = f"{described(run.request)}, since {run.since}"
        return SweepUnderWay(text, run.request, partial(followed, run), begun(run))

    async def stop(self) -> str:
        """Ends the experiment under way; what could not be ended, in words."""
        from wizard.conv2d.runs.runner import stop_apart

        stopped = await stop_apart(self._places)
        if stopped is None or not stopped.left:
            return ""
        return (
            "Stopped, but at least one process is waiting inside the kernel: "
            f"{'; '.join(stopped.left)}. Restart the machine."
        )


class NoExperiments(Experiments):
    """In a dry run none can be started, whatever a screen asks for, and none is looked for."""

    outlives = False

    async def run(self, request: Request) -> AsyncGenerator[SweepEvent, None]:
        """Nothing."""
        raise ValueError(f"a dry run starts nothing, {type(request).__name__} included")
        yield  # makes this a generator

    async def ask(self, sweep: Sweep, rows: Sequence[Row]) -> tuple[Asked, ...]:
        """Nobody is asked."""
        from wizard.conv2d.candidates import NotAsked

        what = "an example" if self.replayed else "a dry run"
        return (NotAsked(f"This is {what}, so MIOpen was not asked."),) * len(rows)

    def under_way(self) -> None:
        """None."""

    async def stop(self) -> str:
        """Nothing runs by itself."""
        return ""


class Example(NoExperiments):
    """In the demo, what was recorded is played."""

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        with (FOLDER / "demo_run.jsonl").open(encoding="utf-8") as file:
            about = json.loads(file.readline())
        self.replayed = f"recorded on {about['card']} with {about['planted']}"

    def plays(self, request: Request) -> bool:
        """True for what was recorded."""
        from wizard.conv2d.runs.example import recorded_run

        return bool(recorded_run(request))

    def run(self, request: Request) -> AsyncGenerator[SweepEvent, None]:
        """What was recorded for such a request."""
        from wizard.conv2d.runs.example import replayed

        return replayed(request)
