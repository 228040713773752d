"""What would change the advice, what speaks against it, and what comes next."""

from __future__ import annotations

import shlex

from wizard.knowledge.applications import Application
from wizard.knowledge.claims import Claim, Grade
from wizard.knowledge.stacks import Stack
from wizard.machine.facts import Machine
from wizard.plan.card import chosen_card
from wizard.plan.fit import Fit
from wizard.plan.floors import takes_torch
from wizard.plan.ranking import ranked
from wizard.plan.reasons import verdict_words
from wizard.plan.strength import holds, sentence, strength, strongest_first
from wizard.plan.torch_there import TorchThere, torches_there
from wizard.plan.verdict import Verdict
from wizard.plan.weighing import bears

RISKS_TOLD = 2
TRAINING = "training"
PROVE_TRAINING = (
    "a training step measured on this card, for {0}: Conv2d forward does not prove training "
    "(rdna1-setup conv2d --work forward,backward,train)"
)
RISKY = ("conv2d", "training", "stability", "regression", "triton", "precision")
"""Topics that tell of what goes wrong with a card, whatever was asked for, gravest first."""
UNSURE = (Verdict.UNKNOWN, Verdict.DISPUTED)


def would_change(
    machine: Machine,
    stacks: dict[str, Stack],
    order: tuple[Fit, ...],
    applications: tuple[Application, ...],
) -> tuple[str, ...]:
    """What would change the order: a measurement, other wishes, a cleared obstacle."""
    first = order[0]
    return (
        *_measure_first(machine, stacks, order, applications),
        *_without_one_wish(stacks, order, applications),
        *_open_questions(stacks[first.stack], first, applications),
        *_ruled_out(order),
    )


def risks(
    held: Fit,
    stack: Stack,
    gfx: str,
    applications: tuple[Application, ...],
    claims: tuple[Claim, ...],
) -> tuple[str, ...]:
    """What may go wrong on the road that is suggested, what bears on the applications first."""
    if not held.possible:
        return ()
    gfx = gfx if stack.gfx else ""
    against = [c for c in claims if stack.id in c.stacks and c.leaning == "against"]
    counting = (claim for claim in against if strength(claim, gfx) and holds(claim, stack))
    standing = strongest_first(counting, gfx)
    bearing = [c for c in standing if any(bears(c, each) for each in applications)]
    beside = sorted(
        (c for c in standing if c.topic in RISKY), key=lambda claim: RISKY.index(claim.topic)
    )
    telling = dict.fromkeys((*bearing, *beside))
    # What somebody saw comes before what is merely said: sorting keeps the order otherwise.
    worst = sorted(telling, key=lambda claim: claim.grade is Grade.CLAIM_ONLY)[:RISKS_TOLD]
    told = tuple(sentence(claim, gfx) for claim in worst)
    return told or stack.cautions[:1]


def next_best(
    stacks: dict[str, Stack], order: tuple[Fit, ...], applications: tuple[Application, ...]
) -> str:
    """The road to take when the first one fails, ``""`` where there is none."""
    second = next((held for held in order[1:] if held.possible), None)
    if second is None:
        return ""
    return f"{stacks[second.stack].title} ({verdict_words(second, applications)})"


def _measure_first(
    machine: Machine,
    stacks: dict[str, Stack],
    order: tuple[Fit, ...],
    applications: tuple[Application, ...],
) -> tuple[str, ...]:
    """The torch for ROCm that is there may need no more than a setting: where a card can tell.

    A torch that is too old for what was asked is not worth it: it would be replaced all the same.
    """
    there = next((t for t in torches_there(machine) if _would_do(t, applications)), None)
    if there is None or chosen_card(machine) is None:
        return ()
    closed = any(held.card_closed for held in order if stacks[held.stack].gfx)
    when = "before anything is exchanged"
    if closed:
        when = f"{when} and once the card can be used"
    return (
        f"a measurement of the torch that you have ({there.torch} in {there.place}), {when}: "
        f"rdna1-setup conv2d --python {shlex.quote(there.python)}",
    )


def _would_do(there: TorchThere, applications: tuple[Application, ...]) -> bool:
    return there.build == "rocm" and all(takes_torch(each, there.torch) for each in applications)


def _without_one_wish(
    stacks: dict[str, Stack], order: tuple[Fit, ...], applications: tuple[Application, ...]
) -> tuple[str, ...]:
    texts = []
    for dropped in applications if len(applications) > 1 else ():
        kept = [each.id for each in applications if each is not dropped]
        other = ranked(order, stacks, kept)[0]
        if other.stack != order[0].stack:
            texts.append(f"without {dropped.title}, {other.stack} would come first")
    return tuple(texts)


def _open_questions(
    stack: Stack, first: Fit, applications: tuple[Application, ...]
) -> tuple[str, ...]:
    cells = {cell.application: cell for cell in first.cells}
    asked = [(each, cells[each.id]) for each in applications]
    titles = [each.title for each, cell in asked if cell.verdict in UNSURE and not cell.short]
    if not stack.gfx or not first.possible:
        return ()
    trained = [a.title for a in applications if a.workload == TRAINING]
    texts = []
    if titles:
        texts.append(f"a measurement on this card settles what is not known: {', '.join(titles)}")
    if trained:
        texts.append(PROVE_TRAINING.format(", ".join(trained)))
    return tuple(texts)


def _ruled_out(order: tuple[Fit, ...]) -> tuple[str, ...]:
    stacks: dict[str, list[str]] = {}
    for held in order:
        if held.obstacles:
            stacks.setdefault(held.obstacles[0], []).append(held.stack)
    return tuple(f"{', '.join(names)} ruled out: {why}" for why, names in stacks.items())
