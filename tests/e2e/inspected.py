"""The wizard as a program whose screens tell a test, through a socket, how they lie.

It is the real one, with its own main: only the class of its application is another one here. With
``--examples NAME`` it has the services of made-up values instead, for what no demo reaches.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import traceback
from dataclasses import asdict, dataclass
from typing import Any

from textual import events
from textual.dom import NoScreen

import screens.app
from screens.app import SetupApp, show
from screens.diagnose.screen import Diagnose
from screens.step import StepScreen
from screens.widgets.status_line import StatusLine
from tests.layout.looking import Reached, look
from tests.layout.seen import Shown
from tests.screens.driving import LOOK_AGAIN_S, drawn, resolve, screen_text, working
from wizard.__main__ import main
from wizard.core.json_form import typed

SOCKET = "WALKED_THROUGH"
"""The variable that names the socket."""
ASKS = "act"
"""Workers of History wait for the answers of dialogs."""
PATIENCE_S = 20
"""After that it says what it waits for."""
TELLS = "7777"
"""The number of the escape that goes to the terminal behind all that was drawn."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: what is on the screen once so many keys were taken and nothing works any more."""

    number: int
    keys: int
    goes_on: tuple[str, ...] = ()
    """Groups of workers that are not waited for."""
    looks: bool = True
    """False where it is enough to know that the keys were taken."""


class Inspected(SetupApp):
    """The wizard; it answers one question after the other."""

    _taken = 0

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._reached: Reached = {}

    def on_mount(self) -> None:
        """Calls the test."""
        self._answers = asyncio.create_task(self._answer_all())

    async def on_event(self, event: events.Event) -> None:
        """Counts keys once they are taken."""
        is_first = isinstance(event, events.Key | events.Paste) and not event.is_forwarded
        await super().on_event(event)
        self._taken += is_first

    async def _answer_all(self) -> None:
        reader, writer = await asyncio.open_unix_connection(os.environ[SOCKET])
        while line := await reader.readline():
            asked = typed(json.loads(line), Asked)
            try:
                answer = await asyncio.wait_for(self._rested(asked), PATIENCE_S)
            except asyncio.TimeoutError:
                answer = {"trouble": self._what_works(asked)}
            except Exception:  # a task would swallow it
                answer = {"trouble": traceback.format_exc()}
            if self._driver is not None:
                self._driver.write(f"\x1b]{TELLS};{asked.number}\x07")
            writer.write(json.dumps(answer).encode() + b"\n")
            await writer.drain()

    async def _rested(self, asked: Asked) -> dict[str, Any]:
        await resolve(self)
        while self._taken < asked.keys or not self._rests(asked.goes_on):
            await asyncio.sleep(LOOK_AGAIN_S)
            await resolve(self)
        return asdict(await self._at_rest()) if asked.looks else {}

    def _what_works(self, asked: Asked) -> str:
        groups = [each.group for each in self.workers if each.is_running]
        steps = [each for each in self.screen_stack if isinstance(each, StepScreen)]
        working_steps = [each.NAME for each in steps if _works(each)]
        keys = f"{self._taken} of {asked.keys} keys were taken"
        return f"{keys}; at work: {groups} {working_steps}\n{screen_text(self)}"

    def _rests(self, goes_on: tuple[str, ...]) -> bool:
        not_waited_for = (*goes_on, ASKS)
        if any(each.is_running and each.group not in not_waited_for for each in self.workers):
            return False
        steps = (each for each in self.screen_stack if isinstance(each, StepScreen))
        return goes_on != () or not any(_works(each) for each in steps)

    async def _at_rest(self) -> Shown:
        """Looks until a second look finds the same."""
        while True:
            await drawn(self)
            self._forget_what_was_below()
            try:
                shown = await look(self, self._reached)
            except NoScreen:  # a part was taken away meanwhile, as a footer that is made anew
                continue
            if tuple(screen_text(self).splitlines()) == shown.rows:
                return shown

    def _forget_what_was_below(self) -> None:
        """A dialog keeps how the screen below it looked; drawn to the terminal it is afresh."""
        for each in self.screen_stack:
            each._styles_cache.clear()


def _works(step: StepScreen) -> bool:
    waits = any(line.waits for line in step.query(StatusLine))
    return waits or working(step) or (isinstance(step, Diagnose) and step.here.running != "")


def run(arguments: list[str]) -> int:
    """Runs what the command line names."""
    if arguments[:1] == ["--examples"]:
        from tests.e2e.example_services import SERVICES

        return show(Inspected(SERVICES[arguments[1]]()))
    setattr(screens.app, SetupApp.__name__, Inspected)  # the start looks it up there
    return main(arguments)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
