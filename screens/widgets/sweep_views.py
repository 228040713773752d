"""What a sweep has come to, in one of three views: rows, grid by size and channels, times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message

from screens.conv2d.state import SweepState, mark_of
from screens.widgets.shapes_table import ShapesTable
from screens.widgets.sweep_lines import ModelLine
from screens.widgets.sweep_text import SweepGrid, SweepText, SweepTimes
from wizard.conv2d.presets import Preset, Row
from wizard.conv2d.verdicts import Result
from wizard.conv2d.words.repro import row_of

READABLE_S = 0.1
"""Nobody reads faster; to draw each event of quick shapes would leave no time for keys."""
ON_SCREEN = "on-screen"
"""The class of the view that is shown: it takes the keys."""


class SweepViews(Vertical):
    """The same results in all views, the cursor on the same row; below them the whole model."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "go(-1, 0)", "Up", show=False),
        Binding("down", "go(1, 0)", "Down", show=False),
        Binding("left", "go(0, -1)", "Left", show=False),
        Binding("right", "go(0, 1)", "Right", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home,ctrl+home", "first", "First", show=False),
        Binding("end,ctrl+end", "last", "Last", show=False),
    ]

    class Drawn(Message):
        """What was measured meanwhile is on the screen."""

    def __init__(self, state: SweepState, presets: Sequence[Preset]) -> None:
        super().__init__(id="views")
        self._state = state
        self.number = 1
        """The row under the cursor, counted from 1."""
        self._table = ShapesTable(state)
        self._views = (self._table, SweepGrid("grid", state), SweepTimes("times", state))
        self._model_line = ModelLine(presets)
        self._place = 0
        self._last_running: int | None = None
        self._has_news = self._resting = False

    def compose(self) -> ComposeResult:
        """All views, of which one is shown, and the line of the model."""
        for view in self._views:
            view.display = view is self._on_screen
            view.set_class(view is self._on_screen, ON_SCREEN)
            yield view
        yield self._model_line

    def on_mount(self) -> None:
        """Says which model it is about."""
        self._model_line.look_at(self.shapes)
        self._draw()

    @property
    def results(self) -> Mapping[int, Result]:
        """What was measured, by the number of its row."""
        return self._state.results

    @property
    def shapes(self) -> tuple[Row, ...]:
        """The rows as they were asked for, or came."""
        return self._state.rows

    @property
    def running_row(self) -> Row | None:
        """The row that is being measured."""
        running = self._state.running
        return None if running is None else self.shapes[running - 1]

    @property
    def now(self) -> str:
        """What the row under the cursor is at; ``""`` where it is not being measured."""
        is_running = self._state.running == self.number
        return mark_of(self._state, self.number).word if is_running else ""

    @property
    def device(self) -> str:
        """What is measured, or would be: ``cuda`` or ``cpu``."""
        return "cpu" if self._state.on_processor else "cuda"

    @property
    def chip(self) -> str | None:
        """The chip that is measured, where it is known."""
        return self._state.measured_chip

    @property
    def current_row(self) -> Row | None:
        """The row under the cursor; None where there is none."""
        return next(iter(self.shapes[self.number - 1 :][:1]), None)

    @property
    def current_result(self) -> Result | None:
        """What was measured of it."""
        return self.results.get(self.number)

    def start_over(self, rows: tuple[Row, ...], results: Mapping[int, Result]) -> None:
        """Shows these rows, with what was measured of them before."""
        self._state = replace(self._state.at_rest(), rows=rows, results=results)
        self._last_running, self.number = None, 1
        self._model_line.look_at(rows)
        self._draw()

    def know(self, number: int, row: Row) -> None:
        """A row that was not there beforehand, or is another one than was thought."""
        self._come_to(self._state.with_row(number, row))

    def know_of(self, number: int, result: Result) -> None:
        """The row of a result whose launch was before all that is shown."""
        if number > len(self._state.rows):
            self.know(number, row_of(result))

    def show_place(self, device: str, chip: str | None, rocm: str) -> None:
        """Where it would be measured: what was published elsewhere stands beside no shape."""
        self._state = replace(self._state, device=device, chip=chip, rocm=rocm)
        self._draw()

    def mark_running(self, number: int) -> None:
        """A row's shape is being measured; the cursor goes along unless it was moved away."""
        goes_along = self._last_running in (None, self.number)
        self._last_running = number
        self.number = number if goes_along else self.number
        self._come_to(self._state.with_running(number))

    def mark_phase(self, number: int, phase: str) -> None:
        """What the running shape is at."""
        self._come_to(self._state.with_phase(number, phase))

    def show_result(self, number: int, result: Result) -> None:
        """A row's verdict."""
        self._come_to(self._state.with_result(number, result))

    def come_to_rest(self) -> None:
        """Nothing is being measured any more: a shape that was ended is one that was not."""
        self._state = self._state.at_rest()
        self._draw()

    def action_go(self, down: int, right: int) -> None:
        """Goes to another row."""
        if self.shapes:
            self._go(self._on_screen.moved(self._state, self.number, down, right))

    def action_page(self, way: int) -> None:
        """Goes as many rows on as are in view."""
        self.action_go(way * self._on_screen.page, 0)

    def action_first(self) -> None:
        """Goes to the first row."""
        self._go(1)

    def action_last(self) -> None:
        """Goes to the last row."""
        self._go(max(1, len(self.shapes)))

    def on_shapes_table_chosen(self, event: ShapesTable.Chosen) -> None:
        """Goes to the row that was clicked on."""
        self._go(event.number)

    def on_sweep_text_chosen(self, event: SweepText.Chosen) -> None:
        """Goes to the row that was clicked on."""
        self._go(event.number)

    def next_view(self) -> None:
        """Shows the next view with the cursor on the same row."""
        before = self._on_screen
        self._place = (self._place + 1) % len(self._views)
        self._draw()
        self._on_screen.display = True
        self._on_screen.add_class(ON_SCREEN)
        if before.has_focus:
            self.take_keys()
        before.display = False  # only now: a hidden widget gives the focus to whatever comes next
        before.remove_class(ON_SCREEN)

    def take_keys(self) -> None:
        """Lets keys go to the view that is shown."""
        self.screen.set_focus(self._on_screen)

    @property
    def _on_screen(self) -> ShapesTable | SweepText:
        return self._views[self._place]

    def _go(self, number: int) -> None:
        self.number = number
        self._on_screen.show(self._state, number)

    def _come_to(self, state: SweepState) -> None:
        """Shows news: at once, or with what else comes while the last ones are read."""
        self._state, self._has_news = state, True
        if not self._resting:
            self._show_news()

    def _show_news(self) -> None:
        self._resting = self._has_news
        if self._has_news:
            self._draw()
            self.set_timer(READABLE_S, self._show_news)

    def _draw(self) -> None:
        self._has_news = False
        self._on_screen.show(self._state, self.number)
        self._model_line.tell(self.results.values())
        self.post_message(self.Drawn())
