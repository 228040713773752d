"""Results as lines of text: by size and channels, or row by row."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from textual.content import Content

from screens.conv2d.state import SweepState, line_of_row, mark_of
from screens.keys import tagged
from screens.words import cut, short_time, wrapped
from wizard.conv2d.shapes import Published, Row
from wizard.conv2d.text import are_joined, channels_of, error_of, way_of, what_of
from wizard.conv2d.verdicts import RIGHT
from wizard.core.lines import shown

Size = tuple[int, int]
"""Height and width of the image."""


@dataclass(frozen=True, slots=True)
class Column:
    """Channels, and how they are convolved where that is not the usual way."""

    c_in: int
    c_out: int
    way: str

    @property
    def channels(self) -> str:
        """For example ``16->32``."""
        return f"{self.c_in}->{self.c_out}"


@dataclass(frozen=True, slots=True)
class Places:
    """Every row that has a size, by line and column; both are 0-based."""

    sizes: tuple[Size, ...]
    columns: tuple[Column, ...]
    cells: Mapping[tuple[int, int], tuple[int, ...]]
    """Numbers of the rows of a line and a column."""
    without: int
    """Rows that have no size, which are in no cell."""

    def cell_of(self, number: int) -> tuple[int, int] | None:
        """Line and column of a row; None where it has no size."""
        return next((cell for cell, numbers in self.cells.items() if number in numbers), None)

    def lines_of(self, column: int) -> tuple[int, ...]:
        """The lines that have a row in a column."""
        return tuple(line for line in range(len(self.sizes)) if (line, column) in self.cells)

    @property
    def repeated(self) -> int:
        """Rows that share their cell with an earlier one."""
        return sum(len(numbers) - 1 for numbers in self.cells.values())

    @property
    def has_many_sizes(self) -> bool:
        """True where the same channels come at several sizes, on the whole."""
        return len(self.cells) >= 2 * len(self.columns) > 0


@lru_cache(maxsize=4)  # asked for each time that a shape is drawn, of up to thousands of rows
def places_of(rows: tuple[Row, ...]) -> Places:
    """Lines from the smallest size down; the usual way first, then others as they came."""
    known = {number: row for number, row in enumerate(rows, 1) if row.operation is None}
    ways = list(dict.fromkeys(("", *map(way_of, known.values()))))
    columns = sorted(
        {_column(row) for row in known.values()},
        key=lambda column: (ways.index(column.way), column.c_in, column.c_out),
    )
    sizes = sorted(
        {(row.shape.h, row.shape.w) for row in known.values()},
        key=lambda size: (size[0] * size[1], size),
    )
    cells: dict[tuple[int, int], tuple[int, ...]] = {}
    for number, row in known.items():
        cell = sizes.index((row.shape.h, row.shape.w)), columns.index(_column(row))
        cells[cell] = (*cells.get(cell, ()), number)
    return Places(tuple(sizes), tuple(columns), cells, len(rows) - len(known))


def size_text(size: Size) -> str:
    """Height and width."""
    return f"{size[0]}x{size[1]}"


def _column(row: Row) -> Column:
    return Column(row.shape.c_in, row.shape.c_out, way_of(row))


SIZE_CELLS = 9
CELL_CELLS = 13
"""A sign, a word or a time, brackets around the one that is chosen, a gap."""
ROW_LINES = 2
"""What is known of the row under the cursor may take as many."""
TINT = "15%"
"""How much of its colour lies behind a verdict: more would make it hard to read."""
ROW = "row"
"""What a click finds the row by."""


def grid_lines(
    state: SweepState,
    number: int,
    width: int,
    height: int,
    *,
    marked: bool = True,
    told: bool = True,
) -> list[Content]:
    """The part of the grid around a row that so many cells and lines can show.

    ``told`` is False where what is known of the row stands elsewhere.
    """
    places = places_of(state.rows)
    row_lines = wrapped(line_of_row(state, number), width)[:ROW_LINES] if told else []
    below = [*_apart(places), *row_lines]
    way_lines = 1 if any(column.way for column in places.columns) else 0
    line, column = places.cell_of(number) or (0, 0)
    # Another row may take more lines: nothing is to jump for that.
    room = height - 2 - way_lines - len(_apart(places)) - (ROW_LINES if told else 0)
    lines = window(line, len(places.sizes), room)
    columns = window(column, len(places.columns), (width - SIZE_CELLS) // CELL_CELLS)
    if title := _title(places, lines, columns):
        lines = window(line, len(places.sizes), room - 1)
        title = _title(places, lines, columns)
    shown_columns = [places.columns[place] for place in columns]
    head = _head("Size", [each.channels for each in shown_columns])
    ways = _head("", [shown(each.way) for each in shown_columns])
    return [
        *([Content(cut(title, width))] if title else []),
        *([head, *([ways] * way_lines)] if shown_columns else []),
        *(_line(state, places, place, columns, number if marked else 0) for place in lines),
        Content(""),
        *(Content(cut(text, width)) for text in below),
    ]


def moved(state: SweepState, number: int, down: int, right: int) -> int:
    """The row that a step leads to: the next in the column, or the nearest of the next column."""
    places = places_of(state.rows)
    cell = places.cell_of(number)
    if cell is None:
        return _shown_of(state, next(iter(places.cells.values()), (number,)))
    line, column = cell
    if right:
        column = min(max(column + right, 0), len(places.columns) - 1)
        line = min(places.lines_of(column), key=lambda place: (abs(place - line), place))
    else:
        ahead = [place for place in places.lines_of(column) if (place - line) * down > 0]
        line = min(ahead, key=lambda place: abs(place - line), default=line)
    return number if (line, column) == cell else _shown_of(state, places.cells[line, column])


def _title(places: Places, lines: range, columns: range) -> str:
    """Which part is shown; ``""`` where that is all."""
    if not places.columns:
        return "These results have no image sizes or channels. Press v to see them as rows."
    parts = []
    if len(columns) < len(places.columns):
        total = len(places.columns)
        parts.append(f"Columns {columns[0] + 1} to {columns[-1] + 1} of {total} (← →)")
    if len(lines) < len(places.sizes):
        parts.append(f"Sizes {lines[0] + 1} to {lines[-1] + 1} of {len(places.sizes)} (↑ ↓)")
    return "; ".join(parts)


def _apart(places: Places) -> list[str]:
    """How many rows do not stand there by themselves."""
    counts = ((places.without, "without a size"), (places.repeated, "repeated"))
    told = [f"{count} {what}" for count, what in counts if count]
    return [f"Not in the grid: {', '.join(told)}. Press v to see them as rows."] if told else []


def _head(label: str, texts: list[str]) -> Content:
    cells = "".join(f" {cut(text, CELL_CELLS - 1):<{CELL_CELLS - 1}}" for text in texts)
    return Content.styled(f"{label:<{SIZE_CELLS}}{cells}".rstrip(), "bold")


def _line(state: SweepState, places: Places, line: int, columns: range, number: int) -> Content:
    parts = [Content(f"{size_text(places.sizes[line]):<{SIZE_CELLS}}")]
    for column in columns:
        numbers = places.cells.get((line, column), ())
        chosen = number in numbers
        cell = Content.assemble(*_cell(*_mark_in(state, numbers), chosen))
        parts.append(tagged(cell, ROW, numbers[0]) if numbers else cell)
    return Content.assemble(*parts)


def _mark_in(state: SweepState, numbers: tuple[int, ...]) -> tuple[str, str]:
    """A text and its style: what is right has its time, which says more than the word."""
    if not numbers:
        return "", ""
    number = _shown_of(state, numbers)
    mark, result = mark_of(state, number), state.results.get(number)
    if result is None or state.running == number:
        return mark.short, mark.style
    style = f"{mark.style} on {mark.style.replace('text-', '')} {TINT}"
    if result.verdict in RIGHT and result.warm_s is not None:
        return f"{mark.sign} {short_time(result.warm_s)}", style
    return mark.short, style


def _cell(text: str, style: str, chosen: bool) -> list[Content]:
    room = CELL_CELLS - 3
    text = cut(text, room)
    if chosen:
        text = f"[{text}{']':<{room - len(text) + 1}}"
        return [Content.styled(text, f"{style} bold".strip()), Content(" ")]
    return [Content.styled(f" {text:<{room}} ", style), Content(" ")]


def _shown_of(state: SweepState, numbers: tuple[int, ...]) -> int:
    """Of rows in one cell the one that runs, else one that is not right, else the last measured."""

    def gravity(number: int) -> tuple[bool, bool, bool, int]:
        result = state.results.get(number)
        failed = result is not None and result.verdict not in RIGHT
        return (state.running == number, failed, result is not None, -number)

    return max(numbers, key=gravity)


def window(place: int, total: int, room: int) -> range:
    """As many of so many places as there is room for, this one among them."""
    room = max(1, min(room, total))
    first = min(max(place - room // 2, 0), max(0, total - room))
    return range(first, min(first + room, total))


COLUMNS = (
    ("Size", 7),
    ("Channels", 10),
    ("Verdict", 9),
    ("Cold", 8),
    ("Warm", 8),
    ("Error", 7),
    ("Published", 10),
)
"""Head and width; fixed widths, so that nothing jumps when a verdict arrives."""
JOINED = (("What", 33), *COLUMNS[2:-1])
"""Columns for rows that size and channels do not tell apart."""
TIMES = (("What", 22), ("Cold", 8), ("Warm", 8), ("█ warm ░ cold, log scale", 26))
SHARES = {"What": 2, TIMES[-1][0]: 2, "Channels": 1, "Error": 2, "Published": 2}
"""How what a screen has above 80 columns is given to its texts."""
NARROW, WIDEST = 80, 120
SHORTEST_S, LONGEST_S = 1e-5, 1e2
"""The ends of the bars."""


@dataclass(frozen=True, slots=True)
class TableColumn:
    """One column of the table."""

    head: str
    cells: int


def columns_for(state: SweepState, cells: int, *, times: bool = False) -> tuple[TableColumn, ...]:
    """The columns for a screen that wide."""
    titled = TIMES if times else JOINED if are_joined(state.rows) else COLUMNS
    spare = max(0, min(cells, WIDEST) - NARROW)
    more = spare // sum(SHARES.get(head, 0) for head, _ in titled)
    return tuple(TableColumn(head, width + more * SHARES.get(head, 0)) for head, width in titled)


def cells_of(state: SweepState, number: int, columns: Sequence[TableColumn]) -> tuple[str, ...]:
    """A row as it stands: no text is wider than its column."""
    texts = (_text(state, number, column) for column in columns)
    return tuple(
        cut(shown(text), column.cells) for text, column in zip(texts, columns, strict=True)
    )


def _text(state: SweepState, number: int, column: TableColumn) -> str:
    row, result = state.rows[number - 1], state.results.get(number)
    match column.head:
        case "What":
            return what_of(row)
        case "Size":
            return f"{row.shape.h}x{row.shape.w}"
        case "Channels":
            return channels_of(row)
        case "Verdict":
            known = result is not None or state.running == number
            return str(mark_of(state, number)) if known else state.blank
        case "Published":
            return _published(state.claim_of(number), column.cells)
        case _ if result is None:
            return ""
        case "Error":
            return error_of(result)
        case "Cold":
            return short_time(result.cold_s)
        case "Warm":
            return short_time(result.warm_s)
        case _:
            return _bar(result.warm_s, result.cold_s, column.cells) or result.verdict.value


def _bar(warm_s: float | None, cold_s: float | None, cells: int) -> str:
    """Two times on one scale of powers of ten; the first call is hardly ever the faster one."""
    warm, cold = (_cells(seconds, cells) for seconds in (warm_s, cold_s))
    return f"{'█' * warm}{'░' * max(0, cold - warm)}"


def _cells(seconds: float | None, cells: int) -> int:
    if not seconds:
        return 0
    share = math.log(seconds / SHORTEST_S) / math.log(LONGEST_S / SHORTEST_S)
    return max(1, round(cells * min(share, 1.0)))


def _published(published: Published | None, cells: int) -> str:
    if published is None:
        return ""
    if cells > len(published.summary):
        return published.summary
    cold = "" if published.cold_s is None else f" {published.cold_s:.2g} s"
    return f"{published.verdict}{cold}"
