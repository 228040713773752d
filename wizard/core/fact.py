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


def known(fact: Fact[T], otherwise: T) -> T:
    """The value, or another one where it is unknown."""
    return otherwise if isinstance(fact, Unknown) else fact


def fact_text(fact: Fact[object]) -> str:
    """A fact for people; an unknown one says why."""
    return f"unknown, because {fact.because}" if isinstance(fact, Unknown) else str(fact)
