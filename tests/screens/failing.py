"""Services that fail, wait or tell without end: the bad days of each screen."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field, replace
from threading import Event as Gate
from typing import Any

from tests.screens import examples
from tests.screens.collaborators import but
from tests.screens.fakes import LIVE_SERVICES
from wizard.core.events import Event, Output, PlanFinished, StepStarted
from wizard.core.trouble import Trouble
from wizard.machine.facts import Machine
from wizard.machine.part import PartDone
from wizard.services import Services
from wizard.services.runs import Rollback

FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/home/sam/.local/state/rdna1-setup")
DENIED = PermissionError(errno.EACCES, os.strerror(errno.EACCES), "/var/lib/rdna1-setup/runs")
SLOW = TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))  # asyncio drops a file of it
GONE = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), "/home/sam/log.txt")
TOLD = Trouble(
    "There is no run that could be undone.",
    "Nothing of this program is on this machine, or its records were removed.",
    "To see the list of runs, use `rdna1-setup rollback --list`.",
)
LONG_NAME = "AMD Radeon RX 5600 XT " + "with a name that its maker never ends " * 8
LONG_PATH = "/home/sam/" + "a-folder-with-quite-a-long-name/" * 8 + "venv"


def fails(error: Exception) -> Callable[..., Any]:
    """A road at whose end is this failure."""

    def fail(*_: object) -> Any:
        raise error

    return fail


def fails_later(error: Exception) -> Callable[..., AsyncGenerator[Any, None]]:
    """Events that break off."""

    async def events(*_: object) -> AsyncGenerator[Event, None]:
        yield StepStarted(1, 1, "the first step", "The first step.")
        raise error

    return events


def half_detected(on_part: Callable[[PartDone], None]) -> Machine:
    """Three answers, and then a file that nobody may read."""
    for part in examples.PARTS[:3]:
        on_part(part)
    raise DENIED


async def no_sweep(*_: object) -> AsyncGenerator[Any, None]:
    """A run that cannot be written down."""
    raise FULL
    yield


@dataclass(slots=True)
class Waiting:
    """Roads that end when the gate is opened, and a clock that is told the time."""

    gate: Gate = field(default_factory=Gate)
    now: float = 0.0

    def approach(self, answer: Callable[..., Any]) -> Callable[..., Any]:
        """The same road, behind the gate."""

        def wait(*given: object) -> Any:
            self.gate.wait()
            return answer(*given)

        return wait

    def events(self, *first: Event) -> Callable[..., AsyncGenerator[Event, None]]:
        """Events that come no further than these while the gate is shut."""

        async def come(*_: object) -> AsyncGenerator[Event, None]:
            for event in first:
                yield event
            await asyncio.to_thread(self.gate.wait)
            yield Output(("it goes on",))
            yield PlanFinished(True, False, True, False, "20260101-120000", "")

        return come

    def services(self, **approaches: Any) -> Services:
        """The usual ones, but for these, and with this clock."""
        return but(LIVE_SERVICES, clock=lambda: self.now, **approaches)


LONG_MACHINE = replace(
    examples.MACHINE,
    gpus=(replace(examples.CARD, name=LONG_NAME),),
    system=replace(examples.MACHINE.system, pretty_name="A distribution " + "by any name " * 20),
)
LONG_PARTS = tuple(
    examples.Part(
        f"{part.title} {LONG_NAME}", LONG_PATH, f"{part.summary} {LONG_NAME}", (LONG_PATH,) * 40
    )
    for part in examples.PARTS
)
LONG_CHOICE = replace(examples.CHOICE, venv=LONG_PATH)
LONG_PLAN = replace(
    examples.make_plan(LONG_MACHINE, LONG_CHOICE),
    notes=(LONG_NAME,),
    steps=examples.PLAN.steps * 12,
)
LONG_BACK = Rollback(
    "\n".join((f"Undo run {LONG_NAME}:", *(f"remove {LONG_PATH}/{n}" for n in range(60)))),
    None,
    LIVE_SERVICES.runs.find_rollback().events,
    lambda: None,
)


def long_detect(on_part: Callable[[PartDone], None]) -> Machine:
    """Endless answers."""
    for part in LONG_PARTS:
        on_part(part)
    return LONG_MACHINE
