"""Does a stack fit: machine x applications x stack -> verdict with its reasons."""

from __future__ import annotations

from dataclasses import dataclass

from wizard.knowledge.applications import Application
from wizard.knowledge.claims import Claim, load_claims
from wizard.knowledge.stacks import Stack
from wizard.machine.facts import Machine
from wizard.plan.card import chosen_card, target_of
from wizard.plan.conditions import MissingRight, missing_right, needs, obstacles
from wizard.plan.pythons import chosen_python, python_need, python_obstacle, python_refused
from wizard.plan.verdict import Cell, Verdict
from wizard.plan.weighing import weigh

__all__ = ["Cell", "Fit", "Verdict", "fit"]


@dataclass(frozen=True, slots=True)
class Fit:
    """One stack held against this machine and the applications asked for."""

    stack: str
    possible: bool
    """False when something on this machine rules it out."""
    obstacles: tuple[str, ...]
    """What rules it out, and what would mend that."""
    needs: tuple[str, ...]
    """What it needs that is not there yet, such as Python 3.10 by uv."""
    cells: tuple[Cell, ...]
    """One for each application asked for, in their order."""
    python: str
    """Path of the interpreter to use, ``uv:3.10`` when uv must bring it, ``""`` without either."""
    download_bytes: int | None
    installed_bytes: int | None
    missing_right: MissingRight | None = None
    """What the user must be given first, by root or by a new login; also among ``needs``."""


def fit(
    machine: Machine,
    applications: tuple[Application, ...],
    stack: Stack,
    claims: tuple[Claim, ...] | None = None,
) -> Fit:
    """What a stack is on this machine; pure but for the claims of ours, read when none are given.

    Possible is what no obstacle rules out: card and target, processor, Python, disk. The verdicts
    follow from floors and claims by the rule of ``wizard.plan.weighing``; a stack that is ruled out
    is ``no`` for everything, because of its first obstacle.
    """
    python = chosen_python(machine, applications, stack)
    missing = python_obstacle(machine, stack, python)
    against = (*obstacles(machine, stack), *((missing,) if missing else ()))
    fetched = python_need(python)
    gfx = target_of(chosen_card(machine))
    known = load_claims() if claims is None else claims
    return Fit(
        stack=stack.id,
        possible=not against,
        obstacles=against,
        needs=(*((fetched,) if fetched else ()), *needs(machine, stack)),
        cells=tuple(
            Cell(each.id, Verdict.NO, refused, ()) if refused else weigh(each, stack, gfx, known)
            for each in applications
            for refused in [against[0] if against else python_refused(machine, each, stack, python)]
        ),
        python=python,
        download_bytes=stack.download_bytes,
        installed_bytes=stack.installed_bytes,
        missing_right=missing_right(machine, stack),
    )
