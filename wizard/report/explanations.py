"""The explanations of ``about`` as lines and for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from wizard.conv2d.cards.received import ALL, Received, load_received
from wizard.core.lines import WIDTH, wrapped
from wizard.knowledge.claims import load_approaches
from wizard.knowledge.explanations import Explanation
from wizard.report.stacks import approach_head, approach_lines, received_lines

UNTESTED = "untested"
"""The topic with the results that owners sent in."""
LIST_HINT = "To read one: rdna1-setup about TOPIC"
NONE = "No owner of an RDNA1 card has sent a result yet."
CAME_IN = "Results from owners who measured their cards with this program:"


def topic_lines(topic: Explanation) -> Iterator[str]:
    """A whole topic: title, text, what owners measured where it is about that, sources, date."""
    yield topic.title
    yield "=" * len(topic.title)
    yield ""
    yield from _plain(topic.body)
    if not topic.sources:
        return
    yield ""
    if topic.id == UNTESTED:
        yield from (*came_in_lines(load_received()), "")
    yield from _heading("Sources")
    yield ""
    yield from _plain(topic.sources)
    yield ""
    yield f"Last checked: {topic.date or 'unknown'}. We do not own an RDNA1 card."


def came_in_lines(received: Sequence[Received]) -> Iterator[str]:
    """All results, or that there is none."""
    if received:
        yield CAME_IN
        yield from received_lines(received, ALL)
    else:
        yield NONE


def approaches() -> Explanation:
    """Every approach that somebody tried or named, as one more topic; each names its source."""
    known = load_approaches()
    lines: list[str] = []
    for approach in known:
        lines += ("", approach_head(approach))
        lines += (f"  {line}".rstrip() for line in approach_lines(approach, WIDTH - 2))
    return Explanation(
        id="approaches",
        title=f"All {len(known)} known approaches",
        short="What people have tried on these cards, the results, and how to try it yourself.",
        date="",
        body=tuple(lines[1:]),
        sources=(),
    )


def list_lines(topics: tuple[Explanation, ...]) -> Iterator[str]:
    """All topics with what each is about."""
    for topic in topics:
        yield f"{topic.id:<12}{topic.title}"
        yield from wrapped(topic.short, head=" " * 12)
    yield ""
    yield LIST_HINT


def topic_form(topic: Explanation) -> dict[str, Any]:
    """A whole topic for programs; its text and sources are lines of Markdown."""
    return {
        **_head_form(topic),
        "date": topic.date,
        "text": list(topic.body),
        "sources": list(topic.sources),
    }


def list_form(topics: tuple[Explanation, ...]) -> dict[str, Any]:
    """All topics for programs, without their texts."""
    return {"topics": list(map(_head_form, topics))}


def _head_form(topic: Explanation) -> dict[str, Any]:
    return {"id": topic.id, "title": topic.title, "short": topic.short}


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
