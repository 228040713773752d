"""Measures a step that prints 300,000 lines on the Apply screen against a bare Textual ``Log``.

Run: python -m tests.benchmarks.bench_log. Goals: at least 0.8 of the rate at which the same lines
go in batches from memory into a bare ``Log``; the event loop never late by more than 50 ms; no more
memory for 300,000 lines than for a fifth of them. Ours is the whole way: a real program, its pipe,
the cleaning, the log on disk, the journal, the screen. Each is a process on a terminal of its own
(a pty of 80x24 that is read), taken in turn. Beside it an app that is left alone, for what the
machine itself is late.
"""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import json
import os
import pty
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import aclosing
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from textual.app import App, ComposeResult
from textual.widgets import Log

from screens.app import SetupApp, show
from screens.run.screen import RunScreen
from tests.run.places import RunProgram, places_below, plan_of
from tests.screens.collaborators import but
from tests.screens.driving import session_at
from tests.screens.fakes import LIVE_SERVICES
from wizard.core.events import Event, Output, PlanFinished
from wizard.plan.steps import Plan
from wizard.run.executor import Live

LINES = 300_000
GOAL_RATE = 0.8
GOAL_LATE_MS = 50.0
GOAL_GROWTH_MB = 16.0
SIDES = ("ours", "bare", "idle")
BEAT_S = 0.005
IDLE_S = 1.5
PATIENCE_S = 300
ONE_SIDE = (sys.executable, "-m", "tests.benchmarks.bench_log")
KINDS = {
    "apt": "Unpacking rocm-dev{0} (5.2.0.50200-65) over (5.1.3) ... /opt/rocm-5.2.0/lib/part{0}.so",
    "short": "{0}",
}


@dataclass(frozen=True, slots=True)
class Taken:
    """What one process measured of itself."""

    seconds: float
    processor_s: float
    """Processor time of the process itself, which a busy machine does not change much."""
    late_ms: float
    """How late the event loop came back at worst."""
    busy_ms: float
    """For how long at worst the loop itself worked without coming back: processor time."""
    growth_mb: float
    """Peak memory at the end, less that after a fifth of the lines."""


class Watch:
    """Looks at the event loop every few milliseconds while something is measured."""

    def __init__(self) -> None:
        self.late_s = self.busy_s = 0.0
        self._early_kb = 0

    def fifth(self) -> None:
        """A fifth of the lines are there."""
        self._early_kb = self._early_kb or _peak_kb()

    async def during(self, work: Awaitable[None]) -> Taken:
        """Measures from now until the work is done."""
        beats = asyncio.ensure_future(self._beat())
        began, processor = time.perf_counter(), time.process_time()
        await work
        seconds, processor = time.perf_counter() - began, time.process_time() - processor
        beats.cancel()
        growth = (_peak_kb() - self._early_kb) / 1024 if self._early_kb else 0.0
        return Taken(seconds, processor, self.late_s * 1000, self.busy_s * 1000, growth)

    async def _beat(self) -> None:
        while True:
            wall, busy = time.perf_counter(), time.thread_time()
            await asyncio.sleep(BEAT_S)
            self.late_s = max(self.late_s, time.perf_counter() - wall - BEAT_S)
            self.busy_s = max(self.busy_s, time.thread_time() - busy)


def _peak_kb() -> int:
    """Of this process alone: the figure of getrusage holds that of its parent too."""
    status = Path("/proc/self/status").read_text("utf-8")
    return int(status.partition("VmHWM:")[2].split()[0])


class Measured(App[int]):
    """A bare ``Log`` that is written to, or left alone, and measured."""

    def __init__(self, lines: list[str], batch: int, report: Callable[[Taken], None]) -> None:
        super().__init__()
        self._to_write = lines
        self._batch = batch
        self._report = report

    def compose(self) -> ComposeResult:
        """The log."""
        yield Log()

    def on_ready(self) -> None:
        """Begins."""
        self.run_worker(self._measure())

    async def _measure(self) -> None:
        watch = Watch()
        work = self._write(watch) if self._to_write else asyncio.sleep(IDLE_S)
        self._report(await watch.during(work))
        self.exit()

    async def _write(self, watch: Watch) -> None:
        log = self.query_one(Log)
        for start in range(0, len(self._to_write), self._batch):
            log.write_lines(self._to_write[start : start + self._batch])
            if start >= len(self._to_write) // 5:
                watch.fifth()
            await asyncio.sleep(0)
        await drawn(self)


class Ours(SetupApp):
    """The wizard at Apply, with a plan of one step that prints a file."""

    def __init__(self, home: Path, printed: Path, report: Callable[[Taken], None]) -> None:
        step = RunProgram("print", ("cat", str(printed)))
        session = replace(session_at("apply"), plan=plan_of(home, step))
        live = Live(places_below(home), os.environ)
        services = but(LIVE_SERVICES, carry_out=self._watched(live))
        super().__init__(services, session, "apply")
        self._began, self._report, self._watch = asyncio.Event(), report, Watch()
        self._printed = 0

    def on_ready(self) -> None:
        """Begins."""
        self.run_worker(self._measure())

    def _watched(self, live: Live) -> Callable[[Plan], AsyncGenerator[Event, None]]:
        async def carry_out(plan: Plan) -> AsyncGenerator[Event, None]:
            await self._began.wait()
            async with aclosing(live.carry_out(plan)) as events:
                async for event in events:
                    self._count(event)
                    yield event

        return carry_out

    def _count(self, event: Event) -> None:
        if isinstance(event, Output):
            self._printed += len(event.lines)
            if self._printed >= LINES // 5:
                self._watch.fifth()
        elif isinstance(event, PlanFinished) and not (event.ok and self._printed == LINES):
            raise SystemExit(f"only {self._printed} lines came: nothing was measured")

    async def _measure(self) -> None:
        await drawn(self)
        self._report(await self._watch.during(self._run_to_its_end()))
        self.exit()

    async def _run_to_its_end(self) -> None:
        self._began.set()
        screen = self.screen
        assert isinstance(screen, RunScreen)
        await self.workers.wait_for_complete(
            [worker for worker in self.workers if worker.group == "run"]
        )
        assert not screen.running
        await drawn(self)


