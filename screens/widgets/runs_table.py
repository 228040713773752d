"""The runs of the history: two lines each, newest first, and what cannot be read below them."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.events import Click
from textual.widgets import DataTable

from screens.keys import tag_at
from screens.words import cut
from wizard.conv2d.requests import described
from wizard.conv2d.runs.folders import KeptRuns, Run
from wizard.conv2d.runs.history import UNDER_WAY, RunStatus
from wizard.core.lines import shown
from wizard.report.conv2d_runs import counts_text

MARK, CURSOR = "*", ">"
MARKS = 2
"""How many runs can be marked: a third takes the place of the first."""
OTHER_CELLS = 4 + 1 + 2 * 4 + 2
"""Borders, scroll bar, the padding of four columns, cursor and mark."""
READING = "reading…"
CELLS = ("began", "what", "on")


class RunsTable(DataTable[Text]):
    """One row a run; a row of its own for each folder that is none."""

    DEFAULT_CSS = "RunsTable { scrollbar-size-vertical: 1; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select_cursor", "Show", key_display="Enter")
    ]

    def __init__(self) -> None:
        super().__init__(id="runs", classes="panel", cursor_type="row", zebra_stripes=True)
        self.border_title = "Runs"
        self._kept = KeptRuns()
        self._statuses: dict[str, RunStatus] = {}
        self._marked: tuple[str, ...] = ()
        self._width = 0

    def on_resize(self) -> None:
        """Lays the columns out for the new width."""
        if self.app.size.width != self._width:
            self._lay_out()

    def show(self, kept: KeptRuns) -> None:
        """Shows these runs, with what is known of them, and leaves the cursor on its run."""
        before, self._kept = self.current, kept
        self._lay_out()
        if before in kept.runs:
            self.move_cursor(row=kept.runs.index(before))

    def tell(self, status: RunStatus) -> None:
        """Fills the row of a run."""
        self._statuses[status.run.id] = status
        for key, cell in zip(CELLS, self._cells(status.run), strict=True):
            self.update_cell(status.run.id, key, cell)

    @property
    def unknown(self) -> tuple[Run, ...]:
        """Runs whose end is not known yet."""
        ended = {name for name, each in self._statuses.items() if each.state != UNDER_WAY}
        return tuple(run for run in self._kept.runs if run.id not in ended)

    @property
    def current(self) -> Run | None:
        """The highlighted run."""
        runs = self._kept.runs
        return runs[self.cursor_row] if 0 <= self.cursor_row < len(runs) else None

    @property
    def unreadable(self) -> str:
        """The highlighted folder that is no run; ``""`` on a run."""
        place = self.cursor_row - len(self._kept.runs)
        return self._kept.unreadable[place] if 0 <= place < len(self._kept.unreadable) else ""

    @property
    def marked(self) -> tuple[Run, ...]:
        """The marked runs, newest first."""
        return tuple(run for run in self._kept.runs if run.id in self._marked)

    def toggle_mark(self) -> None:
        """Marks the highlighted run, or takes its mark away."""
        if (run := self.current) is None:
            return
        others = tuple(name for name in self._marked if name != run.id)
        self._marked = others if run.id in self._marked else (*others, run.id)[-MARKS:]
        self._draw_marks()

    def on_click(self, event: Click) -> None:
        """Shows the run that was clicked on: else only a second click in the same column does."""
        row = tag_at(event, "row")
        if isinstance(row, int) and row >= 0:
            event.prevent_default()
            self.move_cursor(row=row)
            self.action_select_cursor()

    def on_data_table_row_highlighted(self) -> None:
        """Marks the row of the cursor in text too: its colour alone would say nothing."""
        self._draw_marks()

    def _draw_marks(self) -> None:
        for place, key in enumerate(self._keys):
            self.update_cell(key, "mark", self._mark(place, key))

    @property
    def _keys(self) -> tuple[str, ...]:
        return (*(run.id for run in self._kept.runs), *self._kept.unreadable)

    def _lay_out(self) -> None:
        place, self._width = self.cursor_row, self.app.size.width
        self.clear(columns=True)
        titles = ("", "Began", "Asked", "Measured with")
        for title, key, cells in zip(titles, ("mark", *CELLS), (2, *self._widths()), strict=True):
            self.add_column(title, key=key, width=cells)
        for number, run in enumerate(self._kept.runs):
            self.add_row(self._mark(number, run.id), *self._cells(run), height=2, key=run.id)
        for path in self._kept.unreadable:
            name = cut(shown(path.rpartition("/")[2]), self._widths()[1])
            self.add_row(Text(""), Text("cannot be read"), Text(name), Text(""), key=path)
        self.move_cursor(row=place)

    def _widths(self) -> tuple[int, int, int]:
        began = len("2026-01-02 09:04:31") if self._alike else len("2026-01-02 09:04")
        room = max(0, self._width - OTHER_CELLS - began)
        on = min(max(21, room // 2), 40)
        return began, max(1, room - on), on

    @property
    def _alike(self) -> set[str]:
        """Minutes in which more than one run began."""
        counts = Counter(run.since for run in self._kept.runs)
        return {minute for minute, count in counts.items() if count > 1}

    def _mark(self, place: int, key: str) -> Text:
        cursor = CURSOR if place == self.cursor_row else " "
        return Text(f"{cursor}{MARK if key in self._marked else ''}")

    def _cells(self, run: Run) -> list[Text]:
        status, asked = self._statuses.get(run.id), shown(described(run.request))
        began = run.since_second if run.since in self._alike else run.since
        if status is None:
            lines = [(began, READING), (asked, ""), ("", "")]
        else:
            torch, device = status.loaded.torch, status.loaded.device
            measured = (device or "-", f"torch {torch}" if torch else "")
            lines = [(began, status.state), (asked, counts_text(status)), measured]
        return [
            Text("\n".join(cut(shown(line), cells) for line in two))
            for two, cells in zip(lines, self._widths(), strict=True)
        ]
