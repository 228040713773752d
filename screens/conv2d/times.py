"""Cold and warm times as a plot in text: over the size for one pair of channels, or row by row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from textual.content import Content

from screens.clicks import tagged
from screens.conv2d.grid import ROW, window
from screens.conv2d.places import Places, places_of, size_text
from screens.conv2d.scale import Scale, scale_for
from screens.conv2d.state import SweepState, line_of_row, mark_of
from screens.words import cut, shown
from wizard.conv2d.verdicts import RIGHT

AXIS_CELLS = 10
"""A time and the axis itself."""
WIDEST, WORDS = 20, 9
"""Cells of one point at most, and from how many on there is room for a word below it."""
COLD, WARM, BOTH, PUBLISHED, NO_TIME = "o", "+", "@", "p", "✗"
LINES_BESIDE = 6
"""Title, axis, labels, marks, the chosen row, legend."""
LEAST_LINES = 3


@dataclass(frozen=True, slots=True)
class Series:
    """Rows that stand beside one another, and those of them that there is room for."""

    numbers: tuple[int, ...]
    labels: tuple[str, ...]
    near: range
    """Places of those that are drawn."""
    slot: int
    """Cells of each of them."""
    by_row: bool
    """True where sizes are too few to draw something over them, and all rows stand in a row."""

    @property
    def drawn(self) -> tuple[int, ...]:
        """The numbers of those that are drawn."""
        return tuple(self.numbers[place] for place in self.near)


def times_lines(state: SweepState, number: int, width: int, height: int) -> list[Content]:
    """The plot around a row that so many cells and lines can show."""
    places = places_of(state.rows)
    series = series_of(state, places, number, width)
    scale = scale_for(_all_times(state), max(LEAST_LINES, height - LINES_BESIDE))
    return [
        Content(cut(_title(places, series, number, scale), width)),
        *_plot(state, series, scale, max(LEAST_LINES, height - LINES_BESIDE)),
        Content(f"{'':>{AXIS_CELLS - 1}}└{'─' * (series.slot * len(series.near))}"),
        _under("row" if series.by_row else "size", _labels(series, number)),
        _under("", _marks(state, series)),
        Content(line_of_row(state, number, width)),
        Content(cut(_legend(state, series), width)),
    ]


def series_of(state: SweepState, places: Places, number: int, width: int) -> Series:
    """The rows of the same channels by size; all rows where that is not much."""
    cell = places.cell_of(number)
    by_row = cell is None or not places.has_many_sizes
    if cell is None or by_row:
        numbers = tuple(range(1, len(state.rows) + 1))
        labels = tuple(map(str, numbers))
    else:
        column = cell[1]
        lines = [(n, line) for line in places.lines_of(column) for n in places.cells[line, column]]
        numbers = tuple(n for n, _ in lines)
        labels = tuple(size_text(places.sizes[line]) for _, line in lines)
    room = max(1, width - AXIS_CELLS)
    narrowest = max(map(len, labels)) + 2
    near = window(numbers.index(number), len(numbers), room // narrowest)
    return Series(numbers, labels, near, min(WIDEST, room // len(near)), by_row)


def moved(state: SweepState, number: int, down: int, right: int) -> int:
    """The row that a step leads to: along the axis, or to the next channels."""
    places = places_of(state.rows)
    series = series_of(state, places, number, AXIS_CELLS)
    cell = places.cell_of(number)
    if right or cell is None or series.by_row:
        place = series.numbers.index(number) + (right or down)
        return series.numbers[min(max(place, 0), len(series.numbers) - 1)]
    line, column = cell[0], min(max(cell[1] + down, 0), len(places.columns) - 1)
    if column == cell[1]:
        return number
    nearest = min(places.lines_of(column), key=lambda place: (abs(place - line), place))
    return places.cells[nearest, column][0]


def _title(places: Places, series: Series, number: int, scale: Scale | None) -> str:
    kind = ", none measured yet" if scale is None else f", {scale.kind} scale"
    total = len(series.numbers)
    first, last = series.near[0] + 1, series.near[-1] + 1
    part = "" if len(series.near) == total else f" ({first} to {last} of {total}, ← →)"
    cell = places.cell_of(number)
    if cell is None or series.by_row:
        return f"Times row by row{part}{kind}"
    columns = len(places.columns)
    others = f"; channels {cell[1] + 1} of {columns} (↑ ↓)" if columns > 1 else ""
    return f"Times of {shown(places.columns[cell[1]].label)} over the size{part}{kind}{others}"


def _all_times(state: SweepState) -> Iterator[float]:
    """Those of all rows, so that all channels have the same scale."""
    for number in range(1, len(state.rows) + 1):
        yield from (seconds for seconds in _times_of(state, number) if seconds is not None)


def _times_of(state: SweepState, number: int) -> tuple[float | None, float | None, float | None]:
    """Cold, warm, and cold as somebody published it for this card and stack."""
    result, claim = state.results.get(number), state.claim_of(number)
    published = None if claim is None else claim.cold_s
    return (None, None, published) if result is None else (result.cold_s, result.warm_s, published)


def _plot(state: SweepState, series: Series, scale: Scale | None, height: int) -> Iterator[Content]:
    """The lines above the axis, with what is known of each point."""
    canvas = [[" "] * (series.slot * len(series.near)) for _ in range(height)]
    for place, number in enumerate(series.drawn):
        _draw(canvas, state, number, place * series.slot + series.slot // 2, scale)
    labels = {} if scale is None else scale.labels
    for line, cells in enumerate(canvas):
        label = labels.get(line, "")
        drawn = (
            tagged(Content("".join(cells[place * series.slot :][: series.slot])), ROW, number)
            for place, number in enumerate(series.drawn)
        )
        yield Content.assemble(f"{label:>{AXIS_CELLS - 2}} │", *drawn)


def _draw(
    canvas: list[list[str]], state: SweepState, number: int, at: int, scale: Scale | None
) -> None:
    cold, warm, published = _times_of(state, number)
    if _failed(state, number) and cold is None and warm is None:
        canvas[0][at] = NO_TIME
    if scale is None:
        return
    if published is not None:
        canvas[scale.line_of(published)][at + 1] = PUBLISHED
    for seconds, sign in ((cold, COLD), (warm, WARM)):
        if seconds is not None:
            line = canvas[scale.line_of(seconds)]
            line[at] = BOTH if line[at] == COLD else sign


def _failed(state: SweepState, number: int) -> bool:
    result = state.results.get(number)
    return result is not None and result.verdict not in RIGHT


def _under(label: str, parts: Iterator[Content]) -> Content:
    return Content.assemble(f"{label:>{AXIS_CELLS - 2}}  ", *parts)


def _labels(series: Series, number: int) -> Iterator[Content]:
    """Below each point its size or its number; the chosen one in brackets."""
    for place in series.near:
        chosen = series.numbers[place] == number
        text = f"[{series.labels[place]}]" if chosen else series.labels[place]
        label = Content.styled(_centred(text, series.slot), "bold" if chosen else "")
        yield tagged(label, ROW, series.numbers[place])


def _marks(state: SweepState, series: Series) -> Iterator[Content]:
    """Below that how each row stands: a sign, with a word or its first letter."""
    for number in series.drawn:
        mark = mark_of(state, number)
        letter = mark.letter if _failed(state, number) else ""
        text = mark.short if series.slot >= WORDS else f"{mark.sign}{letter}"
        sign = Content.styled(_centred(cut(text, series.slot - 1), series.slot), mark.style)
        yield tagged(sign, ROW, number)


def _centred(text: str, slot: int) -> str:
    """The text around the cell in which its point is drawn."""
    before = max(0, slot // 2 - len(text) // 2)
    return f"{'':<{before}}{text}"[:slot].ljust(slot)


def _legend(state: SweepState, series: Series) -> str:
    """The signs that occur, and the letters where there is no room for words."""
    parts = [f"{COLD} cold", f"{WARM} warm", f"{BOTH} both", f"{NO_TIME} no time"]
    if any(_times_of(state, number)[2] is not None for number in series.drawn):
        parts.append(f"{PUBLISHED} published cold")
    marks = dict.fromkeys(mark_of(state, n) for n in series.drawn if _failed(state, n))
    letters = [f"{mark.letter} {mark.word}" for mark in marks] if series.slot < WORDS else []
    return "  ".join([*parts, *letters])
