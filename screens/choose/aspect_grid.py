"""The aspects of the highlighted stack on a narrow Choose: two or three beside each other."""

from __future__ import annotations

from rich.cells import set_cell_size
from textual.content import Content

from screens.choose.choosing import Choosing
from screens.choose.stacks_matrix import ASPECT, style_of
from screens.clicks import tagged
from wizard.advice.comparison import RUN, Aspect
from wizard.report.side_by_side import LABEL_CELLS, cell_text

ROOMY, DENSE = 2, 3
"""Aspects a line: where there is room, and where there is little."""


def grid_lines(choosing: Choosing, cells: int, lines: int) -> tuple[Content, ...]:
    """All but verdicts on applications, for which the table has columns, in so many lines."""
    aspects = [each for each in choosing.column.aspects if not each.id.startswith(RUN)]
    beside = ROOMY if -(-len(aspects) // ROOMY) <= lines else DENSE
    height = -(-len(aspects) // beside)
    rows = [aspects[row::height] for row in range(height)]
    return tuple(_line(row, choosing.marked, cells // beside) for row in rows[: max(0, lines)])


def _line(row: list[Aspect], marked: str, cells: int) -> Content:
    parts = []
    for aspect in row:
        here = aspect.id == marked
        label = set_cell_size(f"{'>' if here else ' '} {aspect.title}", LABEL_CELLS + 1)
        left = cells - LABEL_CELLS - 1
        text = set_cell_size(cell_text(aspect, left - 1), left)
        style = "bold reverse" if here else style_of(aspect)
        cell = Content.assemble((label, "bold" if here else "$text-primary"), (text, style))
        parts.append(tagged(cell, ASPECT, aspect.id))
    return Content.assemble(*parts)
