"""What came of asking: a closed list of outcomes, each with its words and its date."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from wizard.available.questions import Question


class Standing(Enum):
    """How a place answered."""

    THERE = "there"
    ABSENT = "not there"
    REFUSED = "refused"
    OTHER = "something else answered"
    UNTRUSTED = "not trusted (TLS)"
    FAILING = "the server is in trouble"
    NO_NETWORK = "no connection"
    SLOW = "too slow"
    NOT_ASKED = "not asked"


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer: what it comes to, what was seen, and when."""

    standing: Standing
    detail: str
    when: str
    """ISO time, to the minute."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A question with what is known of it: just now, and the last time that it was there."""

    question: Question
    now: Answer | None = None
    """None before anybody was asked."""
    good: Answer | None = None
    """The last answer that said ``there``, which may be that of now."""
