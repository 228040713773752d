"""What can be said of one stack on one machine, aspect by aspect: a word first, then why.

Verdicts on what the user wants to run come first, then what the card can do with the stack, then
what it costs. What nobody knows is ``unknown``, which is an answer.
"""

from __future__ import annotations

from dataclasses import replace

from wizard.knowledge.applications import PLAIN_TORCH, Application
from wizard.knowledge.claims import Claim
from wizard.knowledge.stacks import Stack
from wizard.machine.facts import Machine
from wizard.plan.aspect import HERE, RUN, Aspect, LineSpeed
from wizard.plan.aspect_costs import cost_aspects
from wizard.plan.aspect_evidence import card_aspects, grade_of
from wizard.plan.card import chosen_card, target_of
from wizard.plan.fit import Fit
from wizard.plan.strength import strongest_first
from wizard.plan.verdict import Cell, Verdict

ANY_PROGRAM = "Any program"
"""How plain torch is called."""

__all__ = ["Aspect", "LineSpeed", "aspects", "everything"]


def aspects(
    machine: Machine,
    applications: tuple[Application, ...],
    stack: Stack,
    fit: Fit,
    claims: tuple[Claim, ...],
    *,
    system: bool = False,
    speed: LineSpeed | None = None,
) -> tuple[Aspect, ...]:
    """Every aspect of a stack here, in the order in which they are shown.

    ``system``: with the system packages of the stack. ``speed``: of this line, if ever measured.
    """
    gfx = target_of(chosen_card(machine)) if stack.gfx else ""
    known = {claim.id: claim for claim in claims}
    titles = {each.id: each for each in applications}
    asked = [cell for cell in fit.cells if cell.application in titles]
    return (
        *(_verdict(cell, titles[cell.application], fit, known, gfx) for cell in asked),
        *card_aspects(stack, gfx, claims),
        *(
            _with_claims(aspect, stack, gfx, claims)
            for aspect in cost_aspects(machine, stack, fit, system=system, speed=speed)
        ),
    )


def everything(stack: Stack, gfx: str, claims: tuple[Claim, ...]) -> Aspect:
    """All that anybody says of a stack, as one aspect."""
    about = strongest_first((claim for claim in claims if stack.id in claim.stacks), gfx)
    ids = tuple(claim.id for claim in about)
    because = f"{len(ids)} statements about {stack.title}, whatever they are about"
    return Aspect("all", "Everything said", f"{len(ids)} claims", "", because, ids)


def _with_claims(aspect: Aspect, stack: Stack, gfx: str, claims: tuple[Claim, ...]) -> Aspect:
    """A figure with what people say of it, where they do: topic and aspect have the same name."""
    about = [c for c in claims if c.topic == aspect.id and stack.id in c.stacks]
    return replace(aspect, claims=tuple(c.id for c in strongest_first(about, gfx)))


def _verdict(
    cell: Cell, application: Application, fit: Fit, known: dict[str, Claim], gfx: str
) -> Aspect:
    title = ANY_PROGRAM if application.id == PLAIN_TORCH else application.title
    resting = [known[each] for each in cell.claims if each in known]
    aspect = Aspect(
        f"{RUN}{application.id}",
        title,
        cell.verdict.value,
        grade_of(cell.verdict, resting),
        cell.because,
        tuple(claim.id for claim in strongest_first(resting, gfx)),
    )
    if cell.verdict is Verdict.NO and not resting:
        return replace(aspect, grade="its makers" if fit.possible else HERE)
    return aspect
