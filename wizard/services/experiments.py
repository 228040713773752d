"""Conv2d experiments: under way, apart from the screens, and those that are over."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from assets import FOLDER
from wizard.conv2d.candidates import Asked, NotAsked
from wizard.conv2d.cards.comparison import compare_runs
from wizard.conv2d.cards.make_card import Here, look_here
from wizard.conv2d.cards.result_card import ResultCard, card_from, card_text
from wizard.conv2d.caution import Circumstances, circumstances_of
from wizard.conv2d.repro import NoRepro, repro_of_result, row_of
from wizard.conv2d.requests import Request, described, layers_in, sweep_in, with_hangs
from wizard.conv2d.runs.events import begun, followed
from wizard.conv2d.runs.example import recorded_run, replayed
from wizard.conv2d.runs.folders import KeptRuns, Run, kept_runs, live_run, runs_of
from wizard.conv2d.runs.history import RunStatus, read_status, sweep_of_run
from wizard.conv2d.runs.runner import run_apart, stop_apart
from wizard.conv2d.shapes import Preset, Row, load_presets
from wizard.conv2d.sweep import FoundSetting, Sweep, SweepEvent, found_by
from wizard.conv2d.verdicts import Result
from wizard.conv2d.worker.questions import ask_miopen
from wizard.host.host import Host, places_of
from wizard.report.conv2d_row import repro_lines
from wizard.report.conv2d_runs import (
    card_lines,
    card_of,
    compare_lines,
    holds_text,
    no_results,
    no_script,
    none_before,
    nothing_found,
    run_before,
    run_lines,
)
from wizard.services.named_files import (
    is_there,
    no_file,
    not_written,
    place_of,
    write_new,
    write_over,
)

MEASURING = "A measurement is running. Open this window again when it has finished."
COMMAND = ("rdna1-setup", "conv2d")
Lines = tuple[str, ...]


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
        return load_presets()

    def plays(self, request: Request) -> bool:
        """False for what nothing was recorded of, where runs are played."""
        return True

    def layers_in(self, path: str) -> Preset:
        """The layers that a file lists, with its whole path as id. Raises WrongRequest."""
        whole = os.path.abspath(os.path.expanduser(path))  # noqa: PTH100, PTH111 - `~` may name nobody
        return replace(layers_in(whole), id=whole)

    def circumstances(self) -> Circumstances:
        """Whom a hang of the card would hit; it may take a moment."""
        return circumstances_of(self._host)

    def run(self, request: Request) -> AsyncGenerator[SweepEvent, None]:
        """The events of a request.

        On a card it may cost as many hangs as the circumstances allow, where it does not say.
        """
        if sweep_in(request).device == "cuda" and request.hangs is None:
            request = with_hangs(request, self.circumstances().hangs)
        return run_apart(self._places, request, os.environ)

    async def ask(self, sweep: Sweep, rows: Sequence[Row]) -> tuple[Asked, ...]:
        """What MIOpen would choose from for each row; nothing is launched."""
        if self.under_way() is not None:
            return (NotAsked(MEASURING),) * len(rows)
        environ, _ = sweep.environment.variables(os.environ)
        return await ask_miopen(sweep, rows, environ)

    def under_way(self) -> SweepUnderWay | None:
        """Quick: the experiment that is under way, whoever began it."""
        run = live_run(self._places)
        if run is None:
            return None
        text = f"{described(run.request)}, since {run.since}"
        return SweepUnderWay(text, run.request, partial(followed, run), begun(run))

    async def stop(self) -> str:
        """Ends the experiment under way; what could not be ended, in words."""
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
        return bool(recorded_run(request))

    def run(self, request: Request) -> AsyncGenerator[SweepEvent, None]:
        """What was recorded for such a request."""
        return replayed(request)


@dataclass(frozen=True, slots=True)
class Draft:
    """A file that could be written."""

    path: str
    """Where it would go, unless its owner says otherwise."""
    text: str
    about: Lines
    """What it holds, in words: it leaves the machine."""
    command: Lines
    """The shell line that writes the same; ``PATH`` stands for the place."""

    @property
    def line(self) -> str:
        """The shell line with the usual place."""
        return shlex.join(self.path if word == "PATH" else word for word in self.command)


class Past:
    """The runs of one machine. Each question may take a while, and runs in a thread."""

    def __init__(self, host: Host, *, live: bool) -> None:
        self._host, self._places, self._live = host, places_of(host), live
        self.is_here = not host.name
        """False for a recorded machine, which has none of its own."""

    def kept(self) -> KeptRuns:
        """Every run that is kept."""
        return kept_runs(self._places) if self.is_here else KeptRuns()

    def status(self, run: Run) -> RunStatus:
        """What a run came to."""
        return read_status(run)

    def whole(self, run: Run) -> Lines:
        """The report of a run."""
        return tuple(run_lines(run))

    def results(self, run: Run) -> tuple[Result, ...]:
        """What a run measured."""
        return read_status(run).done.results

    def found(self, run: Run) -> FoundSetting:
        """The setting that a run found. Raises Trouble."""
        found = found_by(read_status(run).done.setting, sweep_in(run.request).python)
        if found is None:
            raise nothing_found(run)
        return found

    def compare(self, run: Run, other: Run | None) -> Lines:
        """A run with another, or with the one before of the same rows. Raises Trouble."""
        before = other or run_before(run, runs_of(self._places))
        if before is None:
            raise none_before(run)
        here = self._here()
        one, two = sorted((before, run), key=lambda each: each.id)
        found = compare_runs(_card_of(one, here), _card_of(two, here))
        return tuple(compare_lines(found, here.gfx))

    def card(self, run: Run) -> Draft:
        """A run as a card for others. Raises Trouble."""
        card = _card_of(run, self._here())
        path = f"{self._places.home}/conv2d-{run.id}.json"
        about = (holds_text(card), "", *card_lines(card))
        return Draft(path, card_text(card), about, (*COMMAND, "--export", "PATH", "--run", run.id))

    def script(self, run: Run, place: int) -> Draft:
        """A script for the result at that place. Raises Trouble."""
        result = self.results(run)[place]
        try:
            text = repro_of_result(result)
        except NoRepro as error:
            raise no_script(str(error)) from None
        device = "cpu" if result.loaded.device == "cpu" else "cuda"
        shape = result.shape
        name = f"conv2d-repro-{shape.c_in}-{shape.c_out}-{shape.h}x{shape.w}.py"
        return Draft(
            f"{self._places.home}/{name}",
            text,
            tuple(repro_lines(row_of(result), "python3", device)),
            (*COMMAND, "--repro", "PATH", "--run", run.id, "--result", str(place + 1)),
        )

    def take_in(self, typed: str, run: Run | None) -> Lines:
        """The card in a file, and beside a run; it is kept where anything is. Raises Trouble."""
        path, here = place_of(typed, self._places.home), self._here()
        if path.exists() and not path.is_file():  # a pipe would be waited for without end
            raise no_file(path)
        card = card_from(path)
        lines = [*card_lines(card, here.gfx)]
        if run is not None and self.results(run):
            lines += ["", f"Beside your run from {run.since}:", ""]
            lines += compare_lines(compare_runs(card, _card_of(run, here)), here.gfx)
        return tuple(lines)

    def is_there(self, typed: str) -> bool:
        """True where something is at a path."""
        return is_there(place_of(typed, self._places.home))

    def write(self, typed: str, text: str, over: bool) -> str:
        """A text to a path, over what is there if so said; gives the path. Raises Trouble."""
        if not self._live:
            raise ValueError("a dry run writes nothing")
        path = place_of(typed, self._places.home)
        try:
            (write_over if over else write_new)(path, text)
        except OSError as error:
            raise not_written(path, error) from None
        return str(path)

    def _here(self) -> Here:
        return look_here(self._host)


def _card_of(run: Run, here: Here) -> ResultCard:
    """Raises ``Trouble`` for a run without results."""
    told = sweep_of_run(run)
    if not told.results:
        raise no_results(run)
    return card_of(told, here)
