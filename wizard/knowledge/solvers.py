"""MIOpen's families of convolution algorithms, and which of them each release would consider.

The tables in ``assets/asked`` are made by ``tests/miopen/tables.py``, which says how. They name the
solvers that apply to a convolution and that MIOpen would choose from: never the one that runs, and
nothing about its result on a card.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from assets import FOLDER
from wizard.knowledge.tables import read_rows

ONLY = "MIOPEN_DEBUG_FIND_ONLY_SOLVER"
"""Names the only solvers that MIOpen may consider."""
FIND_MODE = "MIOPEN_FIND_MODE"
FIND_MODES = ("NORMAL", "FAST", "HYBRID")
"""Beside DYNAMIC_HYBRID, which is the default of every release read."""
SEARCHES_MORE = ("NORMAL", "HYBRID", "1", "3")
"""Find modes in which a search also times solvers that the library does not list."""
FAST = ("FAST", "2")
"""Find modes without a search: the first solver is taken."""
OFF = ("0", "no", "off", "false", "disable", "disabled")
"""Values that switch a family off."""


@dataclass(frozen=True, slots=True)
class Family:
    """Algorithms that one variable takes away."""

    name: str
    """For people, for example ``implicit GEMM``."""
    variable: str
    """``0`` in it leaves the family out; no other value does anything."""
    begins: tuple[str, ...]
    """How the names of its solvers, kernels and source files begin."""
    solvers: tuple[str, ...]
    """Solvers that may serve alone, one for each direction."""

    @property
    def off(self) -> tuple[str, str]:
        """The variable that takes it away, and its value."""
        return self.variable, "0"

    @property
    def alone(self) -> tuple[str, str]:
        """The variable that leaves nothing but its plainest solvers, and its value."""
        return ONLY, ";".join(self.solvers)


@cache
def load_families() -> tuple[Family, ...]:
    """All families, in the order of the file."""
    return read_rows("solvers.toml", "family", Family)


def family_of(name: str) -> Family | None:
    """The family of a solver, a kernel or a source file; None for a name that is not known."""
    solver = name.rpartition(":")[2]  # MIOpen writes ALGORITHM:SOLVER where it times
    return next((each for each in load_families() if solver.startswith(each.begins)), None)


SEARCH = "search"
"""How the settings begin under which a search was asked for."""


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
    """``find-db`` or ``prediction`` where a database or a model answered; ``nothing`` where
    the library named no solver; the status that it gave in place of solvers; else ``""``."""

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
    rows: dict[str, tuple[int, ...]]
    """By the label of a shape: a pattern for each column, by its number."""

    def answer(self, shape: str, column: str, key: str) -> Answer | None:
        """The answer of a cell; None where it was not asked.

        ``shape`` is the label of a ``Shape`` in float32 and without bias, ``key`` is of ``key_of``.
        """
        if shape not in self.rows or column not in self.columns or key not in self.settings:
            return None
        pattern = self.patterns[self.rows[shape][self.columns.index(column)]]
        return self.answers[pattern[self.settings.index(key)]]


def key_of(setting: Iterable[tuple[str, str]] = (), *, search: bool = False) -> str:
    """A setting as a table names it, whatever the order of its variables.

    With ``search`` the answer is what a search (find) would time, without it what the library lists
    by itself.
    """
    words = " ".join(f"{name}={value}" for name, value in sorted(setting))
    return f"{SEARCH} {words}".strip() if search else words


@cache
def load_table(release: str, *, database: bool = False) -> Table | None:
    """What the library of a release of ROCm, such as ``5.7``, answered; None if none was asked.

    With ``database`` it had those databases beside it that AMD publishes.
    Raises ``WrongTable``, which names the file and the row.
    """
    begins, ends = f"rocm-{release}", "-database.json" if database else ".json"
    for path in FOLDER.glob("asked/*.json"):
        name = path.name.removeprefix(f"{begins}.").removesuffix(ends)
        if path.name == f"{begins}{ends}" or name.isdecimal():
            return _read(path)
    return None


def releases() -> tuple[str, ...]:
    """The releases of ROCm that were asked, oldest first."""
    names = {path.stem.split("-")[1] for path in FOLDER.glob("asked/*.json")}
    return tuple(sorted(names, key=_version))


def _version(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))


def _read(path: Path) -> Table:
    try:
        return _table(path.name, json.loads(path.read_bytes()))
    except (ValueError, KeyError, TypeError) as error:
        raise WrongTable(f"assets/asked/{path.name}: {error!r}") from error


def _table(file: str, form: dict[str, Any]) -> Table:
    columns, settings = tuple(form["columns"]), tuple(form["settings"])
    answers = tuple(map(_answer, form["answers"]))

    def numbers(kind: str, name: str, text: str, count: int, most: int) -> tuple[int, ...]:
        try:
            return _numbers(text, count, most)
        except ValueError as error:
            raise WrongTable(f"assets/asked/{file}, {kind} {name}: {error}") from error

    return Table(
        file=file,
        **{name: form[name] for name in ("rocm", "miopen", "origin", "databases", "date")},
        columns=columns,
        settings=settings,
        answers=answers,
        patterns=tuple(
            numbers("pattern", str(place), text, len(settings), len(answers))
            for place, text in enumerate(form["patterns"])
        ),
        rows={
            shape: numbers("row", shape, text, len(columns), len(form["patterns"]))
            for shape, text in form["rows"].items()
        },
    )


def _answer(text: str) -> Answer:
    """``WORD: SOLVERS | SOLVERS WITHOUT AN ESTIMATE``, each part of it optional."""
    solvers, _, also = text.partition("|")
    names = solvers.split()
    word = names.pop(0)[:-1] if names and names[0].endswith(":") else ""
    return Answer(tuple(names), tuple(also.split()), word)


def _numbers(text: str, count: int, most: int) -> tuple[int, ...]:
    """``7*3 2`` as 7 7 7 2. Raises ``ValueError`` unless it is ``count`` numbers below ``most``."""
    runs = (run.partition("*") for run in text.split())
    numbers = tuple(int(number) for number, _, times in runs for _ in range(int(times or 1)))
    if len(numbers) != count or not all(0 <= number < most for number in numbers):
        raise ValueError(f"not {count} numbers below {most}: {text}")
    return numbers
