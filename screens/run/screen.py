"""What every run looks like: its steps, its log, one bar, what went wrong."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing, suppress
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Static

from screens.faults import reason
from screens.run.state import BEGIN_AGAIN, RunState, after, broken_off
from screens.run.text import failure_text
from screens.services import Services
from screens.session import Session
from screens.step import StepScreen
from screens.widgets.log_pane import LogPane
from screens.widgets.progress_lines import ProgressLines
from screens.widgets.step_list import StepList
from wizard.remedies import TRY_AGAIN
from wizard.run.events import Event, Output, PlanFinished, StepFinished, StepStarted
from wizard.run.time_left import TimeLeft

LOOK_S = 1.0
"""How often the time left is told anew."""
SLICE = 2_000
"""Lines that are added to the log at once: between two such slices keys are answered."""
FRAME_CELLS = 3
"""What stands beside a text: a blank on both sides, and the scroll bar."""
LOG_HELP = (
    "/ looks for a text in the log: up and down go from hit to hit, Enter stays there, Esc ends "
    "it. y copies the selected text, else the hit, else the newest lines. The file named above "
    "the log has every line.\n\n"
    "Arrows and PgUp scroll the log, sideways too where a line is long; End follows its end "
    "again. Tab goes to the steps, which the same keys scroll, and back."
)


class RunScreen(StepScreen):
    """Shows the events of a run as they come."""

    RUN_KEYS: ClassVar[tuple[BindingType, ...]] = (
        Binding("slash", "search", "Search", key_display="/"),
        Binding("y", "copy", "Copy"),
    )
    WHEN_BROKEN_OFF: ClassVar[str] = BEGIN_AGAIN
    """What to do where nobody says how it went."""
    AGAIN: ClassVar[str] = TRY_AGAIN
    """The keys that begin the same anew."""
    AUTO_FOCUS = "#log"
    running: reactive[bool] = reactive(False, bindings=True)
    state: reactive[RunState | None] = reactive(None, init=False)

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(session, services)
        self._time_left = TimeLeft(services.clock)
        self._log_pane = LogPane()
        self._saved = ""
        self._since = services.clock()
        """When the running step began."""

    def body(self) -> Iterable[Widget]:
        """Steps, log, what went wrong, bar."""
        with Container(id="run"):
            yield StepList()
            yield self._log_pane
        with VerticalScroll(id="failure", classes="pad"):
            yield Static(id="failure-text", markup=False)
        yield ProgressLines()

    def begin(self, state: RunState, events: AsyncGenerator[Event, None]) -> None:
        """Shows what comes from now on."""
        self.state = state
        self.running = True
        self.call_after_refresh(self._show_steps)  # the first event may be long in coming
        self.set_interval(LOOK_S, self._show_progress)
        self._follow(events)

    def saved_as(self) -> str:
        """Path of the file that has the whole log, ``""`` while there is none; may take a while."""
        return ""

    def ended(self, state: RunState) -> None:
        """What is to be done and said once nothing more comes."""

    @work(group="run", exclusive=True)
    async def _follow(self, coming: AsyncGenerator[Event, None]) -> None:
        try:
            async with aclosing(coming) as events:
                async for event in events:
                    await self._take(event)
        except (OSError, ValueError) as trouble:
            # The journal on disk is right whatever happened: the user must still be told.
            why = reason(trouble) if isinstance(trouble, OSError) else str(trouble)
            self._break_off(f"The run broke off: {why.rstrip('.')}.")
        else:
            self._break_off("The run ended without saying how it went.")
        self.running = False
        if self.state is not None:
            self.ended(self.state)

    async def _take(self, event: Event) -> None:
        self._time_left.take(event)
        if self.state is not None:
            self.state = after(self.state, event)
        match event:
            case StepStarted():
                self._since = self.services.clock()
                await self._log(f"[{event.number}/{event.total}] {event.text}")
                await self._name_file()
            case Output():
                await self._log(*event.lines)
            case StepFinished():
                await self._log(f"    {event.outcome}")
            case PlanFinished() if event.log:
                await self._log("Every line of it is in", event.log)
            case _:
                pass

    async def _log(self, *lines: str) -> None:
        for start in range(0, len(lines), SLICE):
            self._log_pane.write(lines[start : start + SLICE])
            await asyncio.sleep(0)

    async def _name_file(self) -> None:
        if not self._saved:
            with suppress(OSError):  # no reason to break a run off: its end names the file too
                self._saved = await asyncio.to_thread(self.saved_as)
            self._log_pane.name_file(self._below_home(self._saved))

    def _below_home(self, path: str) -> str:
        """The path as a shell takes it too, short enough for its place."""
        machine = self.session.machine
        home = machine.access.home if machine is not None else ""
        return f"~{path[len(home) :]}" if home and path.startswith(f"{home}/") else path

    def _break_off(self, happened: str) -> None:
        state = self.state
        if state is not None and not state.ended:
            self.state = broken_off(state, happened, self.WHEN_BROKEN_OFF)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hides what would be typed into the search line while that is open."""
        if action in ("search", "help"):
            return not self._log_pane.searching
        return super().check_action(action, parameters)

    def watch_state(self, before: RunState | None, state: RunState | None) -> None:
        """Shows what is new in the state: most of what comes is progress alone."""
        if state is None or not self._is_whole():
            return
        if before is None or (before.states, before.current) != (state.states, state.current):
            self.query_one(StepList).show(state)
        if before is None or before.failure != state.failure:
            self._show_failure()
        self._show_progress()

    def on_resize(self) -> None:
        """Lays out anew what is wrapped; the step's own handler is called besides."""
        if self._is_whole():
            self._show_failure()

    def _show_steps(self) -> None:
        if self.state is not None and self._is_whole():
            self.query_one(StepList).show(self.state)
            self._show_progress()

    def _show_failure(self) -> None:
        if self.state is not None:
            text = failure_text(self.state, self.size.width - FRAME_CELLS, self.AGAIN)
            self.query_one("#failure-text", Static).update(text)
            self.query_one("#failure").display = self.state.failure is not None

    def _is_whole(self) -> bool:
        """False while the screen is taken down: its parts go one by one, and its worker last."""
        return self.is_mounted and all(
            self.query(part) for part in (StepList, "#failure-text", "#failure", ProgressLines)
        )

    def _show_progress(self) -> None:
        if self.state is not None and self._is_whole():
            left, spent = self._time_left.seconds, self.services.clock() - self._since
            self.query_one(ProgressLines).show(self.state, left, spent)

    def action_search(self) -> None:
        """Lets one type what to look for in the log."""
        self._log_pane.open_search()

    def action_copy(self) -> None:
        """Hands text to the terminal's clipboard; whether it takes it, no terminal says."""
        copy = self._log_pane.copy()
        if copy is None:
            self.say("The log is empty.")
            return
        self.app.copy_to_clipboard(copy.text)
        file = "; the file above has all" if self._saved else ""
        self.say(f"Copied {copy.what}, if this terminal allows it{file}.")
