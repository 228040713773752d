"""Every road as lines: what became of it, why, and what its traveller does."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from wizard.advice.comparison import Aspect
from wizard.knowledge.claims import OtherRoad
from wizard.report.units import WIDTH

STATE_CELLS = 13


def all_road_lines(roads: Sequence[OtherRoad], width: int = WIDTH) -> Iterator[str]:
    """All of them, a paragraph each."""
    for road in roads:
        yield ""
        yield road_head(road)
        yield from (f"  {line}".rstrip() for line in road_lines(road, width - 2))


def road_head(road: OtherRoad) -> str:
    """One road on one line: its state first."""
    stack = f" ({road.stack})" if road.stack else ""
    return f"{road.state:<{STATE_CELLS}}{road.title}{stack}"


def road_lines(road: OtherRoad, width: int = WIDTH) -> Iterator[str]:
    """Why it is in that state, how it is gone, and who said so."""
    yield from _wrapped(road.because, width, "")
    for number, text in enumerate(road.by_hand):
        yield from _wrapped(text, width, "How:    " if number == 0 else "        ")
    yield from _wrapped(f"{road.source} ({road.date})", width, "Source: ")


def road_aspect(road: OtherRoad) -> Aspect:
    """A road as something that claims stand behind."""
    return Aspect(f"road-{road.id}", road.title, road.state, road.because.rstrip("."), road.claims)


def _wrapped(text: str, width: int, head: str) -> list[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=head,
        subsequent_indent=" " * len(head),
        break_on_hyphens=False,
        break_long_words=False,
    )
