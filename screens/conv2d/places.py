"""Where rows stand by size and channels: the layout of the grid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from wizard.conv2d.shapes import Row
from wizard.conv2d.text import way_of

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
