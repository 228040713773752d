"""Which stack to take on this machine for these applications, and why."""

from __future__ import annotations

from dataclasses import dataclass

from wizard.knowledge.applications import PLAIN_TORCH, Application, applications_named
from wizard.knowledge.claims import Claim, load_claims
from wizard.knowledge.stacks import Stack, load_stacks
from wizard.machine.facts import Machine
from wizard.plan.card import chosen_card, target_of
from wizard.plan.fit import Fit, fit
from wizard.plan.grounds import UNDO, also, cost, said, your_card
from wizard.plan.ranking import ranked
from wizard.plan.reasons import headline, reasons
from wizard.plan.supply import Supply
from wizard.plan.turning import next_best, risks, would_change

NOTHING_TICKED = (PLAIN_TORCH,)
"""What is advised for when nothing was asked for: plain torch."""


@dataclass(frozen=True, slots=True)
class Road:
    """One stack as the Choose screen shows it: everything said of it here."""

    fit: Fit
    rank: int
    """1 is the suggestion."""
    why: tuple[str, ...]
    in_favour: tuple[str, ...]
    against: tuple[str, ...]
    unknown: tuple[str, ...]
    also: tuple[str, ...]
    """What else would change, such as settings that break this road, with file and line."""
    cost: str
    undo: str
    your_card: str
    """What is known for this card: always honest about what was never tested."""


@dataclass(frozen=True, slots=True)
class Advice:
    """All roads, best first, and what would change the order."""

    roads: tuple[Road, ...]
    headline: str
    """One or two sentences: the suggestion and its main reason."""
    would_change: tuple[str, ...]
    risks: tuple[str, ...] = ()
    """What speaks against the suggestion, weightiest first."""
    next_best: str = ""
    """What to try where the suggestion fails, ``""`` where nothing else is possible."""


def advise(
    machine: Machine,
    application_ids: tuple[str, ...],
    stacks: tuple[Stack, ...] | None = None,
    claims: tuple[Claim, ...] | None = None,
    supply: Supply | None = None,
) -> Advice:
    """All roads for these applications, best first; ours where no stacks and claims are given.

    The order is that of ``wizard.plan.ranking``. Raises KeyError for an unknown application.
    """
    applications = applications_named(application_ids or NOTHING_TICKED)
    known = {stack.id: stack for stack in (load_stacks() if stacks is None else stacks)}
    evidence = load_claims() if claims is None else claims
    fits = tuple(fit(machine, applications, stack, evidence, supply) for stack in known.values())
    order = ranked(fits, known, [application.id for application in applications])
    roads = tuple(
        _road(machine, known, order, number, applications, evidence)
        for number in range(1, len(order) + 1)
    )
    return Advice(
        roads=roads,
        headline=headline(machine, known, order, applications),
        would_change=would_change(machine, known, order, applications),
        risks=risks(
            order[0],
            known[order[0].stack],
            target_of(chosen_card(machine)),
            applications,
            evidence,
        ),
        next_best=next_best(known, order, applications),
    )


def _road(
    machine: Machine,
    stacks: dict[str, Stack],
    order: tuple[Fit, ...],
    number: int,
    applications: tuple[Application, ...],
    claims: tuple[Claim, ...],
) -> Road:
    held = order[number - 1]
    stack = stacks[held.stack]
    gfx = target_of(chosen_card(machine))
    return Road(
        fit=held,
        rank=number,
        why=reasons(stacks, order, held, applications),
        in_favour=said("for", stack, gfx, applications, claims),
        against=said("against", stack, gfx, applications, claims),
        unknown=said("unknown", stack, gfx, applications, claims),
        also=also(machine, stack, held, applications),
        cost=cost(machine, stack),
        undo=UNDO,
        your_card=your_card(machine, stack, claims),
    )
