"""Turns the rows of a TOML table in ``assets`` into typed values."""

from __future__ import annotations

from typing import Any, TypeVar

from wizard.core.typed import typed
from wizard.knowledge.tables import read_table

T = TypeVar("T")


def read_rows(name: str, key: str, kind: type[T], unless_said: dict[str, Any]) -> tuple[T, ...]:
    """Every ``[[key]]`` of a file as a value; a missing or unknown field is a bug and raises."""
    rows: list[dict[str, Any]] = read_table(name)[key]
    return tuple(typed({**unless_said, **row}, kind, exact=True) for row in rows)
