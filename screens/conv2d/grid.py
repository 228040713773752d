"""Results by size and channels, as lines of text: sizes down, channels across."""

from __future__ import annotations

from textual.content import Content

from screens.clicks import tagged
from screens.conv2d.places import Places, places_of, size_text
from screens.conv2d.state import SweepState, line_of_row, mark_of
from screens.hanging import wrapped
from screens.words import cut, short_time, shown
from wizard.conv2d.verdicts import RIGHT

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
