"""A launch whose command may be lost: told again, and taken once."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest

from assets import conv2d_worker
from tests.conv2d.sweeping import PATIENT, environ, small
from wizard.conv2d.channel import Worker, kill_tree, shared_memory, start_worker, worker_argv
from wizard.conv2d.evidence import Sources
from wizard.conv2d.journal import open_journal
from wizard.conv2d.launch import Measurer
from wizard.conv2d.outcome import Outcome
from wizard.conv2d.presets import Row
from wizard.conv2d.reference import Comparison, Part
from wizard.conv2d.shapes import Shape
from wizard.conv2d.sweep import ShapeDone, Sweep, SweepEvent
from wizard.conv2d.trial import Trial
from wizard.conv2d.verdicts import Loaded, Verdict
from wizard.conv2d.way import Way

COMMAND = {"do": "measure", "ticket": 7}
MEASURED = {"event": "measured", "ticket": 7, "size": [1]}


class Scripted:
    """A worker that says what it is told to say, and remembers what it was sent."""

    def __init__(self, *events: dict[str, Any]) -> None:
        self._events: Iterator[dict[str, Any]] = iter(events)
        self.sent: list[dict[str, Any]] = []
        self.tail = self
        self.reading = self.chosen = None
        self.on_permit: Callable[[object], None] = list[object]().append

    def forget(self) -> None:
        """Nothing was printed."""

    def text(self) -> str:
        return ""

    def lines(self) -> str:
        return ""

    def permit(self, ticket: int) -> None:
        self.on_permit(ticket)

    def send(self, command: dict[str, Any]) -> bool:
        self.sent.append(command)
        return True

    async def receive(self, seconds: float) -> dict[str, Any]:
        return next(self._events)


async def outcome_of(worker: Scripted, sync: Callable[[], None] | None = None) -> Outcome:
    measurer = Measurer(worker, PATIENT, False, kill_tree, Sources(), child=11)  # type: ignore[arg-type]
    async with aclosing(measurer.launch(COMMAND, sync=sync)) as answers:
        return [answer async for answer in answers if isinstance(answer, Outcome)][-1]


def gone(pid: int, taken: int) -> dict[str, Any]:
    return {"event": "gone", "pid": pid, "code": -9, "taken": taken}


async def test_a_command_that_may_have_died_with_an_idle_child_is_sent_again() -> None:
    worker = Scripted(gone(11, 6), {"event": "child", "pid": 12, "ticket": 7}, MEASURED)
    assert (await outcome_of(worker)).kind == "measured"
    assert worker.sent == [COMMAND, COMMAND]


async def test_a_child_that_dies_with_a_command_in_its_hands_has_crashed() -> None:
    worker = Scripted(gone(11, 7))
    assert (await outcome_of(worker)).kind == "crashed"
    assert worker.sent == [COMMAND]


@asynccontextmanager
async def started(python: str) -> AsyncIterator[Worker]:
    """A measuring worker, and nobody who watches it."""
    with shared_memory(4096) as memory:
        worker = await start_worker(worker_argv(python, "measure", "cpu"), environ(), memory)
        try:
            yield worker
        finally:
            await worker.close(patience=0)


def command(ticket: int) -> dict[str, Any]:
    shape = {name: getattr(small(3).shape, name) for name in Shape.__dataclass_fields__}
    return {
        "do": "measure", "ticket": ticket, "shape": shape, "seed": 1, "engine": "configured",
        "work": "forward", "warm_runs": 1,
    }  # fmt: skip


async def heard(worker: Worker, event: str, seconds: float = 30) -> dict[str, Any]:
    """The next event of that name; raises ``TimeoutError`` of asyncio without one."""
    while (said := await worker.receive(seconds)) is not None:
        if event in (said["event"], said.get("phase")):
            return said
    raise AssertionError("the worker has ended")


async def test_a_command_that_comes_twice_is_measured_once(worker_python: str) -> None:
    async with started(worker_python) as worker:
        for ticket in (1, 1, 2):
            worker.send(command(ticket))
        for ticket in (1, 2):
            worker.permit(ticket)
        assert [(await heard(worker, "measured"))["ticket"] for _ in range(2)] == [1, 2]


async def test_nothing_reaches_the_device_before_it_may(worker_python: str) -> None:
    async with started(worker_python) as worker:
        worker.send(command(5))
        await heard(worker, "tensors")
        worker.permit(4)  # of a process that died before it read it
        with pytest.raises(asyncio.TimeoutError):
            await heard(worker, "cold", 0.3)
        worker.permit(5)
        await heard(worker, "measured")


def draw(seed: int) -> dict[str, Any]:
    return {**command(0), "do": "draw", "seed": seed}


async def test_numbers_that_were_drawn_ahead_are_those_of_their_shape_and_of_no_other(
    worker_python: str,
) -> None:
    measured = []
    for ahead in ((), (draw(1),), (draw(2),), (draw(2), draw(1))):
        with shared_memory(4096) as memory:
            argv = worker_argv(worker_python, "measure", "cpu")
            worker = await start_worker(argv, environ(), memory)
            for each in (*ahead, command(5)):
                worker.send(each)
            worker.permit(5)
            await heard(worker, "measured")
            measured.append(os.pread(memory, small(3).shape.out_bytes, 0))
            await worker.close(patience=0)
    assert len(set(measured)) == 1
    assert any(measured[0])


def test_numbers_that_were_drawn_ahead_are_taken_once() -> None:
    drawn: list[object] = []

    class Torch:
        """Draws nothing but a new object each time."""

    def numbers_of(torch: object, command: dict[str, Any]) -> object:
        drawn.append(object())
        return drawn[-1]

    ahead = conv2d_worker.Ahead(numbers_of)
    ahead.draw(Torch, draw(1))
    assert ahead.take(Torch, command(5)) is drawn[0]
    assert ahead.take(Torch, command(6)) is drawn[1]
    ahead.draw(Torch, draw(2))
    assert ahead.take(Torch, command(7)) is drawn[3]


async def test_without_a_child_nothing_is_drawn_and_the_parent_computes_nothing(
    worker_python: str,
) -> None:
    async with started(worker_python) as worker:
        child = (await heard(worker, "child"))["pid"]
        kill_tree(child)
        await heard(worker, "gone")
        worker.send(draw(1))
        worker.send(command(3))
        worker.permit(3)
        assert (await heard(worker, "measured"))["ticket"] == 3


class Crew:
    """A team of one scripted worker; every result is right."""

    def __init__(self, worker: Scripted) -> None:
        measurer = Measurer(worker, PATIENT, False, kill_tree, Sources(), child=11)  # type: ignore[arg-type]
        self.measurers = {Way(spawn=False): measurer}
        self.worker = worker
        self.trouble = self.trouble_verdict = self.reference = None
        self.loaded = Loaded("2.2.2", "5.7", "RX 5600 XT")

    async def assemble(self, spawn: bool, row: Row) -> AsyncIterator[SweepEvent]:
        nothing: tuple[SweepEvent, ...] = ()
        for event in nothing:
            yield event

    def measurer(self, spawn: bool, row: Row) -> Measurer:
        return self.measurers[Way(spawn=False)]

    async def compare(self, command: dict[str, Any], parts: object) -> Comparison:
        self.worker.sent.append({"do": "compare", "seed": command["seed"]})
        return Comparison((Part("result", 0.0, 0),))


@pytest.mark.parametrize(
    ("device", "repeats", "drawn"), [("cuda", 1, [2, 3]), ("cpu", 1, []), ("cuda", 2, [])]
)
async def test_on_a_card_the_next_shape_is_drawn_while_this_one_is_compared(
    tmp_path: Path, device: str, repeats: int, drawn: list[int]
) -> None:
    figures = {"event": "measured", "cold": 0.1, "warm": [0.1], "memory": 1, "parts": []}
    worker = Scripted(*({**figures, "ticket": ticket} for ticket in range(1, 20)))
    sweep = Sweep("python3", tuple(map(small, (3, 4, 5))), device, seed=1, repeats=repeats)
    with closing(open_journal(tmp_path / "j", resume=False)) as book:
        trial = Trial(sweep, book, Crew(worker), spawn=False)  # type: ignore[arg-type]
        for index in range(3):
            verdicts = [e async for e in trial.run(index) if isinstance(e, ShapeDone)]
            assert verdicts[0].result.verdict is Verdict.PASS
    done = [(each["do"], each["seed"]) for each in worker.sent]
    assert [seed for do, seed in done if do == "draw"] == drawn
    for seed in drawn:  # before this one is compared, and before the next one is asked for
        place = done.index(("draw", seed))
        assert done[place + 1 : place + 3] == [("compare", seed - 1), ("measure", seed)]


async def test_a_shape_may_reach_the_device_once_its_launch_is_on_disk() -> None:
    worker = Scripted(MEASURED)
    order: list[object] = []
    worker.on_permit = order.append
    outcome = await outcome_of(worker, lambda: order.append("on disk"))
    assert outcome.kind == "measured"
    assert order == ["on disk", 7]


async def test_a_shape_whose_launch_cannot_be_recorded_never_reaches_the_device() -> None:
    def full() -> None:
        raise OSError(28, "No space left on device")

    worker = Scripted(MEASURED)
    order: list[object] = []
    worker.on_permit = order.append
    with pytest.raises(OSError, match="No space left"):
        await outcome_of(worker, full)
    assert order == []
