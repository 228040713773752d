"""The stacks beside each other on a wide Choose: a column a stack, a row an aspect."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import set_cell_size
from textual.content import Content

from screens.choose.choosing import Choosing
from screens.choose.roads_table import STYLES
from screens.clicks import tagged
from screens.words import cut
from wizard.advice.comparison import Aspect
from wizard.report.side_by_side import LABEL_CELLS, Sheet, sheet_of

ASPECT = "aspect"
"""What a click finds the aspect by."""
COLUMN_CELLS = 20
"""The least that a column takes."""
HEAD_LINES = 2
FRAME = 2
"""Cells that the arrows round the marked cell take."""
STYLE_OF = {verdict.value: style for verdict, style in STYLES.items()}
STYLE_OF |= {"none fits": "$text-error", "too little": "$text-error"}


def matrix_lines(choosing: Choosing, cells: int, lines: int) -> tuple[Content, ...]:
    """Heads and rows; where not all rows fit, those around the marked one."""
    sheet = sheet_of(choosing.columns, cells, choosing.stack.id, COLUMN_CELLS)
    chosen = [column.stack for column in sheet.columns].index(choosing.stack.id)
    count = len(choosing.column.aspects)
    marked = choosing.column.aspects.index(choosing.aspect)
    room = max(1, lines - HEAD_LINES)
    start = min(max(0, marked - room + 1), max(0, count - room))
    rows = range(start, min(count, start + room))
    return (
        *_heads(sheet, chosen, choosing, cells),
        *(_row(sheet, number, chosen, choosing, cells) for number in rows),
    )


def style_of(aspect: Aspect) -> str:
    """The colour of a verdict; a "no" that is good news has none."""
    return "" if aspect.id == "root" else STYLE_OF.get(aspect.word, "")


def stack_at(choosing: Choosing, cells: int, x: int) -> str:
    """The stack whose column is at a place of a line; ``""`` for none."""
    sheet = sheet_of(choosing.columns, cells, choosing.stack.id, COLUMN_CELLS)
    number = (x - LABEL_CELLS) // sheet.cells
    return sheet.columns[number].stack if 0 <= number < len(sheet.columns) else ""


def _heads(sheet: Sheet, chosen: int, choosing: Choosing, cells: int) -> Iterator[Content]:
    more = f"+{sheet.left_out} more" if sheet.left_out else ""
    names: list[tuple[str, str]] = [(set_cell_size(more, LABEL_CELLS), "$text-muted")]
    torches: list[tuple[str, str]] = [(" " * LABEL_CELLS, "")]
    for place, column in enumerate(sheet.columns):
        marked = place == chosen
        name = f"{'>' if marked else ' '}{column.head}"
        torch = f"torch {column.torch}" if _possible(choosing, column.stack) else "not possible"
        names.append((_fill(name, sheet.cells), "bold reverse" if marked else "bold"))
        torches.append((_fill(f" {torch}", sheet.cells), "$text-muted"))
    yield _padded(Content.assemble(*names), cells)
    yield _padded(Content.assemble(*torches), cells)


def _possible(choosing: Choosing, stack: str) -> bool:
    return next(fit.possible for fit in choosing.recommendation.fits if fit.stack == stack)


def _row(sheet: Sheet, number: int, chosen: int, choosing: Choosing, cells: int) -> Content:
    aspect = sheet.columns[0].aspects[number]
    marked = aspect.id == choosing.aspect.id
    label = f"{'>' if marked else ' '} {aspect.title}"
    parts: list[tuple[str, str]] = [(set_cell_size(label, LABEL_CELLS), "bold" if marked else "")]
    for place, text in enumerate(sheet.row(number, FRAME)):
        style = style_of(sheet.columns[place].aspects[number])
        if place == chosen:
            style = "bold reverse" if marked else "bold"
        parts.append((_fill(_framed(text, place == chosen and marked), sheet.cells), style))
    return tagged(_padded(Content.assemble(*parts), cells), ASPECT, aspect.id)


def _framed(text: str, framed: bool) -> str:
    """The marked cell stands between arrows: it must be found without any colour."""
    return f">{text}<" if framed else f" {text}"


def _fill(text: str, cells: int) -> str:
    return set_cell_size(cut(text, cells - 1), cells)


def _padded(line: Content, cells: int) -> Content:
    return line.pad_right(max(0, cells - line.cell_length))
