"""A fact is a value, or unknown with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar, Union

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Unknown:
    """A fact that could not be read, and why, in words fit to show."""

    because: str


Fact = Union[T, Unknown]  # noqa: UP007 - a generic alias needs Union on Python 3.10
