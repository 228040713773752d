"""Weighs claims into the verdict on one application with one stack.

The rule, in this order:

1. What rules the stack out on this machine, or a floor of the application that the stack does not
   meet, gives ``no``. A torch newer than the application ever ran with gives at most ``unknown``,
   one that only older releases of it take at most ``possible``: nobody spoke of those.
2. Claims bear on a workload by their topic: some closely, some from beside it (``BEARING``).
   Refuted claims bear on nothing, nor do those that were seen only under a preset that the stack
   does not set.
3. A claim's strength is that of its grade; one less when it is about other targets than this
   card's. Close claims by two independent people count as ``several users``.
4. The weight *for* is held against the weight *against*. More for: ``works`` (source code or
   maintainer), ``likely`` (several users) or ``possible``. As much or somewhat more against:
   ``disputed``. Two grades more against, or only against: ``hangs?``, since a mere claim does not
   dispute what several people saw. Neither: ``unknown``.
5. Support from beside makes nothing more than ``possible``; where a close claim leaves a question
   open and nothing close answers it, it is ``unknown``.
6. A road that needs no card and is said to be slow is ``very slow`` for a heavy workload.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from wizard.knowledge.applications import Application
from wizard.knowledge.claims import Claim, Grade
from wizard.knowledge.stacks import Stack
from wizard.plan.floors import beyond, steps_back, unmet_floor
from wizard.plan.strength import STRENGTH, holds, sentence, strength, strongest_first, weight
from wizard.plan.verdict import Cell, Verdict


@dataclass(frozen=True, slots=True)
class Bearing:
    """Which topics bear on a workload: closely, or from beside it."""

    close: frozenset[str]
    beside: frozenset[str]
    slowed_by: frozenset[str]
    """Topics that make it very slow without a card; none where a processor will do."""


BEARING = {
    "convolution": Bearing(
        frozenset({"conv2d", "applications"}),
        frozenset({"device"}),
        frozenset({"speed", "image speed"}),
    ),
    "training": Bearing(
        frozenset({"training"}),
        frozenset({"conv2d", "applications", "device"}),
        frozenset({"speed"}),
    ),
    "small training": Bearing(frozenset({"small conv2d"}), frozenset({"training"}), frozenset()),
    "transformer": Bearing(frozenset({"transformer"}), frozenset({"device"}), frozenset({"speed"})),
    "any": Bearing(
        frozenset({"device"}),
        frozenset({"transformer", "small conv2d", "conv2d", "applications"}),
        frozenset(),
    ),
}
BY_WEIGHT = {4: Verdict.WORKS, 3: Verdict.LIKELY, 2: Verdict.POSSIBLE, 1: Verdict.POSSIBLE}
A_USER = STRENGTH[Grade.ONE_USER]
OUTWEIGHED = 2
"""So many grades more against than for, and there is no dispute."""
HOPEFUL = (Verdict.WORKS, Verdict.LIKELY, Verdict.POSSIBLE)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The claims that bear on one cell, sorted by what they say, strongest first."""

    in_favour: list[Claim]
    against: list[Claim]
    questions: list[Claim]
    slow: list[Claim]
    pro: int
    pro_closely: int
    contra: int
    said: int
    """How many more close claims are for than against."""


def bears(claim: Claim, application: Application) -> bool:
    """True when a claim's topic has anything to do with what an application asks of a card."""
    bearing = BEARING[application.workload]
    return claim.topic in bearing.close | bearing.beside


def weigh(application: Application, stack: Stack, gfx: str, claims: Iterable[Claim]) -> Cell:
    """The verdict on an application with a stack that nothing on the machine rules out."""
    unmet = unmet_floor(application, stack)
    if unmet:
        return Cell(application.id, Verdict.NO, unmet, ())
    gfx = gfx if stack.gfx else ""  # what needs no card is the same beside every chip
    about = strongest_first((claim for claim in claims if stack.id in claim.stacks), gfx)
    verdict, deciding, evidence = judged(BEARING[application.workload], stack, gfx, about)
    because = "; against it: ".join(sentence(claim, gfx) for claim in deciding)
    newer, back = beyond(application, stack), steps_back(application, stack)
    if newer and verdict in HOPEFUL:
        verdict, because = Verdict.UNKNOWN, newer
    elif back and verdict in HOPEFUL:
        verdict = Verdict.POSSIBLE
    resting = (*deciding, *evidence.in_favour, *evidence.against, *evidence.questions)
    ids = tuple(dict.fromkeys(claim.id for claim in resting))
    because = because or "nobody says anything that we know of"
    return Cell(application.id, verdict, because, ids, said=evidence.said, back=back)


def judged(
    bearing: Bearing, stack: Stack, gfx: str, about: Iterable[Claim]
) -> tuple[Verdict, list[Claim], Evidence]:
    """The verdict by the topics that bear on a question, the claims that decide it, the rest.

    ``about``: what is said of the stack, strongest first.
    """
    evidence = _evidence(bearing, stack, gfx, about)
    return (*_judge(evidence, gfx), evidence)


def _evidence(bearing: Bearing, stack: Stack, gfx: str, claims: Iterable[Claim]) -> Evidence:
    # without a card there is no card that could fail: what is true of the device is true of all
    near = bearing.close if stack.gfx else bearing.close | {"device"}
    slowed_by = frozenset() if stack.gfx else bearing.slowed_by
    topics = near | bearing.beside | slowed_by
    about = [c for c in claims if c.topic in topics and strength(c, gfx) and holds(c, stack)]
    close = [c for c in about if c.topic in near]
    both = [*close, *(c for c in about if c.topic in bearing.beside - near)]
    in_favour = [c for c in both if c.leaning == "for"]
    against = [c for c in both if c.leaning == "against"]
    closely = weight([c for c in close if c.leaning == "for"], gfx)
    against_closely = weight([c for c in close if c.leaning == "against"], gfx)
    return Evidence(
        in_favour=in_favour,
        against=against,
        questions=[c for c in close if c.leaning == "unknown"],
        slow=[c for c in about if c.topic in slowed_by and c.leaning == "against"],
        pro=max([closely, *(strength(c, gfx) for c in in_favour)]),
        pro_closely=closely,
        contra=max([against_closely, *(strength(c, gfx) for c in against)]),
        said=sum({"for": 1, "against": -1}.get(c.leaning, 0) for c in close),
    )


def _judge(evidence: Evidence, gfx: str) -> tuple[Verdict, list[Claim]]:
    pro, contra = evidence.pro, evidence.contra
    if contra and (not pro or contra - pro >= OUTWEIGHED):
        return Verdict.HANGS, [_strongest(evidence.against, gfx)]
    if evidence.questions and evidence.pro_closely < A_USER:
        return Verdict.UNKNOWN, evidence.questions[:1]
    if not pro:
        return Verdict.UNKNOWN, []
    if contra >= pro:
        return Verdict.DISPUTED, [
            _strongest(evidence.in_favour, gfx),
            _strongest(evidence.against, gfx),
        ]
    if evidence.slow:
        return Verdict.SLOW, evidence.slow[:1]
    verdict = BY_WEIGHT[min(pro, max(evidence.pro_closely, A_USER))]
    return verdict, [_strongest(evidence.in_favour, gfx)]


def _strongest(claims: list[Claim], gfx: str) -> Claim:
    """The weightiest; among equals the first, and the close ones stand before the others."""
    return max(claims, key=lambda claim: strength(claim, gfx))
