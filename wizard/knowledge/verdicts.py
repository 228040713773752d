"""Verdicts: what each stack is good for, as reviewed data in ``assets/verdicts.toml``."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache

from wizard.knowledge.claims import Claim, load_claims, strongest_first
from wizard.knowledge.rows import read_rows


class Word(Enum):
    """What can be said, in a word; best first. The last two are for aspects alone."""

    WORKS = "works"
    LIKELY = "likely"
    POSSIBLE = "possible"
    NOT_TRIED = "not tried"
    DISPUTED = "disputed"
    UNLIKELY = "unlikely"
    NO = "no"
    UNKNOWN = "unknown"
    NONE = "none"


PROMISING = (Word.WORKS, Word.LIKELY, Word.POSSIBLE)


@dataclass(frozen=True, slots=True)
class Question:
    """What a verdict is about: a purpose, or one aspect of a stack."""

    id: str
    title: str
    short: str
    """At most 14 characters, for the head of a row."""
    topics: tuple[str, ...]
    """Topics of claims that bear on it."""
    meaning: str = ""
    """What the words mean, for somebody who meets them for the first time."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program outside PyTorch. We name it and do not install it."""

    id: str
    title: str
    install: str
    """What to do to have it."""
    link: str
    note: str
    """What must be known about it, in a sentence or two."""
    gfx: tuple[str, ...]
    """Targets that its verdicts are about."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A reviewed verdict on one question with one stack or program."""

    about: str
    """Id of the question."""
    stack: str
    """Id of the stack, or of the program."""
    word: Word
    why: str
    """One plain sentence of at most 25 words; it names what speaks against the word."""
    claims: tuple[str, ...]
    """Ids of the claims that carry it."""
    reviewed: str
    """ISO date."""
    against: tuple[str, ...] = ()
    """Ids of the claims that contradict it."""
    gfx: str = ""
    """The one target that it is about; ``""`` for all others."""
    preset: str = ""
    """The published set of variables that it holds with; ``""`` for the stack as installed."""


@cache
def load_purposes() -> tuple[Question, ...]:
    """What people want a card for, in the order of the file."""
    return read_rows("verdicts.toml", "purpose", Question, {})


@cache
def load_aspects() -> tuple[Question, ...]:
    """What else is compared of stacks, in the order of the file."""
    return read_rows("verdicts.toml", "aspect", Question, {})


@cache
def load_programs() -> tuple[Program, ...]:
    """Programs outside PyTorch."""
    return read_rows("verdicts.toml", "program", Program, {})


@cache
def load_verdicts() -> tuple[Verdict, ...]:
    """All verdicts, in the order of the file."""
    return read_rows("verdicts.toml", "verdict", Verdict, {})


def verdict_on(about: str, stack: str, gfx: str = "", preset: str = "") -> Verdict | None:
    """The verdict for a target and a set of variables, else that of the stack as installed."""
    found = [
        each
        for each in load_verdicts()
        if (each.about, each.stack) == (about, stack)
        and each.gfx in ("", gfx)
        and each.preset in ("", preset)
    ]
    return max(found, key=lambda each: (bool(each.preset), bool(each.gfx)), default=None)


def evidence(question: Question, stack: str, verdict: Verdict | None) -> tuple[Claim, ...]:
    """The claims that a verdict names, then the others on its topics, the strongest first."""
    named = (*verdict.claims, *verdict.against) if verdict else ()
    by_id = {claim.id: claim for claim in load_claims()}
    others = [c for c in load_claims() if stack in c.stacks and c.topic in question.topics]
    rest = (c for c in strongest_first(others) if c.id not in named)
    return (*(by_id[each] for each in named), *rest)
