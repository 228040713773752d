"""Whether wheels and packages are still there: what is known, and what asking adds."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from contextlib import aclosing
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.reactive import reactive
from textual.screen import ModalScreen
from textual.widgets import Footer, Static

from screens.choose.sources import Sources
from screens.faults import fault, told
from screens.hanging import wrapped_text
from screens.waiting import SECOND_S, Wait
from wizard.machine.facts import Machine

TITLE = "Is it still there?   ↑ ↓ PgUp PgDn scroll"
ASKING = "Asking; each place has some seconds. Esc leaves at any time."
COLUMNS = 78
"""What 80 leave beside a margin and the scrollbar."""
NOT_ASKED = "Not asked to the end."
ASK_AGAIN = "Mend that, then p asks again. Esc leaves."
ASKED = "Asked. p asks again."


class Availability(ModalScreen[None]):
    """A table and what is behind it; it asks at once, for that is what it was opened for."""

    DEFAULT_CSS = """
    Availability {
        layout: vertical;
        background: $background;
        & > .bar { height: 1; padding: 0 1; background: $surface; }
        & > #available-title { text-style: bold; }
        & > VerticalScroll { height: 1fr; padding: 0 0 0 1; scrollbar-size-vertical: 1; }
        & > Footer { dock: none; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "ask", "Ask again"),
        Binding("escape,q,enter", "close", "Close", key_display="Esc"),
    ]
    AUTO_FOCUS = "VerticalScroll"
    asking: reactive[bool] = reactive(False, bindings=True)

    def __init__(
        self, sources: Sources, machine: Machine, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__()
        self._sources, self._machine, self._clock = sources, machine, clock
        self._wait: Wait | None = None

    def compose(self) -> ComposeResult:
        """Title, how it stands, the lines, keys."""
        yield Static(TITLE, id="available-title", classes="bar", markup=False)
        yield Static(id="available-state", classes="bar", markup=False)
        with VerticalScroll():
            yield Static(id="available", markup=False)
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        """Shows what is known and asks."""
        self.set_interval(SECOND_S, self._tell_wait)
        self.action_ask()

    def _tell_wait(self) -> None:
        if self._wait is not None and self.asking:
            self._say(self._wait.told(COLUMNS))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offers to ask where that is possible, and not while it is under way."""
        if action == "ask":
            return False if self._sources.ask is None else None if self.asking else True
        return True

    def action_ask(self) -> None:
        """Asks all places."""
        self.asking = self._sources.ask is not None
        self._wait = Wait(ASKING, self._clock)
        self._say(ASKING if self.asking else self._sources.silent)
        self._ask()

    @work(group="available", exclusive=True)
    async def _ask(self) -> None:
        try:
            await self._ask_each()
        except OSError as error:
            self._say(NOT_ASKED)
            text = told(fault("The places could not be asked to the end", error, ASK_AGAIN))
            self._show(wrapped_text(text, COLUMNS))
        self.asking = False

    async def _ask_each(self) -> None:
        from wizard.report.available import available_lines

        known = await asyncio.to_thread(self._sources.known, self._machine)
        self._show(available_lines(known, self.asking, COLUMNS))
        if self._sources.ask is None:
            return
        async with aclosing(self._sources.ask(known)) as answers:
            async for known in answers:
                self._show(available_lines(known, self.asking, COLUMNS))
        self.asking = False
        self._show(available_lines(known, width=COLUMNS))
        self._say(ASKED)

    def _show(self, lines: Iterable[str]) -> None:
        self._put("#available", "\n".join(lines))

    def _say(self, text: str) -> None:
        self._put("#available-state", text)

    def _put(self, place: str, text: str) -> None:
        """An answer may come while the window is taken down: it has no place any more."""
        for part in self.query(place).results(Static):
            part.update(text)

    def action_close(self) -> None:
        """Goes back; who has not answered is no longer waited for."""
        self.dismiss(None)
