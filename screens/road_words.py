"""What is said of one road on Choose: labelled sections that share the lines there are."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content

from screens.words import cut, shown
from wizard.knowledge.applications import Application
from wizard.plan.advice import Road

LABEL_CELLS = 9
MORE = " …"
"""Marks a cut; a number behind it counts the sentences that are not shown at all."""
JOIN = ". "
ROOMY = 2
"""Lines a section from which on each sentence gets lines of its own."""


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


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a section, and how many of its sentences have begun by its end."""

    text: str
    begun: int


def section_lines(sections: tuple[Section, ...], cells: int, lines: int) -> tuple[Content, ...]:
    """The sections in at most so many lines: each has one, spare lines go by weight."""
    lay = apart if lines >= ROOMY * len(sections) else in_one_run
    wrapped = [lay(section, cells - LABEL_CELLS) for section in sections]
    shares = share_lines([len(text) for text in wrapped], [s.weight for s in sections], lines)
    shown_lines: list[Content] = []
    for section, text, share in zip(sections, wrapped, shares, strict=True):
        shown_lines += _labelled(section, text, share, cells - LABEL_CELLS)
    return tuple(shown_lines)


def sentences_of(section: Section) -> list[str]:
    """The sentences without their full stops, which ``JOIN`` puts between them."""
    return [shown(sentence).rstrip(".") for sentence in section.sentences if sentence]


def apart(section: Section, cells: int) -> list[Line]:
    """Each sentence on lines of its own: easier to read, where there is room."""
    return [
        Line(text, number)
        for number, sentence in enumerate(sentences_of(section), 1)
        for text in _wrapped(sentence, cells)
    ]


def in_one_run(section: Section, cells: int) -> list[Line]:
    """One sentence behind the other."""
    sentences = sentences_of(section)
    starts = [0]
    for sentence in sentences[:-1]:
        starts.append(starts[-1] + len(sentence) + len(JOIN))
    lines, end = [], 0
    for text in _wrapped(JOIN.join(sentences), cells):
        end += len(text) + 1
        lines.append(Line(text, sum(start < end for start in starts)))
    return lines


def _wrapped(text: str, cells: int) -> list[str]:
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


def _labelled(section: Section, lines: list[Line], share: int, cells: int) -> list[Content]:
    kept = [line.text for line in lines[:share]]
    if kept and share < len(lines):
        hidden = lines[-1].begun - lines[share - 1].begun
        kept[-1] = _marked(kept[-1], f"{MORE} +{hidden}" if hidden else MORE, cells)
    labels = [section.label, *[""] * len(kept)]
    return [
        Content.assemble((f"{name:<{LABEL_CELLS}}", "bold $text-primary"), line)
        for name, line in zip(labels, kept, strict=False)
    ]


def _marked(line: str, mark: str, cells: int) -> str:
    """The line with the mark at its end; whole words make room for it."""
    while cell_len(line + mark) > cells and " " in line:
        line = line.rsplit(" ", 1)[0]
    return cut(f"{line}{mark}", cells)


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
