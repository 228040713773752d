"""The table of the Conv2d panel: one row a shape, filled as the verdicts come."""

from __future__ import annotations

from rich.text import Text
from textual.widgets import DataTable

from screens.sweep_rows import RUNNING, are_joined, blank_row, columns, measured_cells
from screens.words import shown
from wizard.conv2d.presets import Row
from wizard.conv2d.verdicts import Result


class ShapesTable(DataTable[Text]):
    """Rows of a preset; it remembers their results, so that a new width loses nothing."""

    def __init__(self, rows: tuple[Row, ...], blank: str) -> None:
        super().__init__(id="shapes", cursor_type="row", zebra_stripes=True)
        self._shapes = rows
        self._blank = blank
        self._widths: dict[str, int] = {}
        self._published = "Published"
        self.results: dict[int, Result] = {}

    def on_mount(self) -> None:
        """Shows the rows."""
        self._lay_out()

    def on_resize(self) -> None:
        """Lays the columns out for the new width."""
        if self._widths_now() != self._widths:
            self._lay_out()

    @property
    def _heads(self) -> tuple[tuple[str, str, int], ...]:
        joined = are_joined(self._shapes)
        return columns(self.app.size.width, self._published, joined=joined)

    def _widths_now(self) -> dict[str, int]:
        return {key: cells for _, key, cells in self._heads}

    def start_over(self, rows: tuple[Row, ...]) -> None:
        """Shows these rows, none of them measured."""
        self._shapes, self.results = rows, {}
        if self._widths_now() != self._widths:
            self._lay_out()
        else:
            self.clear()
            self._fill()

    def know(self, number: int, row: Row) -> None:
        """A row that was not there beforehand, or is another one than was thought."""
        before = self._shapes
        if before[number - 1 : number] == (row,):
            return
        self._shapes = (*before[: number - 1], row, *before[number:])
        if number <= len(before) or self._widths_now() != self._widths:
            self._lay_out()
        else:
            self._add(number, row)

    def name_published(self, title: str) -> None:
        """Says whose the published figures are."""
        if title != self._published:
            self._published = title
            self._lay_out()

    def mark_running(self, number: int) -> None:
        """A row's shape is being measured."""
        self._set(number, "verdict", Text(RUNNING))

    def mark_not_run(self, number: int) -> None:
        """A row's shape was ended before its verdict."""
        self._set(number, "verdict", Text(self._blank))

    def mark_phase(self, number: int, phase: str) -> None:
        """What the running shape is at."""
        self._set(number, "verdict", Text(f"> {shown(phase)}"))

    def show_result(self, number: int, result: Result) -> None:
        """A row's verdict."""
        self.results[number] = result
        for key, cell in measured_cells(result, self._widths["error"]):
            self._set(number, key, cell)

    def _lay_out(self) -> None:
        place = self.cursor_row
        self.clear(columns=True)
        self._widths = self._widths_now()
        for title, key, cells in self._heads:
            self.add_column(title, key=key, width=cells)
        self._fill()
        self.move_cursor(row=place)

    def _fill(self) -> None:
        for number, row in enumerate(self._shapes, 1):
            self._add(number, row)
        for number, result in self.results.items():
            self.show_result(number, result)

    def _add(self, number: int, row: Row) -> None:
        self.add_row(*blank_row(row, self._blank, self._widths), key=str(number))

    def _set(self, number: int, key: str, cell: Text) -> None:
        self.update_cell(str(number), key, cell)
