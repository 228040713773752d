"""Sections laid out in the lines that there are: each has one, and every cut is marked."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from functools import lru_cache

from rich.cells import cell_len
from textual.content import Content

from screens.choose.road_sections import Section
from screens.words import cut, shown

LABEL_CELLS = 8
JOIN = ". "
CLAUSE_ENDS = (". ", "; ", ": ", ", ", " (")
MARK_CELLS = len(" … 99 more")
TEXTS = 64
"""Texts whose lines are remembered: those of a few roads, for who goes up and down between them."""
ROOMY = 2
"""Lines a section from which on each sentence gets lines of its own."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a section, and the places in it where a sentence begins."""

    text: str
    starts: tuple[int, ...]


def section_lines(sections: tuple[Section, ...], cells: int, lines: int) -> tuple[Content, ...]:
    """The sections in at most so many lines: each has one, spare lines go by weight."""
    lay = apart if lines >= ROOMY * len(sections) else in_one_run
    wrapped = [lay(section, cells - LABEL_CELLS) for section in sections]
    shares = share_lines([len(text) for text in wrapped], [s.weight for s in sections], lines)
    laid: list[Content] = []
    for section, text, share in zip(sections, wrapped, shares, strict=True):
        laid += _labelled(section.label, kept_lines(text, share, cells - LABEL_CELLS))
    return tuple(laid)


def sentences_of(section: Section) -> list[str]:
    """The sentences without their full stops, which ``JOIN`` puts between them."""
    return [shown(sentence).rstrip(".") for sentence in section.sentences if sentence]


def apart(section: Section, cells: int) -> list[Line]:
    """Each sentence on lines of its own: easier to read, where there is room."""
    return [
        Line(text, (0,) if first == 0 else ())
        for sentence in sentences_of(section)
        for first, text in enumerate(_wrapped(sentence, cells))
    ]


def in_one_run(section: Section, cells: int) -> list[Line]:
    """One sentence behind the other."""
    sentences = sentences_of(section)
    run = JOIN.join(sentences)
    begins = [0]
    for sentence in sentences[:-1]:
        begins.append(begins[-1] + len(sentence) + len(JOIN))
    lines, place = [], 0
    for text in _wrapped(run, cells):
        place = run.index(text, place)
        end = place + len(text)
        lines.append(Line(text, tuple(at - place for at in begins if place <= at < end)))
        place = end
    return lines


@lru_cache(TEXTS)
def _wrapped(text: str, cells: int) -> tuple[str, ...]:
    return tuple(textwrap.wrap(text, max(cells, 10), break_on_hyphens=False)) or ("",)


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


def kept_lines(lines: list[Line], share: int, cells: int) -> list[str]:
    """The first lines; the last one ends in a mark that counts the sentences left out whole."""
    kept = [line.text for line in lines[:share]]
    if kept and share < len(lines):
        last = lines[share - 1]
        end = shortened(last.text, cells - MARK_CELLS)
        begun = sum(len(line.starts) for line in lines[: share - 1])
        begun += sum(at < len(end) for at in last.starts)
        left_out = sum(len(line.starts) for line in lines) - begun
        kept[-1] = f"{end} … {left_out} more" if left_out else f"{end} …"
    return kept


def shortened(text: str, cells: int) -> str:
    """The text up to the end of a clause where one ends late enough, else of a word."""
    while cell_len(text) > cells and " " in text:
        text = text.rsplit(" ", 1)[0]
    text = cut(text, cells)
    late = 2 * len(text) // 3
    ends = [place for end in CLAUSE_ENDS if (place := f"{text} ".rfind(end)) >= late]
    return text[: max(ends)] if ends else text


def _labelled(label: str, lines: list[str]) -> list[Content]:
    labels = [label, *[""] * len(lines)]
    return [
        Content.assemble((f"{name:<{LABEL_CELLS}}", "bold $text-primary"), line)
        for name, line in zip(labels, lines, strict=False)
    ]
