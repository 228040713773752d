"""Stacks beside each other: a column a stack, a row an aspect, laid out for a width."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from wizard.knowledge.applications import Application
from wizard.knowledge.claims import Claim
from wizard.knowledge.stacks import Stack
from wizard.machine.facts import Machine
from wizard.plan.advice import Advice
from wizard.plan.aspect import Aspect, LineSpeed
from wizard.plan.aspects import aspects
from wizard.report.units import WIDTH, cut

LABEL_CELLS = 16
NARROWEST = 12
"""Cells of a column below which words would be cut."""
GRADED = 20
"""Cells of a column from which on there is room for grades."""
WIDEST = 21
GRADES = {
    "source code": "code",
    "maintainer": "maker",
    "several users": "users",
    "one user": "1 user",
    "claim only": "claim",
    "refuted": "refuted",
}
"""Grades of claims in a cell; where a figure is from is told beside it only."""


@dataclass(frozen=True, slots=True)
class Column:
    """One stack."""

    stack: str
    head: str
    """Its rank and name."""
    torch: str
    aspects: tuple[Aspect, ...]


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
        graded = self.cells >= GRADED
        return tuple(
            cell_text(column.aspects[number], self.cells - gap, graded=graded)
            for column in self.columns
        )


def columns_of(
    machine: Machine,
    applications: tuple[Application, ...],
    stacks: dict[str, Stack],
    advice: Advice,
    claims: tuple[Claim, ...],
    *,
    system: Callable[[str], bool] = lambda _: False,
    speed: LineSpeed | None = None,
) -> tuple[Column, ...]:
    """Every stack of the advice with its aspects, best first."""
    return tuple(
        Column(
            stack.id,
            f"{road.rank} {stack.id}",
            stack.torch.partition("+")[0],
            aspects(
                machine, applications, stack, road.fit, claims, system=system(stack.id), speed=speed
            ),
        )
        for road in advice.roads
        for stack in [stacks[road.fit.stack]]
    )


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


def cell_text(aspect: Aspect, cells: int, *, graded: bool = True) -> str:
    """The word, with its grade where there is room for both."""
    word = aspect.word if len(aspect.word) <= cells else aspect.word.partition(",")[0]
    grade = GRADES.get(aspect.grade, "") if graded else ""
    both = f"{word} ({grade})"
    text = both if grade and len(both) <= cells else word
    return cut(text, cells)


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
