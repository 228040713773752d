"""The suggestion and every road, as lines."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from wizard.knowledge.applications import applications_named
from wizard.plan.advice import Advice, Road
from wizard.plan.reasons import asked_for
from wizard.plan.verdict import Cell
from wizard.report.roads import all_road_lines
from wizard.report.units import WIDTH
from wizard.report.weighed import Weighed, sheet


def advice_lines(found: Weighed) -> Iterator[str]:
    """The suggestion, the stacks beside each other, each one's reasons, and every other road."""
    yield from suggestion_lines(found.advice)
    yield ""
    yield from sheet(found)
    for road in found.advice.roads:
        yield ""
        yield from stack_road_lines(road)
    if found.advice.would_change:
        yield ""
        yield from _listed("What would change this advice", found.advice.would_change)
    yield ""
    yield "== Every road that somebody went or named"
    yield from all_road_lines(found.roads)


def suggestion_lines(advice: Advice, head: str = "") -> Iterator[str]:
    """What is suggested, what speaks against it, and what comes next."""
    yield from textwrap.wrap(f"{head}{advice.headline}", WIDTH)
    yield from _listed("Risks", advice.risks)
    yield from _listed("Next best", (advice.next_best,) if advice.next_best else ())


def stack_road_lines(road: Road) -> Iterator[str]:
    """One stack with all that speaks for and against it here."""
    state = "" if road.fit.possible else "  [not possible here]"
    yield f"{road.rank}. {road.fit.stack}{state}"
    yield from _listed("   For your card", (road.your_card,))
    for cell in road.fit.cells:
        yield from _listed(f"   {_asked_for(cell)} ({cell.verdict.value})", (cell.because,))
    for title, sentences in (
        ("   Stands in the way", road.fit.obstacles),
        ("   Needs", road.fit.needs),
        ("   Why", road.why),
        ("   For", road.in_favour),
        ("   Against", road.against),
        ("   Unknown", road.unknown),
        ("   Also", road.also),
        ("   Cost", (road.cost,)),
        ("   Undo", (road.undo,)),
    ):
        yield from _listed(title, sentences)


def _asked_for(cell: Cell) -> str:
    words = asked_for(*applications_named((cell.application,)))
    return f"{words[:1].upper()}{words[1:]}"


def _listed(title: str, sentences: Iterable[str]) -> Iterator[str]:
    for number, sentence in enumerate(sentences):
        head = f"{title}: " if number == 0 else " " * (len(title) + 2)
        indent = " " * min(len(head), 22)
        yield from textwrap.wrap(
            sentence, WIDTH, initial_indent=head, subsequent_indent=indent, break_on_hyphens=False
        )
