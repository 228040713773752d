"""Results row by row, as lines of text: one shape a line, in columns of fixed widths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from screens.conv2d.rows import MARKS, are_joined, channels_of, error_of, what_of
from screens.conv2d.state import RUNNING_MARK, SweepState
from screens.words import cut, short_time, shown
from wizard.conv2d.presets import Published
from wizard.conv2d.verdicts import Result, Verdict

COLUMNS = (
    ("Size", "size", 8),
    ("Channels", "channels", 10),
    ("Verdict", "verdict", 11),
    ("Cold", "cold", 8),
    ("Warm", "warm", 8),
    ("Error", "error", 8),
    ("Published", "published", 11),
)
"""Head, key and width; fixed widths, so that nothing jumps when a verdict arrives."""
SHARES = {"what": 2, "channels": 1, "error": 2, "published": 2}
"""How what a screen has above 80 columns is given to its texts."""
JOINED = (("What", "what", 33), *(column for column in COLUMNS[2:-1]))
"""Columns for rows that size and channels do not tell apart."""
NARROW = 80
SHORT_VERDICTS = {Verdict.OUT_OF_MEMORY: "no memory"}


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the table."""

    head: str
    key: str
    cells: int


@dataclass(frozen=True, slots=True)
class Cell:
    """A text in a column, and its colour."""

    text: str
    style: str = ""


def columns_for(state: SweepState, cells: int) -> tuple[Column, ...]:
    """The columns for a screen that wide."""
    titled = JOINED if are_joined(state.rows) else COLUMNS
    more = max(0, cells - NARROW) // sum(SHARES.get(key, 0) for _, key, _ in titled)
    return tuple(
        Column(
            head,
            key,
            width + more * SHARES.get(key, 0),
        )
        for head, key, width in titled
    )


def cells_of(state: SweepState, number: int, columns: Sequence[Column]) -> tuple[Cell, ...]:
    """A row as it stands: no text is wider than its column."""
    cells = (_cell(state, number, column) for column in columns)
    return tuple(
        Cell(cut(shown(cell.text), column.cells), cell.style)
        for cell, column in zip(cells, columns, strict=True)
    )


def _cell(state: SweepState, number: int, column: Column) -> Cell:
    row, result = state.rows[number - 1], state.results.get(number)
    match column.key:
        case "what":
            return Cell(what_of(row))
        case "size":
            return Cell(f"{row.shape.h}x{row.shape.w}")
        case "channels":
            return Cell(channels_of(row))
        case "published":
            return Cell(_published(state.claim_of(number), column.cells))
        case "verdict":
            return _verdict(state, number, result)
        case _:
            return Cell("" if result is None else _figure(result, column.key))


def _verdict(state: SweepState, number: int, result: Result | None) -> Cell:
    if state.running == number:
        return Cell(f"{RUNNING_MARK} {state.phase or 'running'}")
    if result is None:
        return Cell(state.blank)
    mark, colour = MARKS[result.verdict]
    return Cell(f"{mark} {SHORT_VERDICTS.get(result.verdict, result.verdict.value)}", colour)


def _figure(result: Result, key: str) -> str:
    if key == "error":
        return error_of(result)
    return short_time(result.cold_s if key == "cold" else result.warm_s)


def _published(published: Published | None, cells: int) -> str:
    if published is None:
        return ""
    if cells > len(published.summary):
        return published.summary
    cold = "" if published.cold_s is None else f" {published.cold_s:.2g} s"
    return f"{published.verdict}{cold}"
