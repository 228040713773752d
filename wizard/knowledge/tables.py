"""Reads the tables in assets, plain or as typed values."""

from __future__ import annotations

import sys
from typing import Any, TypeVar

from assets import PLACE
from wizard.core.json_form import typed

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def read_table(name: str) -> dict[str, Any]:
    """One TOML file of ours; a mistake in it is a bug and raises."""
    with open(f"{PLACE}/{name}", "rb") as file:  # noqa: PTH123 - pathlib takes longer
        return tomllib.load(file)


T = TypeVar("T")


def read_rows(name: str, key: str, kind: type[T], unless_said: dict[str, Any]) -> tuple[T, ...]:
    """Every ``[[key]]`` of a file as a value; a missing or unknown field is a bug and raises."""
    rows: list[dict[str, Any]] = read_table(name)[key]
    return tuple(typed({**unless_said, **row}, kind, exact=True) for row in rows)