async def drawn(app: App[int]) -> None:
    """Returns once everything that was to be drawn is on the terminal's way."""
    done = asyncio.Event()
    app.screen.refresh()
    app.screen.call_after_refresh(done.set)
    await done.wait()


def be_one_side(side: str, printed: Path, batch: int, result: Path) -> None:
    """One process: measure, and leave the figures in a file."""

    def report(taken: Taken) -> None:
        result.write_text(json.dumps(asdict(taken)), "utf-8")

    if side == "ours":
        with tempfile.TemporaryDirectory(dir=printed.parent) as home:
            show(Ours(Path(home), printed, report))
    else:
        lines = printed.read_text("utf-8").splitlines() if side == "bare" else []
        Measured(lines, batch, report).run()


def result_of(printed: Path) -> Path:
    """Where a process leaves its figures."""
    return printed.with_suffix(".json")


def measure(side: str, printed: Path, batch: int) -> Taken:
    """One process on a terminal of its own."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    reader = threading.Thread(target=_drain, args=(ours,), daemon=True)
    reader.start()
    subprocess.run(
        (*ONE_SIDE, "--side", side, "--printed", str(printed), "--batch", str(batch)),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm-256color"},
        timeout=PATIENCE_S,
        check=True,
    )
    taken = Taken(**json.loads(result_of(printed).read_text("utf-8")))
    os.close(theirs)
    reader.join()
    os.close(ours)
    return taken


def _drain(terminal: int) -> None:
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:  # EIO: the other side is closed
        return


def tell(kind: str, rounds: list[dict[str, Taken]]) -> bool:
    """Print medians and ratios; True within all goals."""
    ours, bare, idle = ([each[side] for each in rounds] for side in ("ours", "bare", "idle"))
    pairs = list(zip(bare, ours, strict=True))
    rate = statistics.median(theirs.seconds / mine.seconds for theirs, mine in pairs)
    cheap = statistics.median(theirs.processor_s / mine.processor_s for theirs, mine in pairs)
    late = statistics.median(each.late_ms for each in ours)
    busy = max(each.busy_ms for each in ours)
    growth = max(each.growth_mb for each in ours)
    within = rate >= GOAL_RATE and max(late, busy) <= GOAL_LATE_MS and growth <= GOAL_GROWTH_MB
    print(
        f"{kind} lines: {_median_s(ours):.2f} s on the Apply screen, {_median_s(bare):.2f} s in a "
        f"bare Log, median rate {rate:.2f} of it (goal {GOAL_RATE}); "
        f"by processor time {cheap:.2f}\n"
        f"  loop late at worst, median of the rounds: {late:.0f} ms "
        f"(goal {GOAL_LATE_MS:.0f}; worst of all {max(each.late_ms for each in ours):.0f}); "
        f"busy at one stretch at worst {busy:.0f} ms\n"
        f"  beside it: bare Log {statistics.median(each.late_ms for each in bare):.0f} ms "
        f"(worst {max(each.late_ms for each in bare):.0f}), an app left alone "
        f"{statistics.median(each.late_ms for each in idle):.0f} ms "
        f"(worst {max(each.late_ms for each in idle):.0f})\n"
        f"  memory from 60,000 to 300,000 lines: +{growth:.1f} MB at most "
        f"(goal {GOAL_GROWTH_MB:.0f}), {len(rounds)} rounds: {'within' if within else 'OVER'}",
        flush=True,
    )
    return within


def _median_s(taken: list[Taken]) -> float:
    return statistics.median(each.seconds for each in taken)


def main() -> int:
    """Print both kinds of lines; 0 within the goals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--batch", type=int, default=4096, help="lines at once into the bare Log")
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    parser.add_argument("--printed", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.side:
        printed = arguments.printed
        be_one_side(arguments.side, printed, arguments.batch, result_of(printed))
        return 0
    within = True
    for kind in [arguments.kind] if arguments.kind else KINDS:
        within = tell(kind, list(all_rounds(kind, arguments.rounds, arguments.batch))) and within
    return 0 if within else 1


def all_rounds(kind: str, rounds: int, batch: int) -> Iterator[dict[str, Taken]]:
    """Each round, all sides in turn, with one file of lines for all of them."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        printed = Path(folder) / "printed.txt"
        printed.write_text("".join(f"{KINDS[kind].format(n)}\n" for n in range(LINES)), "utf-8")
        for _ in range(rounds):
            yield {side: measure(side, printed, batch) for side in SIDES}


if __name__ == "__main__":
    sys.exit(main())
