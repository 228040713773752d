"""Why the roads stand in this order."""

from __future__ import annotations

from wizard.knowledge.applications import PLAIN_TORCH, Application
from wizard.knowledge.stacks import Stack
from wizard.machine.facts import Machine
from wizard.plan.card import chosen_card
from wizard.plan.fit import Fit
from wizard.plan.ranking import said_for, steps_back, torch_version, worth
from wizard.plan.verdict import Verdict

UNTESTED = "We have tested no RDNA1 card: measure Conv2d."
ORDER_IS_OURS = "nothing known tells them apart"


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
    verdicts = verdict_words(held, applications)
    if held is not order[0]:
        return (f"behind {order[0].stack} ({verdicts})",)
    second = _second(order, stacks, applications)
    lead = () if alone and second is None else _lead(held, second, stacks, applications)
    return (*alone, *lead, verdicts)


def headline(
    machine: Machine,
    stacks: dict[str, Stack],
    order: tuple[Fit, ...],
    applications: tuple[Application, ...],
) -> str:
    """The suggestion and its main reason, and what must be done before the card can be used."""
    first = order[0]
    stack = stacks[first.stack]
    if not first.possible:
        return f"No stack is possible on this machine. {stack.title}: {first.obstacles[0]}."
    if stack.gfx:
        reason = reasons(stacks, order, first, applications)[0]
        found = verdict_words(first, applications)
        opens = f" First of all it needs {first.card_closed}." if first.card_closed else ""
        return f"{stack.title}: {reason} ({found}).{opens} {UNTESTED}"
    ruled_out = next((f.obstacles[0] for f in order if stacks[f.stack].gfx and f.obstacles), "")
    card = chosen_card(machine)
    start = "" if card and card.rdna1 else "No RDNA1 card is known here. "
    return f"{start}{stack.title} is what is left: {ruled_out or 'no other stack is in the data'}."


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
            if stacks[f.stack].gfx and verdict_on(f, application) is not Verdict.NO
        ]
        for application in applications
    }
    mine = [a for a in applications if open_to[a.id] == [held.stack]]
    floors = [f"{a.title} ({a.torch_floor} or newer)" if a.torch_floor else a.title for a in mine]
    return (f"the only stack for the card that suits {', '.join(floors)}",) if mine else ()


def _second(
    order: tuple[Fit, ...], stacks: dict[str, Stack], applications: tuple[Application, ...]
) -> Fit | None:
    """The next road for the card that is of any use for what was asked for."""
    asked = [application.id for application in applications]
    return next(
        (
            held
            for held in order[1:]
            if held.possible and stacks[held.stack].gfx and worth(held, stacks[held.stack], asked)
        ),
        None,
    )


def _lead(
    held: Fit,
    second: Fit | None,
    stacks: dict[str, Stack],
    applications: tuple[Application, ...],
) -> tuple[str, ...]:
    if second is None:
        return ("the only stack that uses the card here",)
    asked = [application.id for application in applications]
    if worth(held, stacks[held.stack], asked) > worth(second, stacks[second.stack], asked):
        better = "better verdicts" if len(applications) > 1 else "a better verdict"
        return (f"{better} than {second.stack}, which comes next",)
    start = f"as good as {second.stack} by what is known"
    return (f"{start}, {_tie_break(held, second, stacks, applications)}",)


def _tie_break(
    held: Fit, second: Fit, stacks: dict[str, Stack], applications: tuple[Application, ...]
) -> str:
    asked = [application.id for application in applications]
    if steps_back(held, asked) < steps_back(second, asked):
        behind = zip(applications, held.cells, second.cells, strict=True)
        newer = [a.title for a, mine, other in behind if mine.back < other.back]
        return f"and it takes a newer {', '.join(newer)}"
    if second.repaired and not held.repaired:
        return "and its libraries need no repair on this system"
    if held.there and not second.there:
        return "and you have it already"
    if said_for(held, asked) > said_for(second, asked):
        return "and more is said for it"
    if torch_version(stacks[held.stack]) > torch_version(stacks[second.stack]):
        return "and its torch is newer"
    return ORDER_IS_OURS


def verdict_words(held: Fit, applications: tuple[Application, ...]) -> str:
    """The verdicts of a road on what was asked for."""
    return ", ".join(f"{asked_for(a)}: {verdict_on(held, a).value}" for a in applications)


def asked_for(application: Application) -> str:
    """An application as a verdict names it; plain torch is nobody's title."""
    return "any torch program" if application.id == PLAIN_TORCH else application.title


def verdict_on(held: Fit, application: Application) -> Verdict:
    """A road's verdict on one application."""
    return next(cell.verdict for cell in held.cells if cell.application == application.id)
