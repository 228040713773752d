"""Explanations as lines of plain text: nothing in them needs colour, and none is too long."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from wizard.knowledge.explanations import Explanation

WIDTH = 76
LIST_HINT = "To read one: rdna1-setup about TOPIC"


def topic_lines(topic: Explanation) -> Iterator[str]:
    """A whole topic: title, text, sources, date."""
    yield topic.title
    yield "=" * len(topic.title)
    yield ""
    yield from _plain(topic.body)
    yield ""
    yield from _heading("Sources")
    yield ""
    yield from _plain(topic.sources)
    yield ""
    yield f"Last looked at: {topic.date or 'not said'}. In our own words; we own no such card."


def list_lines(topics: tuple[Explanation, ...]) -> Iterator[str]:
    """All topics with what each is about."""
    for topic in topics:
        yield f"{topic.id:<12}{topic.title}"
        yield from textwrap.wrap(
            topic.short, WIDTH, initial_indent=" " * 12, subsequent_indent=" " * 12
        )
    yield ""
    yield LIST_HINT


def _plain(lines: tuple[str, ...]) -> Iterator[str]:
    """Lines as they stand: fences go, and a heading gets its line."""
    for line in lines:
        if line.startswith("```"):
            continue
        if line.startswith("#"):
            yield from _heading(line.lstrip("# "))
        else:
            yield line.rstrip()


def _heading(text: str) -> Iterator[str]:
    yield text
    yield "-" * len(text)
