"""Who says what of one aspect of a stack: for, against, open and refuted, with who contradicts."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from wizard.advice.comparison import Aspect
from wizard.conv2d.cards.received import Received
from wizard.knowledge.claims import TOPICS, Claim, Grade, overdue
from wizard.report.received import received_lines
from wizard.report.units import WIDTH

BEST = 2
"""How many claims of each side are shown before the rest is asked for."""
LABEL = 9
LONG_AGO = "more than a year ago"
OTHERS = (
    "These are other people's reports, and answers that libraries gave without a card. We have not "
    "run anything on an RDNA1 card."
)
NO_CLAIM = "No published statement supports this verdict. Its basis is given above."
MEASURED, OTHER_USE = "measured", "other use"
HEADS = {
    MEASURED: "MEASURED WITH THIS PROGRAM",
    "for": "FOR IT",
    "against": "AGAINST IT",
    "unknown": "OPEN",
    "refuted": "REFUTED",
    OTHER_USE: "ABOUT ANOTHER USE",
}


def evidence_lines(
    aspect: Aspect,
    known: Sequence[Claim],
    day: date,
    width: int = WIDTH,
    *,
    whole: bool = False,
    more: str = "",
    received: Sequence[Received] = (),
) -> Iterator[str]:
    """The verdict and why, then the claims of each side, those that the verdict names first.

    Results that were ``received`` stand above all that was only said.

    ``day``: of the reader, who is told of sources that nobody has looked at for long before it.
    ``whole``: every claim. ``more``: how the reader gets the rest, for example ``m shows``.
    """
    by_id = {claim.id: claim for claim in known}
    claims = [by_id[each] for each in aspect.claims if each in by_id]
    yield from verdict_lines(aspect, width)
    if aspect.meaning:
        yield from _wrapped(f"{aspect.title}: {aspect.meaning}", width, "  ")
    if received:
        yield from ("", f"{HEADS[MEASURED]}: {len(received)}")
        yield from received_lines(received, aspect.id, width)
    if not claims:
        yield from ("", *_wrapped(NO_CLAIM, width))
        return
    for side, head in HEADS.items():
        group = [
            claim
            for claim in claims
            if side == (OTHER_USE if aspect.is_other_use(claim) else claim.side)
        ]
        shown = group if whole else group[:BEST]
        left = len(group) - len(shown)
        rest = f"; {more} the other {left}" if left and more else ""
        if group:
            yield from ("", f"{head}: {len(group)}{rest}")
        for claim in shown:
            use = TOPICS[claim.topic] if side == OTHER_USE else ""
            yield from ("", *claim_lines(claim, day, width, _rivals(claim, known), use))
    yield from ("", *_wrapped(OTHERS, width))


def verdict_lines(aspect: Aspect, width: int = WIDTH) -> Iterator[str]:
    """The word, and why."""
    yield f"{aspect.title}: {aspect.word}"
    yield from _wrapped(f"{aspect.because.rstrip('.')}.", width, "  ")


def claim_lines(
    claim: Claim, day: date, width: int, rivals: Sequence[Claim] = (), use: str = ""
) -> Iterator[str]:
    """One claim with all that is needed to judge it, and who says otherwise.

    ``use``: what it is about, where that is not what was asked.
    """
    yield from _wrapped(claim.text, width, "  ")
    facts = (
        ("use", use),
        ("who", f"{claim.who}, {claim.date} ({claim.grade.value})"),
        ("card", " ".join((claim.card, *claim.gfx)) or "not stated"),
        ("versions", claim.versions or "not stated"),
        ("tested", claim.method or "not stated"),
        ("checked", f"{claim.checked}, {LONG_AGO}" if overdue(claim.checked, day) else ""),
        ("setting", f"only with the preset {claim.setting}" if claim.setting else ""),
    )
    for label, text in facts:
        if text:
            yield from _wrapped(text, width, f"    {label:<{LABEL}}", " " * (LABEL + 4))
    yield from _wrapped(claim.source, width, "    link ", "      ")
    for rival in rivals:
        text = f"{rival.text} ({rival.grade.value}: {rival.who}, {rival.date})"
        yield from _wrapped(text, width, "    but ", "        ")


def _rivals(claim: Claim, known: Sequence[Claim]) -> list[Claim]:
    """Who contradicts a claim; who is refuted does not, but where it is refuted itself."""
    standing = [c for c in known if c.id in claim.contradicts or claim.id in c.contradicts]
    return [c for c in standing if c.grade is not Grade.REFUTED]


def _wrapped(text: str, width: int, head: str = "", indent: str | None = None) -> Iterable[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=head,
        subsequent_indent=head if indent is None else indent,
        break_on_hyphens=False,
    )
