"""The table of roads on Choose: pure text, laid out for a width."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from textual.content import Content

from screens.words import column, cut, shown
from wizard.advice.fit import Answer, Fit
from wizard.knowledge.applications import Application
from wizard.knowledge.stacks import Stack
from wizard.knowledge.verdicts import Word
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
    Word.WORKS: "bold $text-success",
    Word.LIKELY: "$text-success",
    Word.POSSIBLE: "$text-primary",
    Word.NOT_TRIED: "$text-muted",
    Word.DISPUTED: "$text-warning",
    Word.UNLIKELY: "bold $text-error",
    Word.NO: "$text-error",
    Word.UNKNOWN: "$text-muted",
    Word.NONE: "$text-muted",
}
WORST_FIRST = tuple(reversed(Word))


@dataclass(frozen=True, slots=True)
class RoadsTable:
    """All that the table shows."""

    fits: tuple[Fit, ...]
    stacks: dict[str, Stack]
    ticked: tuple[Application, ...]
    highlighted: str
    needs_root: Callable[[str], bool]


def table_lines(table: RoadsTable, cells: int) -> tuple[Content, ...]:
    """The head and one line a road, each at most so many cells wide."""
    columns = verdict_columns(len(table.ticked), cells)
    width = verdict_width(columns, cells)
    head = _head(table.ticked, columns, width)
    rows = (_row(table, rank, fit, columns, width, cells) for rank, fit in enumerate(table.fits, 1))
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
    return f"{start}{verdicts}{'GET':<{GET_CELLS}}{'ROOT':<{ROOT_CELLS}}FOR"


def _row(table: RoadsTable, rank: int, fit: Fit, columns: int, width: int, cells: int) -> Content:
    stack = table.stacks[fit.stack]
    chosen = fit.stack == table.highlighted
    name = column(shown(stack.id), STACK_CELLS)
    torch = shown(stack.torch).partition("+")[0]
    start = column(f"{'>' if chosen else ' '} {rank} {name}{torch}", ROAD_CELLS)
    root = root_word(fit, steps=table.needs_root(stack.id))
    download = fit.download_bytes
    get = "?" if download is None else size_text(download)
    fixed = f"{get:<{GET_CELLS}}{root:<{ROOT_CELLS}}"
    verdicts = [
        _verdict(answer, width, plain=chosen) for answer in fitting_answers(fit.answers, columns)
    ]
    left = ROAD_CELLS + width * len(verdicts) + GET_CELLS + ROOT_CELLS
    words = cut(use_words(fit, stack), cells - left)
    style = "bold" if fit.possible else "dim"
    line = Content.assemble((start, style), *verdicts, fixed, words)
    padded = line.pad_right(max(0, cells - cell_len(line.plain)))
    return padded.stylize("reverse") if chosen else padded


def root_word(fit: Fit, *, steps: bool) -> str:
    """Whether root is needed: for steps of the plan, once before it, or not at all."""
    missing = fit.missing_right
    if steps:
        return "yes"
    return "once" if missing is not None and missing.needs_root else "no"


def use_words(fit: Fit, stack: Stack) -> str:
    """What the stack is for, or that it is here already."""
    if not fit.possible:
        return BLOCKED
    return "you have it" if fit.there else shown(stack.one_line)


def fitting_answers(answers: tuple[Answer, ...], columns: int) -> tuple[Answer, ...]:
    """As many verdicts as there are columns; the last one is the worst of those left over."""
    if len(answers) <= columns or not columns:
        return answers[:columns]
    worst = min(answers[columns - 1 :], key=lambda answer: WORST_FIRST.index(answer.word))
    return (*answers[: columns - 1], worst)


def _verdict(answer: Answer, width: int, *, plain: bool) -> tuple[str, str]:
    style = "bold" if plain else STYLES[answer.word]
    return column(answer.word.value, width), style
