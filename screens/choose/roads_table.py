"""The table of roads on Choose: pure text, laid out for a width."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from textual.content import Content

from screens.words import column, cut, shown
from wizard.knowledge.applications import Application
from wizard.knowledge.stacks import Stack
from wizard.plan.advice import Road
from wizard.plan.fit import Cell, Verdict
from wizard.sizes import size_text

ROAD_CELLS = 20
GET_CELLS = 8
ROOT_CELLS = 5
CARD_CELLS = 12
VERDICT_CELLS = 11
WIDEST_VERDICT_CELLS = 13
STACK_CELLS = 8
BLOCKED = "not possible here"

STYLES = {
    Verdict.WORKS: "bold $text-success",
    Verdict.LIKELY: "$text-success",
    Verdict.POSSIBLE: "$text-primary",
    Verdict.UNKNOWN: "$text-muted",
    Verdict.DISPUTED: "$text-warning",
    Verdict.HANGS: "bold $text-error",
    Verdict.SLOW: "$text-warning",
    Verdict.NO: "$text-error",
}
WORST_FIRST = tuple(reversed(Verdict))


@dataclass(frozen=True, slots=True)
class RoadsTable:
    """All that the table shows."""

    roads: tuple[Road, ...]
    stacks: dict[str, Stack]
    ticked: tuple[Application, ...]
    highlighted: str
    needs_root: Callable[[str], bool]


def table_lines(table: RoadsTable, cells: int) -> tuple[Content, ...]:
    """The head and one line a road, each at most so many cells wide."""
    columns = verdict_columns(len(table.ticked), cells)
    width = verdict_width(columns, cells)
    head = _head(table.ticked, columns, width)
    rows = (_row(table, road, columns, width, cells) for road in table.roads)
    return (Content.styled(set_cell_size(head, cells), "bold $text-muted"), *rows)


def verdict_columns(applications: int, cells: int) -> int:
    """How many verdict columns fit beside the fixed ones."""
    room = cells - ROAD_CELLS - GET_CELLS - ROOT_CELLS - CARD_CELLS
    return max(0, min(applications, room // VERDICT_CELLS))


def verdict_width(columns: int, cells: int) -> int:
    """How wide a verdict column is; what is left goes to the last column."""
    room = cells - ROAD_CELLS - GET_CELLS - ROOT_CELLS - CARD_CELLS
    return min(WIDEST_VERDICT_CELLS, room // columns) if columns else 0


def _head(ticked: tuple[Application, ...], columns: int, width: int) -> str:
    titles = [shown(application.title) for application in ticked]
    if len(titles) > columns:
        titles = [*titles[: columns - 1], f"+{len(titles) - columns + 1} more"]
    verdicts = "".join(column(title, width) for title in titles)
    start = f"{'  STACK    TORCH':<{ROAD_CELLS}}"
    return f"{start}{verdicts}{'GET':<{GET_CELLS}}{'ROOT':<{ROOT_CELLS}}YOUR CARD"


def _row(table: RoadsTable, road: Road, columns: int, width: int, cells: int) -> Content:
    stack = table.stacks[road.fit.stack]
    chosen = road.fit.stack == table.highlighted
    name = column(shown(stack.id), STACK_CELLS)
    torch = shown(stack.torch).partition("+")[0]
    start = column(f"{'>' if chosen else ' '} {road.rank} {name}{torch}", ROAD_CELLS)
    root = root_word(road, steps=table.needs_root(stack.id))
    download = road.fit.download_bytes
    get = "?" if download is None else size_text(download)
    fixed = f"{get:<{GET_CELLS}}{root:<{ROOT_CELLS}}"
    verdicts = [
        _verdict(cell, width, plain=chosen) for cell in fitting_cells(road.fit.cells, columns)
    ]
    left = ROAD_CELLS + width * len(verdicts) + GET_CELLS + ROOT_CELLS
    card = cut(card_words(road, cells - left), cells - left)
    style = "bold" if road.fit.possible else "dim"
    line = Content.assemble((start, style), *verdicts, fixed, card)
    padded = line.pad_right(max(0, cells - cell_len(line.plain)))
    return padded.stylize("reverse") if chosen else padded


def root_word(road: Road, *, steps: bool) -> str:
    """Whether root is needed: for steps of the plan, once before it, or not at all."""
    missing = road.fit.missing_right
    if steps:
        return "yes"
    return "once" if missing is not None and missing.needs_root else "no"


def card_words(road: Road, cells: int) -> str:
    """What is known for this card; its first clause alone where all of it is too long."""
    if not road.fit.possible:
        return BLOCKED
    words = shown(road.your_card)
    return words if cell_len(words) <= cells else words.partition(";")[0]


def fitting_cells(cells: tuple[Cell, ...], columns: int) -> tuple[Cell, ...]:
    """As many verdicts as there are columns; the last one is the worst of those left over."""
    if len(cells) <= columns or not columns:
        return cells[:columns]
    worst = min(cells[columns - 1 :], key=lambda cell: WORST_FIRST.index(cell.verdict))
    return (*cells[: columns - 1], worst)


def _verdict(cell: Cell, width: int, *, plain: bool) -> tuple[str, str]:
    style = "bold" if plain else STYLES[cell.verdict]
    return column(cell.verdict.value, width), style
