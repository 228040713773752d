"""What is said of one road on Choose: labelled sections of sentences, in reading order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from screens.words import cut, shown
from wizard.knowledge.applications import Application
from wizard.knowledge.stacks import Stack
from wizard.plan.advice import Advice, Road
from wizard.plan.aspect import Aspect


@dataclass(frozen=True, slots=True)
class Section:
    """A label and its sentences."""

    label: str
    sentences: tuple[str, ...]
    weight: int
    """Who gets the next spare line first: the smaller."""


BRIEF = ("Blocked", "Marked", "Why", "Verdict", "Mind")
"""What stays where the aspects take most of the lines."""
AS_ROWS = ("Cost", "Undo")
"""What the rows of the aspects tell already."""


def sections_of(
    road: Road, stack: Stack, ticked: tuple[Application, ...], marked: Aspect | None = None
) -> tuple[Section, ...]:
    """Everything said of a road; a sentence that gives a verdict its reason is not said twice.

    ``marked``: the aspect that is looked at.
    """
    verdicts = tuple(_verdicts(road, ticked))
    reasons = " ".join(verdicts)
    blocked = () if road.fit.possible else road.fit.obstacles
    mind = (*stack.cautions, *(text for text in road.also if text not in stack.cautions))
    sections = (
        Section("Marked", (_aspect(marked),) if marked else (), 1),
        Section("Blocked", blocked, 0),
        Section("Why", road.why, 1),
        Section("Verdict", verdicts, 2),
        Section("Mind", (*road.fit.needs, *mind), 3),
        Section("For", _but(reasons, road.in_favour), 6),
        Section("Against", _but(reasons, road.against), 4),
        Section("Unknown", road.unknown, 5),
        Section("Card", (road.your_card,), 7),
        Section("Cost", (road.cost,), 8),
        Section("Undo", (road.undo,), 9),
    )
    return tuple(section for section in sections if any(section.sentences))


def with_suggestion(sections: tuple[Section, ...], advice: Advice) -> tuple[Section, ...]:
    """The sections of the suggested road, with its risks and what to try where it fails."""
    found = (
        Section("Risks", advice.risks, 3),
        Section("Next", (advice.next_best,) if advice.next_best else (), 6),
    )
    added = tuple(section for section in found if section.sentences)
    place = next((n for n, each in enumerate(sections) if each.label == "Mind"), len(sections))
    return (*sections[:place], *added, *sections[place:])


def _aspect(aspect: Aspect) -> str:
    grade = f" ({aspect.grade})" if aspect.grade else ""
    return f"{aspect.title}: {aspect.word}{grade}. {aspect.because}"


def _verdicts(road: Road, ticked: tuple[Application, ...]) -> Iterable[str]:
    titles = {application.id: application.title for application in ticked}
    for cell in road.fit.cells:
        if cell.application in titles:
            yield f"{titles[cell.application]}: {cell.verdict.value}. {cell.because}"


def _but(reasons: str, sentences: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(each for each in sentences if each.rstrip(".") not in reasons)


def full_text(sections: tuple[Section, ...]) -> str:
    """Every sentence, without any cut."""
    parts = []
    for section in sections:
        sentences = "\n".join(f"  {shown(sentence)}" for sentence in section.sentences if sentence)
        parts.append(f"{section.label}\n{sentences}")
    return "\n\n".join(parts)


def title_of(road: Road, title: str, cells: int) -> str:
    """The line between table and words: which road, and what we make of it."""
    if not road.fit.possible:
        opinion = "not possible on this machine"
    elif road.rank == 1:
        opinion = "suggested"
    else:
        opinion = "can be installed here"
    text = cut(f" {road.rank} {road.fit.stack.upper()}: {opinion} ({shown(title)}) ", cells - 4)
    return f"──{text}".ljust(cells, "─")
