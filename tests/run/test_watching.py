"""Root's part of an earlier start: named while it works, and followed to its end."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from wizard.cli.execution import show_events, watch_first
from wizard.cli.options import parser
from wizard.cli.report import work_lines
from wizard.core.events import (
    Done,
    Event,
    Output,
    PlanFinished,
    Progress,
    StepFailed,
    StepFinished,
    StepStarted,
)
from wizard.core.trouble import Trouble
from wizard.report.plan import Tenths
from wizard.root.session import News, find_at_work
from wizard.run.at_work import at_work_text, events_of, watch_events

FETCHED = Progress(100, 100, "percent", "Retrieving file 7 of 7", None)
UNPACKING = Progress(26, 100, "percent", "Unpacking libssl3 (amd64)", None)
PRINTED = Output(("Unpacking libssl3 ...",))
DONE = Done("3 packages installed")
FAILED = Trouble("dpkg failed.", "It means something.", "Do that.")

Record = dict[str, object]
STARTED: Record = {"event": "started", "step": 2}
PROGRAM: Record = {"event": "program", "step": 2, "name": "apt-get", "pid": 1, "begun": 1}
SHOWN: Record = {"event": "output", "step": 2, "lines": ["Unpacking ...", "\x1b[31mred"]}
FETCH: Record = {
    "event": "progress",
    "step": 2,
    "done": 100,
    "total": 100,
    "unit": "percent",
    "what": "Retrieving file 7 of 7",
    "phase": "fetch",
}
UNPACK: Record = {**FETCH, "done": 26, "what": "Unpacking libssl3 (amd64)", "phase": "change"}
OUTCOME: Record = {"event": "done", "step": 2, "outcome": "3 packages installed"}
FAILURE: Record = {
    "event": "failed",
    "step": 2,
    "happened": "dpkg failed.",
    "meaning": "It means something.",
    "next_step": "Do that.",
}


class FakeStep:
    """A step of root's whose news come from another thread, one whenever the last one was taken."""

    def __init__(self, *news: News | Trouble, step: int = 2) -> None:
        self.run = "run"
        self.step = step
        self._news = news

    async def news(self) -> AsyncGenerator[News, None]:
        """What the thread hands over."""
        loop, coming = asyncio.get_running_loop(), asyncio.Queue[News | Trouble | None]()
        taken = threading.Semaphore(1)

        def feed() -> None:
            for one in (*self._news, None):
                taken.acquire()
                loop.call_soon_threadsafe(coming.put_nowait, one)

        feeder = threading.Thread(target=feed, daemon=True)
        feeder.start()
        while (one := await coming.get()) is not None:
            if isinstance(one, Trouble):
                raise one
            yield one
            taken.release()


def told_of(step: FakeStep) -> AsyncGenerator[Event, None]:
    return watch_events(step.run, step.step, step.news())


async def seen(events: AsyncGenerator[Event, None]) -> list[Event]:
    return [event async for event in events]


