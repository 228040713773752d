"""Turns the rows of a TOML table in ``assets`` into typed values."""

from __future__ import annotations

from typing import Any, TypeVar

from wizard.knowledge.tables import read_table

T = TypeVar("T")


def read_rows(name: str, key: str, kind: type[T], unless_said: dict[str, Any]) -> tuple[T, ...]:
    """Every ``[[key]]`` of a file as a value; a missing or unknown field is a bug and raises."""
    # cattrs costs some 50 ms to import: only who reads rows shall pay for it
    from cattrs import Converter

    converter = Converter(forbid_extra_keys=True)
    rows: list[dict[str, Any]] = read_table(name)[key]
    return tuple(converter.structure({**unless_said, **row}, kind) for row in rows)
