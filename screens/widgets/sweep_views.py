"""What a sweep has come to, in one of three views: rows, grid by size and channels, times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widget import Widget

from screens.sweep_state import SweepState, mark_of
from screens.widgets.shapes_table import ShapesTable
from screens.widgets.sweep_lines import OneLine
from screens.widgets.sweep_text import SweepGrid, SweepText, SweepTimes
from wizard.conv2d.models import model_of
from wizard.conv2d.presets import Preset, Row
from wizard.conv2d.repro import row_of
from wizard.conv2d.verdicts import Result
from wizard.report.conv2d_models import so_far_line

READABLE_S = 0.1
"""Phases that are shorter are not shown: each would have all rows drawn anew."""
ON_SCREEN = "on-screen"
"""The class of the view that is shown: it takes the keys."""


class SweepViews(Vertical):
    """The same results in all views, the cursor on the same row; below them the whole model."""

    def __init__(self, state: SweepState, presets: Sequence[Preset]) -> None:
        super().__init__(id="views")
        self._state = state
        self._presets = presets
        self._model: Preset | None = None
        self._table = ShapesTable(state.rows, state.blank)
        self._texts: tuple[SweepText, ...] = (SweepGrid("grid", state), SweepTimes("times", state))
        self._place = 0
        self._last_running: int | None = None
        self._phase_due = False

    def compose(self) -> ComposeResult:
        """All views, of which one is shown, and the line of the model."""
        for view in self._views:
            view.display = view is self._on_screen
            view.set_class(view is self._on_screen, ON_SCREEN)
            yield view
        yield OneLine("model-line")

    def on_mount(self) -> None:
        """Says which model it is about."""
        self._look_for_model()

    @property
    def results(self) -> Mapping[int, Result]:
        """What was measured, by the number of its row."""
        return self._state.results

    @property
    def number(self) -> int:
        """The row under the cursor, counted from 1."""
        return self._texts[self._place - 1].number if self._place else self._table.cursor_row + 1

    @property
    def shapes(self) -> tuple[Row, ...]:
        """The rows as they were asked for, or came."""
        return self._state.rows

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

    def start_over(self, rows: tuple[Row, ...]) -> None:
        """Shows these rows, none of them measured."""
        self._state = replace(self._state, rows=rows, results={}, running=None, phase="")
        self._last_running = None
        self._table.start_over(rows)
        self._look_for_model()
        self._show(1)

    def know(self, number: int, row: Row) -> None:
        """A row that was not there beforehand, or is another one than was thought."""
        before = self._state.rows
        rows = (*before[: number - 1], row, *before[number:])
        if rows != before:
            self._state = replace(self._state, rows=rows)
            self._table.know(number, row)
            self._show(self.number)

    def know_of(self, number: int, result: Result) -> None:
        """The row of a result whose launch was before all that is shown."""
        if number > len(self._state.rows):
            self.know(number, row_of(result))

    def show_place(self, device: str, chip: str | None) -> None:
        """Where it would be measured: what was published of cards says nothing of a processor."""
        self._state = replace(self._state, device=device, chip=chip)
        self._show(self.number)

    def mark_running(self, number: int) -> None:
        """A row's shape is being measured; the cursor goes along unless it was moved away."""
        goes_along = self._last_running in (None, self.number)
        self._last_running = number
        self._state = self._state.with_running(number)
        self._table.mark_running(number)
        self._show(number if goes_along else self.number)

    def mark_phase(self, number: int, phase: str) -> None:
        """What the running shape is at."""
        self._state = self._state.with_phase(number, phase)
        if not self._phase_due:
            self._phase_due = True
            self.set_timer(READABLE_S, self._show_phase)

    def show_result(self, number: int, result: Result) -> None:
        """A row's verdict."""
        self._state = self._state.with_result(number, result)
        self._table.show_result(number, result)
        self._show_model()
        self._show(self.number)

    def come_to_rest(self) -> None:
        """Nothing is being measured any more: a shape that was ended is one that was not."""
        running = self._state.running
        self._state = self._state.at_rest()
        if running is not None:
            self._table.mark_not_run(running)
        self._show(self.number)

    def next_view(self) -> None:
        """Shows the next view with the cursor on the same row."""
        before, number = self._on_screen, self.number
        self._place = (self._place + 1) % len(self._views)
        self._show(number)
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
    def _views(self) -> tuple[Widget, ...]:
        return self._table, *self._texts

    @property
    def _on_screen(self) -> Widget:
        return self._views[self._place]

    def _show(self, number: int) -> None:
        if self._place == 0 and number != self._table.cursor_row + 1:
            self._table.move_cursor(row=number - 1)
        self._table.name_published(self._state.published_head)
        for view in self._texts:
            view.show(self._state, number)

    def _show_phase(self) -> None:
        self._phase_due = False
        if self._state.running is not None and self._state.phase:
            self._table.mark_phase(self._state.running, self._state.phase)
            self._show(self.number)

    def _look_for_model(self) -> None:
        self._model = model_of(self._state.rows, self._presets)
        self.query_one("#model-line", OneLine).display = self._model is not None
        self._show_model()

    def _show_model(self) -> None:
        if self._model is not None:
            line = so_far_line(self._model, tuple(self.results.values()))
            self.query_one("#model-line", OneLine).show(line)
