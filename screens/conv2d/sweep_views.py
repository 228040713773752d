"""What shapes have come to, in one of three views: grid by size and channels, rows, times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widget import Widget
from textual.widgets import DataTable, Static

from screens.conv2d import grid
from screens.conv2d.details import all_but_commands
from screens.conv2d.grid import TableColumn, cells_of, columns_for, places_of
from screens.conv2d.state import SweepState, mark_of
from screens.keys import tag_at
from wizard.conv2d.models import model_of
from wizard.conv2d.repro import row_of
from wizard.conv2d.shapes import Preset, Row
from wizard.conv2d.sweep import Phase, ShapeDone, ShapeStarted
from wizard.conv2d.verdicts import Result
from wizard.core.lines import shown
from wizard.report.conv2d import so_far_line
from wizard.report.conv2d_row import Place

READABLE_S = 0.1
"""Nobody reads faster; to draw each event of quick shapes would leave no time for keys."""
TITLES = ("Grid", "Shapes", "Times")
INKS = ("success", "warning", "error")
BESIDE_GRID, BESIDE_TABLE = 110, 180
"""Cells of a screen that has room for all of a shape beside the grid, and beside a table."""
CURSOR = ">"
"""Before the row of the cursor: colour alone would say nothing."""


@dataclass
class Chosen(Message):
    """A row is under the cursor of a view now."""

    number: int
    clicked: bool = False


class SweepGrid(Widget, can_focus=True):
    """Sizes down, channels across, drawn anew for each change."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "go(-1, 0)", "Up", show=False),
        Binding("down", "go(1, 0)", "Down", show=False),
        Binding("left", "go(0, -1)", "Left", show=False),
        Binding("right", "go(0, 1)", "Right", show=False),
        Binding("home,ctrl+home", "first", "First", show=False),
        Binding("end,ctrl+end", "last", "Last", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(id="grid")
        self._state = SweepState(())
        self._number = 1
        self.tells_shape = True
        """False where all of the shape stands beside it."""

    def show(self, state: SweepState, number: int) -> None:
        """Shows a state with the cursor on a row."""
        self._state, self._number = state, number
        self.refresh(layout=False)

    def render(self) -> Content:
        """The lines in the room that there is."""
        if not self._state.rows:
            return Content("")
        size = self.content_size
        lines = grid.grid_lines(
            self._state,
            self._number,
            size.width,
            size.height,
            marked=self.has_focus,
            told=self.tells_shape,
        )
        return Content("\n").join(lines)

    def on_click(self, event: Click) -> None:
        """Chooses the row below the pointer."""
        if isinstance(number := tag_at(event, grid.ROW), int):
            self.post_message(Chosen(number, clicked=True))

    def action_go(self, down: int, right: int) -> None:
        """Goes to another row."""
        if self._state.rows:
            self.post_message(Chosen(grid.moved(self._state, self._number, down, right)))

    def action_first(self) -> None:
        """Goes to the first row."""
        self.post_message(Chosen(1))

    def action_last(self) -> None:
        """Goes to the last row."""
        self.post_message(Chosen(max(1, len(self._state.rows))))


class SweepTable(DataTable[Text]):
    """One line a shape; only cells that read otherwise are set anew."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"sweep--{each}" for each in INKS}
    DEFAULT_CSS = """
    SweepTable {
        & > .sweep--success { color: $text-success; }
        & > .sweep--warning { color: $text-warning; }
        & > .sweep--error { color: $text-error; }
    }
    """

    def __init__(self, name: str) -> None:
        super().__init__(id=name, cursor_type="row", zebra_stripes=True)
        self._lines: list[tuple[str, ...]] = []
        self._columns: tuple[TableColumn, ...] = ()

    def show(self, state: SweepState, number: int) -> None:
        """Shows a state with the cursor on a row."""
        columns = columns_for(state, self.app.size.width, times=self.id == "times")
        if columns != self._columns or len(state.rows) < self.row_count:
            self.clear(columns=True)
            self._lines, self._columns = [], columns
            self.add_column("", width=1, key="")
            for column in columns:
                self.add_column(column.head, width=column.cells, key=column.head)
        marked = number - 1 if self.has_focus else -1
        for row in range(len(state.rows)):
            cells = (CURSOR * (row == marked), *cells_of(state, row + 1, columns))
            before = self._lines[row] if row < len(self._lines) else ()
            if cells == before:
                continue
            inked = [self._inked(state, row + 1, text) for text in cells]
            if not before:
                self.add_row(*inked, key=str(row))
            for head, text, new, old in zip(self.columns, inked, cells, before, strict=False):
                if new != old:
                    self.update_cell(str(row), head, text)
            self._lines[row:] = [cells, *self._lines[row + 1 :]]
        if state.rows and self.cursor_row != number - 1:
            self.move_cursor(row=number - 1)

    def _inked(self, state: SweepState, number: int, text: str) -> Text:
        """A verdict in the colour that its sign says once more."""
        mark = mark_of(state, number)
        ink = mark.style.removeprefix("$text-")
        if text != str(mark) or ink not in INKS:
            return Text(text)
        return Text(text, self.get_component_rich_style(f"sweep--{ink}", partial=True))

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        """Tells which row the cursor is on."""
        event.stop()
        # What comes late is of a row that the cursor has left already.
        if self.has_focus and event.cursor_row == self.cursor_row:
            self.post_message(Chosen(event.cursor_row + 1))

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Tells that a row was clicked on."""
        event.stop()
        self.post_message(Chosen(event.cursor_row + 1, clicked=True))


class SweepViews(Horizontal):
    """The same results in all views, the cursor on the same row; beside it all of that row."""

    class Drawn(Message):
        """What was measured meanwhile is on the screen."""

    def __init__(self, state: SweepState, presets: Sequence[Preset]) -> None:
        super().__init__(id="views")
        self.state = state
        """What they show."""
        self.number = 1
        """The row under the cursor, counted from 1."""
        self._grid = SweepGrid()
        self._views = (self._grid, SweepTable("shapes"), SweepTable("times"))
        self._tables = Vertical(*self._views, id="tables", classes="panel")
        self._presets = presets
        self._place = self._usual_place()
        self._last_running: int | None = None
        self._told: Content | None = None
        """What stands beside the views."""
        self._has_news = self._resting = False

    def compose(self) -> ComposeResult:
        """All views, of which one is shown, and the row of the cursor."""
        yield self._tables
        with VerticalScroll(id="shape", classes="panel", can_focus=False):
            yield Static(id="shape-text", markup=False)

    def on_mount(self) -> None:
        """Shows the usual one."""
        self._show_place()
        self._draw()

    def on_resize(self) -> None:
        """Gives the columns the new width."""
        self._show_place()
        self._draw()

    def on_descendant_focus(self) -> None:
        """Marks the row of the cursor: keys come here now."""
        self._draw()

    def on_descendant_blur(self) -> None:
        """Takes the mark away: keys go somewhere else."""
        self._draw()

    @property
    def results(self) -> Mapping[int, Result]:
        """What was measured, by the number of its row."""
        return self.state.results

    @property
    def running_row(self) -> Row | None:
        """The row that is being measured."""
        running = self.state.running
        return None if running is None else self.state.rows[running - 1]

    @property
    def now(self) -> str:
        """What the row under the cursor is at; ``""`` where it is not being measured."""
        is_running = self.state.running == self.number
        return mark_of(self.state, self.number).word if is_running else ""

    @property
    def current_row(self) -> Row | None:
        """The row under the cursor; None where there is none."""
        return next(iter(self.state.rows[self.number - 1 :][:1]), None)

    @property
    def current_result(self) -> Result | None:
        """What was measured of it."""
        return self.results.get(self.number)

    def start_over(self, rows: tuple[Row, ...], results: Mapping[int, Result]) -> None:
        """Shows these rows, with what was measured of them before."""
        self.state = replace(self.state.at_rest(), rows=rows, results=results)
        self._last_running, self.number = None, 1
        self._place = self._usual_place()
        self._show_place()
        self._draw()

    def show_place(self, device: str, chip: str | None, rocm: str) -> None:
        """Where it would be measured: what was published elsewhere stands beside no shape."""
        self.state = replace(self.state, device=device, chip=chip, rocm=rocm)
        self._draw()

    def take(self, event: ShapeStarted | Phase | ShapeDone) -> None:
        """Shows what became of a shape; the cursor goes along unless it was moved away."""
        number, state = event.number, self.state
        match event:
            case ShapeStarted():
                state = state.with_row(number, event.row).with_phase(number, "")
                if self._last_running in (None, self.number):
                    self.number = number
                self._last_running = number
            case Phase():
                if number > len(state.rows):  # the card is checked before the shape begins
                    return
                state = state.with_phase(number, event.name)
            case ShapeDone():
                if number > len(state.rows):  # its launch was before all that is shown
                    state = state.with_row(number, row_of(event.result))
                state = state.with_result(number, event.result)
        self._come_to(state)

    def come_to_rest(self) -> None:
        """Nothing is being measured any more: a shape that was ended is one that was not."""
        self.state = self.state.at_rest()
        self._draw()

    def on_chosen(self, event: Chosen) -> None:
        """Goes to a row; the screen tells all of one that was clicked on."""
        self.number = event.number
        self._on_screen.show(self.state, self.number)
        self._show_shape()

    def next_view(self) -> None:
        """Shows the next view with the cursor on the same row."""
        self._place = (self._place + 1) % len(self._views)
        self._show_place()
        self._draw()

    def take_keys(self) -> None:
        """Lets keys go to the view that is shown."""
        self.screen.set_focus(self._on_screen)

    @property
    def _on_screen(self) -> SweepGrid | SweepTable:
        return self._views[self._place]

    def _usual_place(self) -> int:
        """The grid, where channels come at several sizes: else the rows."""
        return 0 if places_of(self.state.rows).has_many_sizes else 1

    def _show_place(self) -> None:
        had_focus = any(view.has_focus for view in self._views)
        self._on_screen.display = True
        if had_focus:
            self.take_keys()
        for view in self._views:  # only now: a hidden widget gives the focus to what comes next
            view.display = view is self._on_screen
        names = (
            Content.styled(f" {title} ", "reverse" if place == self._place else "")
            for place, title in enumerate(TITLES)
        )
        key = Content.styled("v", "bold")
        self._tables.border_title = Content(" ").join((*names, key))
        room = BESIDE_TABLE if self._place else BESIDE_GRID
        self.set_class(self.app.size.width >= room, "-beside")
        self.set_class(self._place > 0, "-table")
        self._grid.tells_shape = not self.has_class("-beside")

    def _come_to(self, state: SweepState) -> None:
        """Shows news: at once, or with what else comes while the last ones are read."""
        self.state, self._has_news = state, True
        if not self._resting:
            self._show_news()

    def _show_news(self) -> None:
        self._resting = self._has_news
        if self._has_news:
            self._draw()
            self.set_timer(READABLE_S, self._show_news)

    def _draw(self) -> None:
        self._has_news = False
        if not self.is_mounted:
            return
        self._on_screen.show(self.state, self.number)
        self._show_shape()
        model = model_of(self.state.rows, self._presets)
        told = "" if model is None else so_far_line(model, tuple(self.results.values()))
        self._tables.border_subtitle = Content(told)
        self.post_message(self.Drawn())

    def _show_shape(self) -> None:
        """All of the row under the cursor, but for the commands that repeat it."""
        row = self.current_row
        device = "cpu" if self.state.on_processor else "cuda"
        place = Place("", device, self.state.measured_chip, self.now)
        text = Content("") if row is None else all_but_commands(row, self.current_result, place)
        if text == self._told:
            return  # what was scrolled to stays while other shapes are measured
        self._told = text
        pane = self.query_one("#shape", VerticalScroll)
        pane.border_title = Content("" if row is None else shown(row.label))
        self.query_one("#shape-text", Static).update(text)
        pane.scroll_home(animate=False)
