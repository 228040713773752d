"""The way out of the program, at whatever moment."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from textual import work
from textual.widget import Widget
from textual.widgets import Static

from screens.app import SetupApp
from screens.dialogs import Notice
from screens.session import Session
from screens.step import StepScreen
from tests.screens.driving import reach, until
from tests.screens.fakes import LIVE_SERVICES
from wizard.services import Services

TURNS = 5
"""As often as that others have their turn: enough for a worker to come to its window."""


class LastPart(Static):
    """A part that takes a while to be taken down."""

    def __init__(self, gate: asyncio.Event) -> None:
        super().__init__()
        self._gate = gate

    async def on_unmount(self) -> None:
        """What the worker waits for comes just now."""
        self._gate.set()
        for _ in range(TURNS):
            await asyncio.sleep(0)


class Asking(StepScreen):
    """A step whose worker opens a window as soon as something has come."""

    NAME = "diagnose"
    TITLE_WORD = "Asking"
    HELP_TEXT = ""

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(session, services)
        self._gate = asyncio.Event()
        self.begun = False

    def body(self) -> Iterable[Widget]:
        yield LastPart(self._gate)

    def on_mount(self) -> None:
        self._ask()

    @work(group="ask", exclusive=True)
    async def _ask(self) -> None:
        self.begun = True
        await self._gate.wait()
        await self.app.push_screen_wait(Notice("Found", "It has come."))


async def test_a_window_that_would_open_while_the_program_ends_lets_it_end() -> None:
    app = SetupApp(LIVE_SERVICES)
    async with app.run_test(size=(80, 24)) as pilot:
        await reach(pilot, "welcome")
        asking = Asking(Session(), LIVE_SERVICES)
        app.push_screen(asking)
        await until(pilot, lambda: asking.begun)
    assert not asking.is_running
