"""What the libMIOpen of each release answered when it was asked without a card.

The tables in ``assets/asked`` are made by ``tests/miopen/tables.py``, which says how. They name the
solvers that apply to a convolution and that MIOpen would choose from: never the one that runs, and
nothing about its result on a card.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from assets import FOLDER

Setting = tuple[tuple[str, str], ...]
"""Variables and their values."""


class WrongTable(Exception):
    """A table, or a row of it, cannot be read: a bug, since the tables are ours."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a library said of one convolution."""

    solvers: tuple[str, ...] = ()
    """In its own order."""
    also: tuple[str, ...] = ()
    """Those that apply without an estimate: only a search times them."""
    word: str = ""
    """``find-db`` or ``prediction`` where a database or a model answered; ``nothing`` where a
    search found no solver; the status that it gave in place of solvers; else ``""``."""

    @property
    def names(self) -> tuple[str, ...]:
        """All solvers that apply."""
        return (*self.solvers, *self.also)


@dataclass(frozen=True, slots=True)
class Table:
    """The answers of one library."""

    file: str
    rocm: str
    miopen: str
    """The version that the library says it is."""
    origin: str
    """The package, or the tag and commit."""
    databases: str
    """Which databases and models lay beside it; ``none``."""
    date: str
    columns: tuple[str, ...]
    settings: tuple[str, ...]
    answers: tuple[Answer, ...]
    patterns: tuple[tuple[int, ...], ...]
    """An answer for each setting, by its number."""
    rows: dict[str, str]
    """By the label of a shape: a pattern for each column, by its number."""

    def answer(self, shape: str, column: str, setting: str) -> Answer | None:
        """The answer of a cell; None where it was not asked."""
        if (row := self.rows.get(shape)) is None:
            return None
        if column not in self.columns or setting not in self.settings:
            return None
        try:
            numbers = _numbers(row, len(self.columns))
            pattern = self.patterns[numbers[self.columns.index(column)]]
            return self.answers[pattern[self.settings.index(setting)]]
        except (ValueError, IndexError) as error:
            raise WrongTable(f"assets/asked/{self.file}, row {shape}: {error}") from error


def answer(
    release: str,
    chip: str,
    shape: str,
    direction: str,
    dtype: str,
    setting: Setting = (),
    *,
    search: bool = False,
    database: bool = False,
) -> Answer | None:
    """What the library of a release of ROCm said; None where it was not asked.

    ``shape`` is the label of a ``Shape`` in float32 and without bias. With ``search`` the answer is
    what a search (find) would time, without it what the library lists by itself. ``database`` asks
    for the table of the library with the databases beside it that AMD publishes.
    """
    table = next((t for t in load_tables() if t.file == _file(release, database)), None)
    if table is None:
        return None
    words = " ".join(f"{name}={value}" for name, value in sorted(setting))
    key = f"search {words}".strip() if search else words
    return table.answer(shape, f"{chip} {direction} {dtype}", key)


@cache
def load_tables() -> tuple[Table, ...]:
    """Every table, by release."""
    return tuple(sorted(_tables(), key=lambda table: (_version(table.rocm), table.file)))


def _file(release: str, database: bool) -> str:
    return f"rocm-{release}{'-database' if database else ''}.json"


def _version(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))


def _tables() -> Iterator[Table]:
    for path in FOLDER.glob("asked/*.json"):
        try:
            yield _table(path.name, json.loads(path.read_bytes()))
        except (ValueError, KeyError, TypeError) as error:
            raise WrongTable(f"assets/asked/{path.name}: {error!r}") from error


def _table(file: str, form: dict[str, Any]) -> Table:
    settings, answers = tuple(form["settings"]), tuple(map(_answer, form["answers"]))
    return Table(
        file=file,
        **{name: form[name] for name in ("rocm", "miopen", "origin", "databases", "date", "rows")},
        columns=tuple(form["columns"]),
        settings=settings,
        answers=answers,
        patterns=tuple(_numbers(pattern, len(settings)) for pattern in form["patterns"]),
    )


def _answer(text: str) -> Answer:
    """``WORD: SOLVERS | SOLVERS WITHOUT AN ESTIMATE``, each part of it optional."""
    solvers, _, also = text.partition("|")
    names = solvers.split()
    word = names.pop(0)[:-1] if names and names[0].endswith(":") else ""
    return Answer(tuple(names), tuple(also.split()), word)


def _numbers(text: str, count: int) -> tuple[int, ...]:
    """``7*3 2`` as 7 7 7 2; raises ``ValueError`` unless it is ``count`` numbers, none negative."""
    runs = (run.partition("*") for run in text.split())
    numbers = [int(number) for number, _, times in runs for _ in range(int(times or 1))]
    if len(numbers) != count or min(numbers) < 0:
        raise ValueError(f"not {count} numbers: {text}")
    return tuple(numbers)
