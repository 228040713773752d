"""A launch whose command may be lost: told again, and taken once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import aclosing, suppress
from typing import Any

from tests.conv2d.sweeping import PATIENT, environ, small
from wizard.conv2d.channel import kill_tree, shared_memory, start_worker, worker_argv
from wizard.conv2d.evidence import Sources
from wizard.conv2d.launch import Measurer
from wizard.conv2d.outcome import Outcome
from wizard.conv2d.shapes import Shape

COMMAND = {"do": "measure", "ticket": 7}
MEASURED = {"event": "measured", "ticket": 7, "size": [1]}


class Scripted:
    """A worker that says what it is told to say, and remembers what it was sent."""

    def __init__(self, *events: dict[str, Any]) -> None:
        self._events: Iterator[dict[str, Any]] = iter(events)
        self.sent: list[dict[str, Any]] = []
        self.tail = self
        self.reading = self.chosen = None

    def forget(self) -> None:
        """Nothing was printed."""

    def text(self) -> str:
        return ""

    def lines(self) -> str:
        return ""

    def send(self, command: dict[str, Any]) -> bool:
        self.sent.append(command)
        return True

    async def receive(self, seconds: float) -> dict[str, Any]:
        return next(self._events)


async def outcome_of(worker: Scripted) -> Outcome:
    measurer = Measurer(worker, PATIENT, False, kill_tree, Sources(), child=11)  # type: ignore[arg-type]
    async with aclosing(measurer.launch(COMMAND)) as answers:
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


async def test_a_command_that_comes_twice_is_measured_once(worker_python: str) -> None:
    shape = {name: getattr(small(3).shape, name) for name in Shape.__dataclass_fields__}
    command = {
        "do": "measure", "ticket": 1, "shape": shape, "seed": 1, "engine": "configured",
        "work": "forward", "warm_runs": 1,
    }  # fmt: skip
    with shared_memory(4096) as memory:
        argv = worker_argv(worker_python, "measure", "cpu")
        worker = await start_worker(argv, environ(), memory)
        try:
            for ticket in (1, 1, 2):
                worker.send({**command, "ticket": ticket})
            measured = []
            with suppress(asyncio.TimeoutError):
                while 2 not in measured:
                    event = await worker.receive(30)
                    assert event is not None
                    if event["event"] == "measured":
                        measured.append(event["ticket"])
            assert measured == [1, 2]
        finally:
            await worker.close(patience=0)