class Helper:
    """A process that lives until it is told to end, and the events file that it would write."""

    def __init__(self, state: Path, process: subprocess.Popen[bytes]) -> None:
        self.state = state
        self._process = process
        self._seq = 0
        self.path = state / "runs" / "20260101-120000-3f9a1c" / "events.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        stat = Path(f"/proc/{process.pid}/stat").read_text("utf-8").rpartition(") ")[2]
        begun = int(stat.split()[19])
        self.tell({"event": "ready", "digest": "", "pid": process.pid, "begun": begun})

    def tell(self, *records: Record) -> None:
        """Writes events, in two pieces each."""
        with self.path.open("ab", buffering=0) as file:
            for record in records:
                self._seq += 1
                line = json.dumps({**record, "seq": self._seq}).encode() + b"\n"
                file.write(line[: len(line) // 2])
                file.write(line[len(line) // 2 :])

    def end(self) -> None:
        """The process is gone."""
        self._process.communicate(b"\n")


@contextmanager
def helper_in(state: Path) -> Iterator[Helper]:
    with subprocess.Popen((sys.executable, "-c", "input()"), stdin=subprocess.PIPE) as process:
        yield Helper(state, process)


async def test_a_step_of_root_is_seen_as_a_run_of_its_own() -> None:
    assert await seen(told_of(FakeStep(PRINTED, FETCHED, UNPACKING, DONE))) == [
        StepStarted(2, 2, "step 2 of root's part", "step 2 of root's part"),
        PRINTED,
        FETCHED,
        UNPACKING,
        StepFinished(2, 0.0, False, "3 packages installed"),
        PlanFinished(True, False, True, False, "run", ""),
    ]


async def test_a_step_that_failed_or_has_no_outcome_is_told_with_all_its_words() -> None:
    events = await seen(told_of(FakeStep(UNPACKING, FAILED)))
    assert StepFailed(2, "dpkg failed.", "It means something.", "Do that.") in events
    assert events[-1] == PlanFinished(False, False, True, False, "run", "")


async def test_between_two_steps_there_is_nothing_but_the_end_to_see() -> None:
    events = await seen(told_of(FakeStep(step=0)))
    assert events == [PlanFinished(True, False, True, False, "run", "")]


async def test_to_stop_looking_ends_the_looking_at_once() -> None:
    events = told_of(FakeStep(PRINTED, UNPACKING))
    assert isinstance(await anext(events), StepStarted)
    assert await anext(events) == PRINTED
    await events.aclose()
    assert [event async for event in events] == []


async def test_what_a_helper_writes_while_it_is_watched_is_seen_to_its_end(tmp_path: Path) -> None:
    with helper_in(tmp_path) as helper:
        helper.tell(STARTED, PROGRAM, SHOWN)
        session = find_at_work(tmp_path)
        assert session is not None
        wanted = threading.Semaphore(0)

        def work() -> None:
            for records in ((FETCH,), (UNPACK, OUTCOME)):
                wanted.acquire()
                helper.tell(*records)
            wanted.acquire()
            helper.end()

        worker = threading.Thread(target=work, daemon=True)
        worker.start()
        events = []
        async for event in events_of(session):
            events.append(event)
            wanted.release()
        await asyncio.to_thread(worker.join)
    assert events[1:] == [
        Output(("Unpacking ...", "red")),
        FETCHED,
        UNPACKING,
        StepFinished(2, 0.0, False, "3 packages installed"),
        PlanFinished(True, False, True, False, session.run, ""),
    ]


async def test_a_helper_that_vanishes_leaves_its_step_unknown_and_not_done(tmp_path: Path) -> None:
    with helper_in(tmp_path) as helper:
        helper.tell(STARTED, UNPACK)
        session = find_at_work(tmp_path)
        assert session is not None
        helper.end()
    failed, ending = (await seen(events_of(session)))[-2:]
    assert isinstance(failed, StepFailed)
    assert failed.number == 2
    assert isinstance(ending, PlanFinished)
    assert not ending.ok


@pytest.mark.parametrize(
    ("records", "told"),
    [
        ((), "the root helper is still working"),
        ((STARTED,), "the root helper is still working"),
        ((STARTED, PROGRAM), "apt is still working"),
        ((STARTED, PROGRAM, {**FETCH, "done": 40}), "apt is still working, 20 %"),
        ((STARTED, PROGRAM, FETCH, UNPACK), "apt is still working, 63 %"),
        ((STARTED, PROGRAM, FETCH, OUTCOME), "the root helper is still working"),
        (({**FETCH, "step": 1}, STARTED, PROGRAM), "apt is still working"),
        ((STARTED, {**FETCH, "unit": "seconds"}), "the root helper is still working"),
    ],
)
def test_who_works_and_how_far_it_is_is_told(
    tmp_path: Path, records: tuple[Record, ...], told: str
) -> None:
    with helper_in(tmp_path) as helper:
        helper.tell(*records)
        session = find_at_work(tmp_path)
        assert session is not None
        assert at_work_text(session) == told
        helper.end()


def test_plain_text_says_what_is_at_work_and_how_to_see_it(tmp_path: Path) -> None:
    assert work_lines(tmp_path) == ()
    with helper_in(tmp_path) as helper:
        helper.tell(STARTED, PROGRAM, FETCH, UNPACK)
        told = "\n".join(work_lines(tmp_path))
        helper.end()
    assert "apt is still working, 63 %: watch it with `rdna1-setup watch`" in told
    assert work_lines(tmp_path) == ()


async def test_watching_in_plain_text_ends_with_how_to_go_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    counted = (Progress(done, 100, "percent", "Unpacking", None) for done in range(101))
    assert await show_events(told_of(FakeStep(PRINTED, FETCHED, *counted, DONE))) == 0
    told = capsys.readouterr().out
    assert "    Unpacking libssl3 ...\n" in told
    assert "    100 % Retrieving file 7 of 7\n    0 % Unpacking\n    10 % Unpacking\n" in told
    assert told.count(" % Unpacking\n") == 11
    assert told.endswith("To continue the plan, start rdna1-setup again.\n")


def is_open(path: Path) -> bool:
    """True while this process reads a file."""
    return any(Path(os.path.realpath(link)) == path for link in Path("/proc/self/fd").iterdir())


def test_a_command_that_acts_waits_for_root_and_tells_it_beside_its_own_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    acting = parser().parse_args(["apply"])
    watch_first(acting, tmp_path)
    assert capsys.readouterr() == ("", "")
    with helper_in(tmp_path) as helper:
        helper.tell(STARTED, PROGRAM, FETCH)

        def work() -> None:
            while not is_open(helper.path):
                time.sleep(0.01)
            helper.tell(UNPACK, OUTCOME)
            helper.end()

        worker = threading.Thread(target=work, daemon=True)
        worker.start()
        watch_first(acting, tmp_path)
        worker.join()
    seen_out, told = capsys.readouterr()
    assert seen_out == ""
    assert told.startswith("apt is still working, 50 % (an earlier run)")
    assert "ok, 0.0 s: 3 packages installed" in told
    assert told.endswith("The root step has finished.\n")


async def test_the_exit_code_tells_that_it_ended_badly() -> None:
    assert await show_events(told_of(FakeStep(FAILED))) == 1


def test_plain_text_tells_every_tenth_of_each_count_once() -> None:
    tenths = Tenths()
    counted = [Progress(done, 1_000, "bytes", "x", None) for done in (0, 50, 100, 150, 990, 1_000)]
    assert [tenths.worth_telling(one) for one in counted] == [True, False, True, False, True, True]
    assert tenths.worth_telling(counted[0])
    assert not tenths.worth_telling(Progress(5, 0, "bytes", "size unknown", None))


def test_plain_text_tells_at_once_for_whom_it_waits_and_then_every_ten_seconds() -> None:
    tenths = Tenths()
    waits = [Progress(done, 0, "seconds", "waiting", None) for done in (0, 1, 9, 10, 11, 25)]
    assert [tenths.worth_telling(one) for one in waits] == [True, False, False, True, False, True]
    assert tenths.worth_telling(Progress(0, 100, "percent", "apt", None))


def test_plain_text_tells_what_is_printed() -> None:
    tenths = Tenths()
    assert tenths.worth_telling(PRINTED)
