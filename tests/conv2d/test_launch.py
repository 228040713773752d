"""A launch whose command may be lost: told again, and taken once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

import pytest

from tests.conv2d.sweeping import PATIENT, environ, small
from wizard.conv2d.hangs import Sources
from wizard.conv2d.shapes import Shape
from wizard.conv2d.worker.launch import Measurer, Outcome
from wizard.conv2d.worker.process import Worker, kill_tree, shared_memory, start_worker, worker_argv

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
    async with aclosing(measurer.launch(1, COMMAND, sync=sync)) as answers:
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
