"""What is said of one road on Choose: labelled sections that share the lines there are."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from textual.content import Content

from screens.words import cut, shown
from wizard.knowledge.applications import Application
from wizard.plan.advice import Road

LABEL_CELLS = 9
MORE = " …"


@dataclass(frozen=True, slots=True)
class Section:
    """A label and its sentences."""

    label: str
    sentences: tuple[str, ...]
    weight: int
    """Who gets the next spare line first: the smaller."""


def sections_of(road: Road, ticked: tuple[Application, ...]) -> tuple[Section, ...]:
    """Everything said of a road, in reading order; empty sections are left out."""
    titles = {application.id: application.title for application in ticked}
    verdicts = tuple(
        f"{titles.get(cell.application, cell.application)} {cell.verdict.value}: {cell.because}"
        for cell in road.fit.cells
    )
    blocked = () if road.fit.possible else road.fit.obstacles
    sections = (
        Section("Blocked", blocked, 0),
        Section("Why", road.why, 1),
        Section("Verdict", verdicts, 2),
        Section("For", road.in_favour, 5),
        Section("Against", road.against, 3),
        Section("Unknown", road.unknown, 4),
        Section("Card", (road.your_card,), 7),
        Section("Also", (*road.fit.needs, *road.also), 6),
        Section("Cost", (road.cost,), 8),
        Section("Undo", (road.undo,), 9),
    )
    return tuple(section for section in sections if any(section.sentences))


def section_lines(sections: tuple[Section, ...], cells: int, lines: int) -> tuple[Content, ...]:
    """The sections in at most so many lines: each has one, spare lines go by weight."""
    wrapped = [wrap(section, cells - LABEL_CELLS) for section in sections]
    shares = share_lines([len(text) for text in wrapped], [s.weight for s in sections], lines)
    shown_lines: list[Content] = []
    for section, text, share in zip(sections, wrapped, shares, strict=True):
        shown_lines += _labelled(section.label, text, share, cells - LABEL_CELLS)
    return tuple(shown_lines)


def wrap(section: Section, cells: int) -> list[str]:
    """The sentences of a section as lines of at most so many cells."""
    text = ". ".join(shown(s).rstrip(".") for s in section.sentences if s)
    return textwrap.wrap(text, max(cells, 10), break_on_hyphens=False) or [""]


def share_lines(wanted: list[int], weights: list[int], lines: int) -> list[int]:
    """How many lines each section gets: one first, then what is left, weightiest first."""
    order = sorted(range(len(wanted)), key=lambda index: weights[index])
    shares = [0] * len(wanted)
    while lines > 0 and shares != wanted:
        for index in order:
            if lines > 0 and shares[index] < wanted[index]:
                shares[index] += 1
                lines -= 1
    return shares


def _labelled(label: str, text: list[str], share: int, cells: int) -> list[Content]:
    kept = text[:share]
    if share < len(text) and kept:
        kept[-1] = (
            cut(f"{kept[-1]}{MORE}", cells) if len(kept[-1]) < cells - 1 else _marked(kept[-1])
        )
    labels = [label, *[""] * len(kept)]
    return [
        Content.assemble((f"{name:<{LABEL_CELLS}}", "bold $text-accent"), line)
        for name, line in zip(labels, kept, strict=False)
    ]


def _marked(line: str) -> str:
    return f"{line.rsplit(' ', 1)[0]}{MORE}"


def full_text(road: Road, ticked: tuple[Application, ...]) -> str:
    """Every sentence said of a road, without any cut."""
    parts = []
    for section in sections_of(road, ticked):
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
        opinion = "possible"
    text = cut(f" {road.rank} {road.fit.stack.upper()}: {opinion} ({shown(title)}) ", cells - 4)
    return f"──{text}".ljust(cells, "─")
