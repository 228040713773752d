"""Who says what of one aspect of a stack, and who contradicts it: lines for a given width."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import zip_longest

from wizard.knowledge.ageing import overdue
from wizard.knowledge.claims import Claim, Grade
from wizard.plan.aspect import RUN, Aspect
from wizard.plan.aspect_evidence import CAUSE
from wizard.plan.contradictions import contradictions
from wizard.report.units import WIDTH, cut

BEST = 3
"""How many claims are shown before the rest is asked for."""
NAMED = 3
"""How many people a side names in its short list."""
LABEL = 9
BETWEEN = " | "
OTHERS = "They are other people's statements: we have run nothing on an RDNA1 card."
NO_CLAIM = "No statement of anybody stands behind it; what it rests on is said above."
LONG_AGO = "more than a year ago"
OPEN = "LEAVE IT OPEN"
HEADS = {"for": "SAY THAT IT WORKS", "against": "SAY THAT IT DOES NOT", "unknown": OPEN}
PLAIN_HEADS = {"for": "SPEAK FOR IT", "against": "SPEAK AGAINST IT", "unknown": OPEN}
CAUSE_HEADS = {**PLAIN_HEADS, "unknown": "NAME A CAUSE, OR SAY THAT NONE IS SHOWN"}
LEANINGS = {"for": "FOR", "against": "AGAINST", "unknown": "OPEN"}
MEANINGS = {
    "large-conv2d": "convolutions over images of 64x64 and more: Stable Diffusion, YOLO",
    "small-conv2d": "convolutions over 28x28 or 32x32: MNIST, CIFAR-10",
    "training": "forward, backward, and an update of the weights",
    "fp16": "numbers of half the size: half the memory, where the results stay right",
    "transformers": "attention and matrix products without convolutions: language models",
    "cause": "what people put the hangs of Conv2d down to",
    "support": "whether its makers stand by it for your card",
}
"""What an aspect is about, for who meets the word for the first time."""
CONTRADICTIONS = "CONTRADICTIONS"
"""How the line begins below which they stand."""
WORKS = (RUN, "large-", "small-", "training", "fp16", "transformers")
"""How the ids of aspects begin that ask whether something works."""


def evidence_lines(
    aspect: Aspect,
    known: Sequence[Claim],
    day: date,
    width: int = WIDTH,
    *,
    whole: bool = False,
    more: str = "",
) -> Iterator[str]:
    """The verdict, who stands on which side, the best claims, and what contradicts what.

    ``day``: of the reader, who is told of sources that nobody has looked at for long before it.
    ``whole``: every claim. ``more``: how the reader gets the rest, for example ``m shows``.
    """
    by_id = {claim.id: claim for claim in known}
    claims = [by_id[each] for each in aspect.claims if each in by_id]
    yield from verdict_lines(aspect, width)
    if aspect.id in MEANINGS:
        yield from _wrapped(f"{aspect.title}: {MEANINGS[aspect.id]}.", width, "  ")
    if not claims:
        yield from ("", *_wrapped(NO_CLAIM, width))
        return
    yield from ("", *_sides(aspect, claims, width))
    shown = claims if whole else claims[:BEST]
    yield from ("", _count(shown, claims, more))
    for number, claim in enumerate(shown, 1):
        yield from ("", *claim_lines(claim, day, width, f"{number} "))
    groups = contradictions(claims, known)
    if aspect.id == CAUSE:  # the five root causes before what else is said of them
        groups = tuple(sorted(groups, key=len, reverse=True))
    if groups:
        yield from ("", f"{CONTRADICTIONS}: {len(groups)}")
    for group in groups:
        yield from ("", *contradiction_lines(group, day, width))
    yield from ("", *_wrapped(OTHERS, width))


def verdict_lines(aspect: Aspect, width: int) -> Iterator[str]:
    """The word, how well it is supported, and why."""
    grade = f" ({aspect.grade})" if aspect.grade else ""
    yield f"{aspect.title}: {aspect.word}{grade}"
    yield from _wrapped(f"{aspect.because}.", width, "  ")


def claim_lines(claim: Claim, day: date, width: int, mark: str = "") -> Iterator[str]:
    """One claim with all that is needed to weigh it."""
    yield f"{mark}{LEANINGS[claim.leaning]}, {claim.grade.value}, about {claim.topic}"
    yield from _wrapped(claim.text, width, "  ")
    for label, text in _facts(claim, day):
        yield from _wrapped(text, width, f"  {label:<{LABEL}}", " " * (LABEL + 2))
    yield from _wrapped(claim.source, width, "  link ", "    ")


def contradiction_lines(group: Sequence[Claim], day: date, width: int) -> Iterator[str]:
    """Claims that exclude one another, two beside each other."""
    cells = (width - len(BETWEEN)) // 2
    blocks = [
        list(_block(claim, day, chr(ord("A") + place), cells)) for place, claim in enumerate(group)
    ]
    for left in range(0, len(blocks), 2):
        for row in zip_longest(*blocks[left : left + 2], fillvalue=""):
            one, other = (*row, "")[:2]
            yield f"{one:<{cells}}{BETWEEN}{other}".rstrip()


def _block(claim: Claim, day: date, name: str, cells: int) -> Iterator[str]:
    yield f"{name} SAYS ({claim.grade.value})"
    yield from _wrapped(claim.text, cells)
    for label, text in _facts(claim, day):
        yield from _wrapped(text, cells, f"{label:<{LABEL}}", "  ")
    yield from _wrapped(claim.source, cells, "link ", "  ")
    yield ""


def _facts(claim: Claim, day: date) -> tuple[tuple[str, str], ...]:
    old = (("checked", f"{claim.checked}, {LONG_AGO}"),) if overdue(claim.checked, day) else ()
    under = (("setting", f"only with the preset {claim.setting}"),) if claim.setting else ()
    return (
        ("who", f"{claim.who}, {claim.date}"),
        ("card", " ".join((claim.card, *claim.gfx)) or "not said"),
        ("versions", claim.versions or "not said"),
        *under,
        ("tested", claim.method or "not said"),
        *old,
    )


def _sides(aspect: Aspect, claims: list[Claim], width: int) -> Iterator[str]:
    """Who stands on which side, beside each other; then who leaves it open."""
    heads = CAUSE_HEADS if aspect.id == CAUSE else PLAIN_HEADS
    heads = HEADS if aspect.id.startswith(WORKS) else heads
    cells = (width - len(BETWEEN)) // 2
    sides = {
        leaning: [claim for claim in claims if claim.leaning == leaning]
        for leaning in ("for", "against", "unknown")
    }
    if sides["for"] or sides["against"]:
        columns = (_side(heads[each], sides[each], cells) for each in ("for", "against"))
        for one, other in zip_longest(*columns, fillvalue=""):
            yield f"{one:<{cells}}{BETWEEN}{other}".rstrip()
    if sides["unknown"]:
        yield from _side(heads["unknown"], sides["unknown"], width)


def _side(head: str, side: list[Claim], cells: int) -> list[str]:
    """How many statements of how many people, and the best supported of these people."""
    by_person: dict[str, list[Claim]] = {}
    for claim in side:
        by_person.setdefault(claim.who, []).append(claim)
    people = len(by_person)
    of = f", of {people} {'source' if people == 1 else 'sources'}" if len(side) > 1 else ""
    lines = [cut(_credit(claims), cells) for claims in list(by_person.values())[:NAMED]]
    more = [f"and {people - NAMED} more"] if people > NAMED else []
    return [f"{head}: {len(side) or 'nobody'}{of}", *lines, *more]


def _credit(claims: list[Claim]) -> str:
    """Grade first: a long name is cut, and the grade must not be."""
    best = claims[0]
    times = f" ({len(claims)} times)" if len(claims) > 1 else ""
    return f"{best.grade.value}: {best.who}, {best.date[:4]}{times}"


def _count(shown: list[Claim], claims: list[Claim], more: str) -> str:
    refuted = sum(claim.grade is Grade.REFUTED for claim in claims)
    last = f", {refuted} refuted, last" if refuted else ""
    if len(shown) == len(claims):
        return f"ALL {len(claims)}, STRONGEST FIRST{last.upper()}"
    rest = f"; {more} the other {len(claims) - len(shown)}" if more else ""
    return f"THE STRONGEST {len(shown)} OF {len(claims)}{rest}"


def _wrapped(text: str, width: int, head: str = "", indent: str | None = None) -> Iterable[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=head,
        subsequent_indent=head if indent is None else indent,
        break_on_hyphens=False,
    )
