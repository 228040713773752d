"""The JSON form of our values: plain dictionaries out, typed values back in."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from wizard.machine.facts import Unknown

SCHEMA = 1
"""Version of a JSON document that has no number of its own; it only grows."""


def to_json(value: Any) -> Any:
    """The value as JSON types; an ``Unknown`` becomes ``{"unknown": why}``."""
    if isinstance(value, Unknown):
        return {"unknown": value.because}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    if hasattr(value, "_asdict"):  # a named tuple
        return {name: to_json(item) for name, item in value._asdict().items()}
    if isinstance(value, (tuple, list)):
        return [to_json(item) for item in value]
    if isinstance(value, Enum):
        return value.value
    return value
