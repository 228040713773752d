"""Claims and verdicts: who said what of a stack, how well it was shown, and what follows from it.

Also the approaches: every one that somebody has taken or named, installed by us or not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from enum import Enum
from functools import cache

from wizard.knowledge.applications import applications_named, load_applications
from wizard.knowledge.tables import read_rows


class Grade(Enum):
    """How well a claim is supported, strongest first.

    What a library itself answers outranks what we read in its source, but only on which algorithms
    it offers: it says nothing of their results on a card, so it stands below every measurement.
    """

    LIBRARY = "the library itself, without a card"
    SOURCE_CODE = "source code"
    MAINTAINER = "maintainer"
    SEVERAL_USERS = "several users"
    ONE_USER = "one user"
    CLAIM_ONLY = "claim only"
    REFUTED = "refuted"


TOPICS = {
    "conv2d": "Conv2d layers above the small sizes, forward",
    "small conv2d": "Conv2d layers up to 32x32",
    "training": "backward passes and optimizer steps, including batch norm",
    "transformer": "models without convolutions, and the matrix products they use",
    "applications": "whole programs and models for images",
    "device": "whether torch uses the card at all",
    "precision": "half precision",
    "formats": "number formats other than float32 and half precision",
    "triton": "kernels made by Triton, and torch.compile",
    "algorithms": "which of MIOpen's algorithms can be used, and how they work",
    "settings": "variables and workarounds",
    "speed": "how long layers and models take",
    "image speed": "how long an image takes",
    "memory": "how much memory layers take",
    "stability": "crashes and resets after a good start",
    "install": "what the stack needs from the machine, and whether it is available",
    "age": "how old its torch is",
    "security": "known vulnerabilities, and whether they get fixed",
    "support": "what AMD and others promise, and what the libraries contain",
    "cause": "what the hang is blamed on",
    "method": "where the statements come from",
    "regression": "other builds that fail where older ones worked",
    "neighbours": "other builds of the same kind",
    "other ways": "approaches that this program does not install",
}
"""What a claim can be about. ``assets/verdicts.toml`` says which bear on which question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One statement about a stack, with everything needed to weigh it."""

    id: str
    text: str
    """In our own words, one sentence."""
    stacks: tuple[str, ...]
    """Ids of the stacks that it is about; empty for what is about another approach."""
    topic: str
    """One of ``TOPICS``."""
    leaning: str
    """``for``, ``against`` or ``unknown``: how it bears on the stack, were it true."""
    who: str
    card: str
    """As the source gives it; ``none`` for source code; ``not said`` where it does not."""
    gfx: tuple[str, ...] = ()
    """Targets that the claim is about; empty for all."""
    versions: str
    date: str
    """ISO date, or its known part, of the statement."""
    checked: str
    """ISO date on which the source was last read for this file."""
    method: str
    """How it was tested: ``read``, ``ran, numbers not compared``, ``ran SD 1.5``, ..."""
    grade: Grade
    source: str
    """Link or reference that a reader can follow."""
    supports: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    setting: str = ""
    """The preset of its stacks under which it was seen; ``""`` for what they install as it is."""

    @property
    def side(self) -> str:
        """Where it may stand: its leaning, but a refuted claim speaks for and against nothing."""
        return Grade.REFUTED.value if self.grade is Grade.REFUTED else self.leaning


@cache
def load_claims() -> tuple[Claim, ...]:
    """All claims, in the order of the file."""
    return read_rows("claims.toml", "claim", Claim)


def strongest_first(claims: Iterable[Claim]) -> list[Claim]:
    """Claims by their grade, the newer first among equals."""
    newest_first = sorted(claims, key=lambda claim: claim.date, reverse=True)
    return sorted(newest_first, key=lambda claim: list(Grade).index(claim.grade))


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
    return read_rows("verdicts.toml", "purpose", Question)


@cache
def load_aspects() -> tuple[Question, ...]:
    """What else is compared of stacks, in the order of the file."""
    return read_rows("verdicts.toml", "aspect", Question)


@cache
def load_programs() -> tuple[Program, ...]:
    """Programs outside PyTorch."""
    return read_rows("verdicts.toml", "program", Program)


@cache
def load_verdicts() -> tuple[Verdict, ...]:
    """All verdicts, in the order of the file."""
    return read_rows("verdicts.toml", "verdict", Verdict)


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


STATES = ("installable", "by hand", "gone", "elsewhere", "waiting")
"""Of an approach."""


@dataclass(frozen=True, slots=True)
class Approach:
    """One approach, whether we install it or not, and why."""

    id: str
    title: str
    """At most 44 characters, for one line of a list."""
    stack: str
    """The stack that installs it; ``""`` when this program does not."""
    state: str
    """One of ``STATES``."""
    because: str
    """What speaks for and against it, or what became of it, in plain words."""
    by_hand: tuple[str, ...]
    """What its traveller does; commands are written out."""
    claims: tuple[str, ...]
    """Ids of the claims that this rests on, weightiest first; none where nobody said anything."""
    source: str
    date: str
    """ISO date, or its known part, of what the source says."""


@cache
def load_approaches() -> tuple[Approach, ...]:
    """All approaches, in the order of the file."""
    return read_rows("approaches.toml", "approach", Approach)


def overdue(checked: str, day: date) -> bool:
    """True when a check of this ISO date is more than a year old on a day."""
    return day - date.fromisoformat(checked) > timedelta(days=365)


def convolves(ids: Collection[str]) -> bool:
    """False where all of these applications are for purposes that are known to do without Conv2d.

    True for none: what is not known may convolve.
    """
    without = {
        each.id
        for each in load_purposes()
        if "transformer" in each.topics and "conv2d" not in each.topics
    }
    known = applications_named(tuple(ids))
    return not known or any(each.purpose not in without for each in known)


def trains(ids: Collection[str]) -> bool:
    """True where one of these applications is for a purpose that trains models."""
    purposes = {each.id for each in load_purposes() if "training" in each.topics}
    return any(each.id in ids and each.purpose in purposes for each in load_applications())
