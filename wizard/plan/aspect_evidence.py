"""What people say that a card can do with a stack: weighed by the same rule as the verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from wizard.knowledge.claims import Claim, Grade
from wizard.knowledge.stacks import Stack
from wizard.plan.aspect import UNKNOWN, Aspect
from wizard.plan.contradictions import contradictions
from wizard.plan.strength import sentence, strength, strongest_first
from wizard.plan.verdict import Verdict
from wizard.plan.weighing import BEARING, Bearing, judged

NOBODY = "nobody says anything that we know of"
NO_CARD = "the card is not used"
NO_HANG = "nobody describes a hang that we know of"


@dataclass(frozen=True, slots=True)
class Question:
    """One thing that people say of a stack, and the topics that bear on it."""

    id: str
    title: str
    bearing: Bearing
    fails: str = "fails?"
    """The word where there is nothing but evidence against it."""


def _topic(*close: str) -> Bearing:
    return Bearing(frozenset(close), frozenset(), frozenset())


QUESTIONS = (
    Question("large-conv2d", "Large Conv2d", BEARING["convolution"], "hangs?"),
    Question("small-conv2d", "Small Conv2d", _topic("small conv2d"), "hangs?"),
    Question("training", "Training", BEARING["training"]),
    Question("fp16", "Half (fp16)", _topic("precision")),
    Question("transformers", "Transformers", BEARING["transformer"]),
)
CAUSE = "cause"
CAUSE_TITLE = "Cause of hangs"


def card_aspects(stack: Stack, gfx: str, claims: tuple[Claim, ...]) -> Iterator[Aspect]:
    """What the card can do with it, what its hangs are put down to, and whether AMD stands by."""
    about = strongest_first((claim for claim in claims if stack.id in claim.stacks), gfx)
    for question in QUESTIONS:
        yield _answer(question, stack, gfx, about)
    yield _cause(stack, gfx, about, claims)
    yield _support(stack, gfx, about)


def grade_of(verdict: Verdict, deciding: Iterable[Claim]) -> str:
    """How well a verdict is supported; two people who agree count as several."""
    grades = [claim.grade for claim in deciding]
    if not grades:
        return ""
    agree = verdict is Verdict.LIKELY and grades[0] is Grade.ONE_USER
    return Grade.SEVERAL_USERS.value if agree else grades[0].value


def _answer(question: Question, stack: Stack, gfx: str, about: Sequence[Claim]) -> Aspect:
    if not stack.gfx and question.id == "fp16":
        because = "half precision saves the memory of a card; the processor computes in float32"
        return Aspect(question.id, question.title, "not used", "", because, ())
    verdict, deciding, _ = judged(question.bearing, stack, gfx, about)
    near = question.bearing.close if stack.gfx else question.bearing.close | {"device"}
    topics = near | question.bearing.beside
    behind = [claim for claim in about if claim.topic in topics]
    because = "; against it: ".join(sentence(claim, gfx) for claim in deciding)
    return Aspect(
        question.id,
        question.title,
        question.fails if verdict is Verdict.HANGS else verdict.value,
        grade_of(verdict, deciding),
        because or NOBODY,
        _in_order([*deciding, *(claim for claim in behind if claim not in deciding)], gfx),
    )


def _cause(stack: Stack, gfx: str, about: Sequence[Claim], claims: tuple[Claim, ...]) -> Aspect:
    named = [claim for claim in about if claim.topic == CAUSE]
    ids = tuple(claim.id for claim in named)
    if not stack.gfx:
        return Aspect(CAUSE, CAUSE_TITLE, "no hangs", "", NO_CARD, ids)
    largest = max(contradictions(named, claims), key=len, default=())
    if largest:
        text = f"{len(largest)} explanations that exclude one another; none is shown by a log"
        grade = strongest_first(largest, gfx)[0].grade.value
        return Aspect(CAUSE, CAUSE_TITLE, "disputed", grade, text, ids)
    if named:
        return Aspect(CAUSE, CAUSE_TITLE, UNKNOWN, "", sentence(named[0], gfx), ids)
    seen = [claim for claim in about if claim.topic == "stability" and claim.leaning == "against"]
    ids = tuple(claim.id for claim in seen)
    because = "; ".join(("nobody names one", *(sentence(claim, gfx) for claim in seen)))
    return Aspect(CAUSE, CAUSE_TITLE, UNKNOWN, "", because if seen else NO_HANG, ids)


def _support(stack: Stack, gfx: str, about: Sequence[Claim]) -> Aspect:
    """A plain yes or no: of the strongest the newest, for promises are taken back."""
    said = [claim for claim in about if claim.topic == "support"]
    ids = tuple(claim.id for claim in said)
    leaning = [claim for claim in said if claim.leaning != "unknown" and strength(claim, gfx)]
    if not leaning:
        return Aspect("support", "Supported", UNKNOWN, "", NOBODY, ids)
    word = "yes" if leaning[0].leaning == "for" else "no"
    because = sentence(leaning[0], gfx)
    return Aspect("support", "Supported", word, leaning[0].grade.value, because, ids)


def _in_order(claims: list[Claim], gfx: str) -> tuple[str, ...]:
    """Strongest first; among equals those that decide, which stand first."""
    return tuple(c.id for c in sorted(claims, key=lambda claim: -strength(claim, gfx)))
