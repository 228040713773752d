"""Results row by row: one shape a line, with its verdict or its times in columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from screens.conv2d.state import SweepState, mark_of
from screens.words import cut, short_time, shown
from wizard.conv2d.shapes import Published
from wizard.conv2d.text import are_joined, channels_of, error_of, what_of

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
class Column:
    """One column of the table."""

    head: str
    cells: int


def columns_for(state: SweepState, cells: int, *, times: bool = False) -> tuple[Column, ...]:
    """The columns for a screen that wide."""
    titled = TIMES if times else JOINED if are_joined(state.rows) else COLUMNS
    spare = max(0, min(cells, WIDEST) - NARROW)
    more = spare // sum(SHARES.get(head, 0) for head, _ in titled)
    return tuple(Column(head, width + more * SHARES.get(head, 0)) for head, width in titled)


def cells_of(state: SweepState, number: int, columns: Sequence[Column]) -> tuple[str, ...]:
    """A row as it stands: no text is wider than its column."""
    texts = (_text(state, number, column) for column in columns)
    return tuple(
        cut(shown(text), column.cells) for text, column in zip(texts, columns, strict=True)
    )


def _text(state: SweepState, number: int, column: Column) -> str:
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
