"""Reads the tables in ``assets``, plain or as typed values."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import cache
from typing import Any, TypeVar

from assets import PLACE
from wizard.core.json_form import WrongForm, typed

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

T = TypeVar("T")


@cache
def read_table(name: str) -> dict[str, Any]:
    """One TOML file of ours; a mistake in it is a bug and raises."""
    with open(f"{PLACE}/{name}", "rb") as file:  # noqa: PTH123 - pathlib takes longer
        return tomllib.load(file)


def read_rows(name: str, key: str, kind: type[T]) -> tuple[T, ...]:
    """Every ``[[key]]`` of a file as a value."""
    return typed_rows(f"{name}, {key}", read_table(name)[key], kind)


def typed_rows(place: str, rows: Iterable[dict[str, Any]], kind: type[T]) -> tuple[T, ...]:
    """These rows as values; a wrong field is a bug, and raises WrongForm with file, row and key."""
    values = []
    for number, row in enumerate(rows, 1):
        try:
            values.append(typed(row, kind, exact=True))
        except WrongForm as error:
            row_name = row.get("id", f"number {number}")
            raise WrongForm(f"assets/{place} {row_name}: {error}") from None
    return tuple(values)
