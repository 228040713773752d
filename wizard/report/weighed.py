"""Everything that Choose weighs, made once: for the plain text and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from wizard.jsonform import to_json
from wizard.knowledge.ageing import overdue
from wizard.knowledge.applications import applications_named
from wizard.knowledge.claims import Claim, load_claims
from wizard.knowledge.releases import load_catalogue
from wizard.knowledge.roads import OtherRoad, load_roads
from wizard.knowledge.stacks import Stack, load_stacks
from wizard.machine.facts import Machine
from wizard.plan.advice import NOTHING_TICKED, Advice, advise
from wizard.plan.aspect import Aspect, LineSpeed
from wizard.plan.aspects import everything
from wizard.plan.card import chosen_card, target_of
from wizard.plan.contradictions import contradictions
from wizard.report.evidence import LONG_AGO, evidence_lines, verdict_lines
from wizard.report.side_by_side import Column, columns_of, sheet_lines
from wizard.report.units import WIDTH

HEADING = "== What is said of {0}"
ASK = "Who says so, and who contradicts: rdna1-setup plan --stack {0} --evidence"


@dataclass(frozen=True, slots=True)
class Weighed:
    """The advice for a machine with the aspects of every stack, and what it rests on."""

    advice: Advice
    columns: tuple[Column, ...]
    claims: tuple[Claim, ...]
    roads: tuple[OtherRoad, ...]
    stacks: tuple[Stack, ...]
    gfx: str
    """The target of the card that all is about, ``""`` without one."""

    def column(self, stack: str) -> Column:
        """One stack with its aspects."""
        return next(column for column in self.columns if column.stack == stack)

    def everything(self, stack: str) -> Aspect:
        """All that anybody says of one stack."""
        held = next(each for each in self.stacks if each.id == stack)
        return everything(held, self.gfx if held.gfx else "", self.claims)


def weighed(
    machine: Machine,
    application_ids: tuple[str, ...],
    *,
    with_system: str = "",
    speed: LineSpeed | None = None,
) -> Weighed:
    """What Choose would show for these applications. ``with_system``: a stack taken with packages.

    Raises KeyError for an unknown application.
    """
    stacks, claims = load_stacks(), load_claims()
    advice = advise(machine, application_ids, stacks, claims)
    columns = columns_of(
        machine,
        applications_named(application_ids or NOTHING_TICKED),
        {stack.id: stack for stack in stacks},
        advice,
        claims,
        system=lambda stack: stack == with_system,
        speed=speed,
    )
    gfx = target_of(chosen_card(machine))
    return Weighed(advice, columns, claims, load_roads(), stacks, gfx)


def sheet(found: Weighed) -> Iterator[str]:
    """The stacks beside each other."""
    yield from sheet_lines(found.columns)


def stack_lines(found: Weighed, stack: str, evidence_on: date | None = None) -> Iterator[str]:
    """Every aspect of one stack with its reason; with ``evidence_on``, today, every claim."""
    yield HEADING.format(stack)
    for aspect in found.column(stack).aspects:
        yield from verdict_lines(aspect, WIDTH)
    yield ""
    if evidence_on:
        yield from _old_checks(next(s for s in found.stacks if s.id == stack), evidence_on)
        yield from evidence_lines(found.everything(stack), found.claims, evidence_on, whole=True)
    else:
        yield ASK.format(stack)


def _old_checks(stack: Stack, day: date) -> Iterator[str]:
    """What of the installation itself nobody has looked at for long."""
    if overdue(stack.checked, day):
        yield f"Index, versions and sizes were checked on {stack.checked}, {LONG_AGO}."
    catalogue = load_catalogue()
    if stack.system_release and overdue(catalogue.checked, day):
        yield f"AMD's system packages were checked on {catalogue.checked}, {LONG_AGO}."


def weighed_form(found: Weighed, stack: str = "") -> dict[str, Any]:
    """The JSON form; of one stack where one is named."""
    columns = [each for each in found.columns if stack in ("", each.stack)]
    names = {each.stack for each in columns}
    claims = [c for c in found.claims if not stack or names & set(c.stacks)]
    groups = contradictions(claims, found.claims)
    roads = {road.fit.stack: road for road in found.advice.roads}
    return {
        "headline": found.advice.headline,
        "risks": list(found.advice.risks),
        "next_best": found.advice.next_best,
        "would_change": list(found.advice.would_change),
        "stacks": [
            {
                "stack": column.stack,
                "rank": roads[column.stack].rank,
                "possible": roads[column.stack].fit.possible,
                "torch": column.torch,
                "aspects": to_json(column.aspects),
            }
            for column in columns
        ],
        "claims": to_json(claims),
        "contradictions": [[claim.id for claim in group] for group in groups],
        "roads": to_json(found.roads),
    }
