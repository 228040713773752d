"""Sizes and facts in words."""

from __future__ import annotations

from wizard.machine.facts import Fact, Unknown

WIDTH = 79
"""Columns of our plain text."""


def bytes_text(count: int | None) -> str:
    """A size for people, in decimal units as shops and download pages use them."""
    if count is None:
        return "not known"
    size = float(count)
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def memory_text(count: Fact[int]) -> str:
    """Memory in binary units, as it is sold."""
    return f"{count / 2**30:.1f} GiB" if isinstance(count, int) else fact_text(count)


def fact_text(fact: Fact[object]) -> str:
    """A fact for people; an unknown one says why."""
    return f"unknown, because {fact.because}" if isinstance(fact, Unknown) else str(fact)
