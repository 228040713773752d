"""What is said of one stack on Choose: labelled sections of sentences, in reading order."""

from __future__ import annotations

from dataclasses import dataclass

from screens.words import cut, shown
from wizard.advice.comparison import Aspect
from wizard.advice.fit import Fit
from wizard.advice.recommend import Recommendation
from wizard.knowledge.applications import Application


@dataclass(frozen=True, slots=True)
class Section:
    """A label and its sentences."""

    label: str
    sentences: tuple[str, ...]
    weight: int
    """Who gets the next spare line first: the smaller."""


def sections_of(
    fit: Fit, asked: tuple[Application, ...], marked: Aspect, mind: tuple[str, ...]
) -> tuple[Section, ...]:
    """What stands in the way, the verdicts with their reasons, the marked aspect, what to mind."""
    verdicts = tuple(
        f"{application.title}: {answer.word.value}. {answer.why}"
        for application, answer in zip(asked, fit.answers, strict=True)
    )
    sections = (
        Section("Blocked", () if fit.possible else fit.obstacles, 0),
        Section("Verdict", verdicts, 1),
        Section("Marked", (f"{marked.title}: {marked.word}. {marked.because}",), 2),
        Section("Mind", mind, 3),
    )
    return tuple(section for section in sections if any(section.sentences))


def with_recommendation(
    sections: tuple[Section, ...], found: Recommendation
) -> tuple[Section, ...]:
    """The sections of the recommended stack, with why it is first and what to try next."""
    outside = tuple(
        f"{each.program.title}: {each.verdict.word.value}. {each.verdict.why} {each.program.link}"
        for each in found.outside
    )
    before = (Section("Better", outside, 0), Section("First", (found.reason,), 2))
    after = (Section("Next", (found.next_best,), 6),)
    return tuple(each for each in (*before, *sections, *after) if any(each.sentences))


def full_text(sections: tuple[Section, ...]) -> str:
    """Every sentence, without any cut."""
    parts = []
    for section in sections:
        sentences = "\n".join(f"  {shown(sentence)}" for sentence in section.sentences if sentence)
        parts.append(f"{section.label}\n{sentences}")
    return "\n\n".join(parts)


def title_of(fit: Fit, rank: int, title: str, cells: int) -> str:
    """The line between table and words: which stack, and whether we recommend it."""
    if not fit.possible:
        opinion = "not possible on this machine"
    elif rank == 1:
        opinion = "recommended"
    else:
        opinion = "can be installed here"
    text = cut(f" {rank} {fit.stack.upper()}: {opinion} ({shown(title)}) ", cells - 4)
    return f"──{text}".ljust(cells, "─")
