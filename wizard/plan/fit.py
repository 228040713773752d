"""Does a stack fit: machine x applications x stack -> verdict with its reasons."""

from __future__ import annotations

from dataclasses import dataclass, replace

from wizard.knowledge.applications import Application
from wizard.knowledge.claims import Claim, load_claims
from wizard.knowledge.stacks import Stack
from wizard.machine.facts import Machine
from wizard.plan.c_library import to_repair
from wizard.plan.card import chosen_card, target_of
from wizard.plan.card_in_use import MissingRight, card_closed, missing_right
from wizard.plan.conditions import needs, obstacles
from wizard.plan.floors import older_release
from wizard.plan.leftovers import torch_here
from wizard.plan.memory import short_of, unsure_memory
from wizard.plan.obstacle import Obstacle
from wizard.plan.pythons import chosen_python, python_need, python_obstacle, python_refused
from wizard.plan.room import room_for
from wizard.plan.supply import Supply, network_need
from wizard.plan.verdict import Cell, Verdict
from wizard.plan.weighing import HOPEFUL, weigh

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
    mends: tuple[str, ...] = ()
    """What would mend each obstacle, in their order; also the end of each."""
    card_closed: str = ""
    """What keeps the card from being used as things are; also among ``needs``."""
    repaired: bool = False
    """True when its libraries must be changed after installing, for this system."""
    there: str = ""
    """An environment that holds this stack's torch already, ``""`` without one."""


def fit(
    machine: Machine,
    applications: tuple[Application, ...],
    stack: Stack,
    claims: tuple[Claim, ...] | None = None,
    supply: Supply | None = None,
) -> Fit:
    """What a stack is on this machine; pure but for the claims of ours, read when none are given.

    Possible is what no obstacle rules out: card and target, processor, C library, Python and
    disk. The verdicts follow from floors and claims by the rule of
    ``wizard.plan.weighing``, and are no better than ``unknown`` where memory is short; a stack that
    is ruled out is ``no`` for everything, because of its first obstacle.
    """
    supply = supply or Supply()
    python = chosen_python(machine, applications, stack)
    against = _obstacles(machine, stack, python)
    gfx = target_of(chosen_card(machine))
    here = torch_here(machine, stack, gfx)
    known = load_claims() if claims is None else claims
    return Fit(
        stack=stack.id,
        possible=not against,
        obstacles=tuple(each.text for each in against),
        needs=_needs(machine, stack, python, supply),
        cells=tuple(_cell(machine, each, stack, python, against, known) for each in applications),
        python=python,
        download_bytes=stack.download_bytes,
        installed_bytes=stack.installed_bytes,
        missing_right=missing_right(machine) if stack.gfx else None,
        mends=tuple(each.mend for each in against),
        card_closed=card_closed(machine, stack),
        repaired=to_repair(machine, stack),
        there=here.path if here else "",
    )


def _obstacles(machine: Machine, stack: Stack, python: str) -> tuple[Obstacle, ...]:
    last = python_obstacle(machine, stack, python)
    return (*obstacles(machine, stack), *([last] if last else ()))


def _needs(machine: Machine, stack: Stack, python: str, supply: Supply) -> tuple[str, ...]:
    texts = (python_need(python), *needs(machine, stack), network_need(supply, python))
    return tuple(text for text in texts if text)


def _cell(
    machine: Machine,
    application: Application,
    stack: Stack,
    python: str,
    against: tuple[Obstacle, ...],
    claims: tuple[Claim, ...],
) -> Cell:
    """The verdict on one application, with what the machine takes away from it."""
    refused = against[0].text if against else python_refused(machine, application, stack, python)
    if refused:
        return Cell(application.id, Verdict.NO, refused, ())
    cell = weigh(application, stack, target_of(chosen_card(machine)), claims)
    if cell.verdict is Verdict.NO:
        return cell
    short = short_of(machine, application, stack)
    if short and cell.verdict in (*HOPEFUL, Verdict.SLOW):
        because = f"{application.title} asks for {short} ({application.source})"
        cell = replace(cell, verdict=Verdict.UNKNOWN, because=because)
    return _with_needs(cell, machine, application, stack, short)


def _with_needs(
    cell: Cell, machine: Machine, application: Application, stack: Stack, short: str
) -> Cell:
    """The same verdict with what the application takes besides the stack."""
    older = older_release(application, stack)
    taken = f"an older release: {older.pip}" if older else ""
    texts = (
        taken,
        short,
        unsure_memory(machine, application, stack),
        room_for(machine, application, stack),
    )
    return replace(
        cell,
        because=f"it takes {taken}. {cell.because}" if taken else cell.because,
        needs=tuple(text for text in texts if text),
        short=bool(short),
    )
