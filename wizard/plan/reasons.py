"""Why the roads stand in this order, and what would change it."""

from __future__ import annotations

import shlex

from wizard.knowledge.applications import Application
from wizard.knowledge.stacks import Stack
from wizard.machine.facts import Machine
from wizard.plan.card import chosen_card
from wizard.plan.fit import Fit
from wizard.plan.ranking import ranked, worth
from wizard.plan.torch_there import torch_there
from wizard.plan.verdict import Verdict


def reasons(
    stacks: dict[str, Stack],
    order: tuple[Fit, ...],
    held: Fit,
    applications: tuple[Application, ...],
) -> tuple[str, ...]:
    """Why a road has its rank, the main reason first."""
    if not held.possible:
        return (f"ruled out here: {held.obstacles[0]}",)
    if not stacks[held.stack].gfx:
        return (_without_card(order, stacks),)
    alone = _only_road_for(stacks, order, held, applications)
    verdicts = _verdicts(held, applications)
    if held is not order[0]:
        return (f"behind {order[0].stack} ({verdicts})",)
    second = next((f for f in order[1:] if f.possible and stacks[f.stack].gfx), None)
    return (*alone, *_lead(held, second, stacks, applications), verdicts)


def headline(
    machine: Machine,
    stacks: dict[str, Stack],
    order: tuple[Fit, ...],
    applications: tuple[Application, ...],
) -> str:
    """The suggestion and its main reason."""
    first = order[0]
    stack = stacks[first.stack]
    if not first.possible:
        return f"No stack is possible on this machine. {stack.title}: {first.obstacles[0]}."
    if stack.gfx:
        reason = reasons(stacks, order, first, applications)[0]
        found = _verdicts(first, applications)
        return f"{stack.title}: {reason} ({found}). We have tested no RDNA1 card: measure Conv2d."
    ruled_out = next((f.obstacles[0] for f in order if stacks[f.stack].gfx and f.obstacles), "")
    card = chosen_card(machine)
    start = "" if card and card.rdna1 else "No RDNA1 card is known here. "
    return f"{start}{stack.title} is what is left: {ruled_out or 'no other stack is in the data'}."


def would_change(
    machine: Machine,
    stacks: dict[str, Stack],
    order: tuple[Fit, ...],
    applications: tuple[Application, ...],
) -> tuple[str, ...]:
    """What would change the order: a measurement, other wishes, a cleared obstacle."""
    first = order[0]
    return (
        *_measure_first(machine),
        *_without_one_wish(stacks, order, applications),
        *_open_questions(stacks[first.stack], first, applications),
        *_ruled_out(order),
    )


def _without_card(order: tuple[Fit, ...], stacks: dict[str, Stack]) -> str:
    if any(f.possible and stacks[f.stack].gfx for f in order):
        return "it leaves the card unused: the way out, and the control of every measurement"
    return "no stack that uses a card is possible on this machine"


def _only_road_for(
    stacks: dict[str, Stack],
    order: tuple[Fit, ...],
    held: Fit,
    applications: tuple[Application, ...],
) -> tuple[str, ...]:
    open_to = {
        application.id: [
            f.stack
            for f in order
            if stacks[f.stack].gfx and _verdict(f, application) is not Verdict.NO
        ]
        for application in applications
    }
    mine = [a for a in applications if open_to[a.id] == [held.stack]]
    floors = [f"{a.title} ({a.torch_floor} or newer)" if a.torch_floor else a.title for a in mine]
    return (f"the only stack for the card that suits {', '.join(floors)}",) if mine else ()


def _lead(
    held: Fit, second: Fit | None, stacks: dict[str, Stack], applications: tuple[Application, ...]
) -> tuple[str, ...]:
    if second is None:
        return ("the only stack that uses the card here",)
    asked = [application.id for application in applications]
    equal = worth(held, stacks[held.stack], asked) == worth(second, stacks[second.stack], asked)
    if equal:
        return (f"as good as {second.stack} by what is known, and longer attested",)
    return (f"better verdicts for what you ticked than {second.stack}, which comes next",)


def _measure_first(machine: Machine) -> tuple[str, ...]:
    there = torch_there(machine)
    if there is None:
        return ()
    return (
        f"a measurement of the torch that you have ({there.torch} in {there.place}), before "
        f"anything is exchanged: rdna1-setup conv2d --python {shlex.quote(there.python)}",
    )


def _without_one_wish(
    stacks: dict[str, Stack], order: tuple[Fit, ...], applications: tuple[Application, ...]
) -> tuple[str, ...]:
    texts = []
    by_data = tuple(sorted(order, key=lambda f: list(stacks).index(f.stack)))
    for dropped in applications if len(applications) > 1 else ():
        kept = [each.id for each in applications if each is not dropped]
        other = ranked(by_data, stacks, kept)[0]
        if other.stack != order[0].stack:
            texts.append(f"without {dropped.title}, {other.stack} would come first")
    return tuple(texts)


def _open_questions(
    stack: Stack, first: Fit, applications: tuple[Application, ...]
) -> tuple[str, ...]:
    unsure = (Verdict.UNKNOWN, Verdict.DISPUTED)
    titles = [a.title for a in applications if _verdict(first, a) in unsure]
    if not titles or not stack.gfx or not first.possible:
        return ()
    return (f"a measurement on this card settles what is not known: {', '.join(titles)}",)


def _ruled_out(order: tuple[Fit, ...]) -> tuple[str, ...]:
    stacks: dict[str, list[str]] = {}
    for held in order:
        if held.obstacles:
            stacks.setdefault(held.obstacles[0], []).append(held.stack)
    return tuple(f"{', '.join(names)} ruled out: {why}" for why, names in stacks.items())


def _verdicts(held: Fit, applications: tuple[Application, ...]) -> str:
    return ", ".join(f"{asked_for(a)}: {_verdict(held, a).value}" for a in applications)


def asked_for(application: Application) -> str:
    """An application as a verdict names it; plain torch is nobody's title."""
    return "any torch program" if application.workload == "any" else application.title


def _verdict(held: Fit, application: Application) -> Verdict:
    return next(cell.verdict for cell in held.cells if cell.application == application.id)
