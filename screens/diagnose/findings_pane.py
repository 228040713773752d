"""The findings as a list, and the details of the highlighted one below it or beside it."""

from __future__ import annotations

from textual import getters
from textual.app import ComposeResult
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.widgets import Static
from textual.widgets.option_list import Option

from screens.diagnose.text import FEW, Row, Shown, details, is_same, row_text
from screens.widgets.lists import MARK, MarkedList

NARROWEST, WIDEST = 30, 100
BESIDE_CELLS = 2 + len(MARK)
"""The scroll bar, a blank, and the mark of the row."""


class FindingsList(MarkedList):
    """One row for each finding; Enter opens it, or its fix."""

    def __init__(self) -> None:
        super().__init__(enter="Open", title="Found", id="findings")
        self.rows: tuple[Row, ...] = ()

    def show(self, rows: tuple[Row, ...], at: int | None = None) -> None:
        """Shows rows, with the highlight on its row where that is still there."""
        place = self._place_in(rows) if at is None else at
        self.rows = rows
        cells = max(NARROWEST, self.size.width - BESIDE_CELLS)
        self.set_options(Option(row_text(row, cells)) for row in rows)
        self.highlighted = min(place, len(rows) - 1) if rows else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hides Open where there is no row."""
        return bool(self.rows) if action == "select" else True

    @property
    def current(self) -> Row | None:
        """The highlighted row."""
        place = self.highlighted
        return None if place is None or place >= len(self.rows) else self.rows[place]

    def _place_in(self, rows: tuple[Row, ...]) -> int:
        """On top it stays on top: what is worse comes there."""
        current, place = self.current, self.highlighted or 0
        if not place or current is None:
            return place
        return next((n for n, row in enumerate(rows) if is_same(row, current)), place)

    def on_resize(self) -> None:
        """Lays the rows out for the new width."""
        self.show(self.rows, self.highlighted or 0)


class FindingsPane(Container):
    """List and details."""

    findings = getters.query_one(FindingsList)

    def __init__(self) -> None:
        super().__init__()
        self._shown = Shown()

    def compose(self) -> ComposeResult:
        """The list, then the details."""
        yield FindingsList()
        with VerticalScroll(id="details", classes="panel", can_focus=False) as pane:
            pane.border_title = "Details"
            yield Static(id="details-text", markup=False)

    def show(self, there: Shown, at: int | None = None) -> None:
        """Shows findings."""
        self._shown = there
        self.findings.set_class(bool(there.running), "-coming")
        self.findings.show(there.rows, at)
        self.show_details()

    def show_details(self) -> None:
        """Shows the highlighted row: all of it where the details stand beside the list."""
        pane = self.query_one("#details", VerticalScroll)
        cells = min(WIDEST, max(NARROWEST, pane.size.width - 2))
        row = self.findings.current
        lines = details(row, self._shown, cells, None if self.screen.has_class("-wide") else FEW)
        self.query_one("#details-text", Static).update(Content("\n").join(lines))
        pane.scroll_home(animate=False, immediate=True)

    def on_resize(self) -> None:
        """Lays the details out for the new width."""
        self.call_after_refresh(self.show_details)
