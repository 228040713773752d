"""Stacks beside each other: a column a stack, a row an aspect, laid out for a width."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wizard.advice.comparison import Aspect, Column
from wizard.report.units import WIDTH, cut

LABEL_CELLS = 16
NARROWEST = 12
"""Cells of a column below which words would be cut."""
WIDEST = 21


@dataclass(frozen=True, slots=True)
class Sheet:
    """The columns that fit, and what stands in each of their cells."""

    columns: tuple[Column, ...]
    cells: int
    """How wide a column is, its gap included."""
    left_out: int
    """How many columns there was no room for."""

    @property
    def heads(self) -> tuple[str, ...]:
        """Rank and name of each column."""
        return tuple(column.head for column in self.columns)

    def row(self, number: int, gap: int = 1) -> tuple[str, ...]:
        """The texts of one aspect in all columns, with so many cells to spare."""
        return tuple(cell_text(column.aspects[number], self.cells - gap) for column in self.columns)


def sheet_of(
    columns: Sequence[Column], width: int, chosen: str = "", narrowest: int = NARROWEST
) -> Sheet:
    """As many columns as fit, the chosen one among them."""
    most = max(1, (width - LABEL_CELLS) // narrowest)
    names = [column.stack for column in columns]
    place = names.index(chosen) if chosen in names else 0
    start = min(max(0, place - most + 1), max(0, len(columns) - most))
    shown = tuple(columns[start : start + most])
    cells = min(WIDEST, (width - LABEL_CELLS) // max(1, len(shown)))
    return Sheet(shown, cells, len(columns) - len(shown))


def cell_text(aspect: Aspect, cells: int) -> str:
    """The word; its first part alone where all of it is too long."""
    word = aspect.word if len(aspect.word) <= cells else aspect.word.partition(",")[0]
    return cut(word, cells)


def sheet_lines(columns: Sequence[Column], width: int = WIDTH) -> Iterator[str]:
    """All columns as plain text, in as many tables as the width asks for."""
    rest = list(columns)
    while rest:
        sheet = sheet_of(rest, width)
        yield _line("", sheet.heads, sheet.cells)
        yield _line("torch", [column.torch for column in sheet.columns], sheet.cells)
        for number, aspect in enumerate(rest[0].aspects):
            yield _line(aspect.title, sheet.row(number), sheet.cells)
        rest = rest[len(sheet.columns) :]
        if rest:
            yield ""


def _line(label: str, texts: Sequence[str], cells: int) -> str:
    return (f"{label:<{LABEL_CELLS}}" + "".join(f"{text:<{cells}}" for text in texts)).rstrip()
