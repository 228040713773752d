"""How much a claim weighs for a card, and who stands behind it."""

from __future__ import annotations

from collections.abc import Iterable

from wizard.knowledge.claims import Claim, Grade
from wizard.knowledge.stacks import Stack

STRENGTH = {
    Grade.SOURCE_CODE: 4,
    Grade.MAINTAINER: 4,
    Grade.SEVERAL_USERS: 3,
    Grade.ONE_USER: 2,
    Grade.CLAIM_ONLY: 1,
    Grade.REFUTED: 0,
}

OTHER_BUILDS = frozenset({"neighbours", "regression"})
"""Topics of claims about builds other than the stack's own."""


def about_another_chip(claim: Claim, gfx: str) -> bool:
    """True when a claim names targets and this card's is not among them."""
    return bool(claim.gfx) and bool(gfx) and gfx not in claim.gfx


def holds(claim: Claim, stack: Stack) -> bool:
    """True when the stack sets every variable with which the claim was seen."""
    if not claim.setting:
        return True
    wanted = next((set(p.variables) for p in stack.presets if p.name == claim.setting), None)
    return wanted is not None and wanted <= set(stack.environment)


def strength(claim: Claim, gfx: str) -> int:
    """How much a claim weighs for a card: its grade, one less when it is about another chip."""
    return max(0, STRENGTH[claim.grade] - about_another_chip(claim, gfx))


def strongest_first(claims: Iterable[Claim], gfx: str) -> list[Claim]:
    """Claims by their weight for a card, the newer first among equals."""
    newest_first = sorted(claims, key=lambda claim: claim.date, reverse=True)
    return sorted(newest_first, key=lambda claim: -strength(claim, gfx))


def weight(side: list[Claim], gfx: str) -> int:
    """The weight of claims together: the strongest one's, or of two people who agree, theirs."""
    best = max((strength(claim, gfx) for claim in side), default=0)
    people = {claim.who for claim in side if strength(claim, gfx) == best}
    agree = best == STRENGTH[Grade.ONE_USER] and len(people) > 1
    return STRENGTH[Grade.SEVERAL_USERS] if agree else best


def sentence(claim: Claim, gfx: str) -> str:
    """A claim with its credit, as one sentence without its stop."""
    marks = [claim.grade.value]
    if claim.card.split(":")[0] not in ("none", "not said"):
        marks.append(claim.card)
    marks.append(claim.date)
    if claim.setting:
        marks.append(f"only with the preset {claim.setting}")
    if claim.topic in OTHER_BUILDS:
        marks.append("another build than this stack's")
    if about_another_chip(claim, gfx):
        marks.append("another chip than yours")
    return f"{claim.text.rstrip('.')} ({', '.join(marks)})"
