"""Sizes and facts in words."""

from __future__ import annotations

from wizard.core.amounts import memory_size_text, size_text
from wizard.machine.facts import Fact, Unknown

WIDTH = 79
"""Columns of our plain text."""


def cut(text: str, cells: int) -> str:
    """The text in at most so many columns; what is missing is marked."""
    return text if len(text) <= cells else f"{text[: cells - 1]}…"


def bytes_text(count: int | None) -> str:
    """A size for people."""
    return "not known" if count is None else size_text(count)


def memory_text(count: Fact[int]) -> str:
    """Memory for people; unknown memory says why."""
    return memory_size_text(count) if isinstance(count, int) else fact_text(count)


def fact_text(fact: Fact[object]) -> str:
    """A fact for people; an unknown one says why."""
    return f"unknown, because {fact.because}" if isinstance(fact, Unknown) else str(fact)
