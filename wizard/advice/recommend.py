"""The one recommendation for a machine and what is to run on it.

The order: stacks that this machine rules out come last. Among the others the verdicts decide:
the stack goes first whose worst verdict is best, then whose second worst, and so on. The
processor comes after every stack for the card but those that are unlikely or no. Among equals
the one goes first that takes newer releases of the applications, then one whose torch is here
already, then the newer torch, then the order of the data: no two stacks ever stand level. A torch
does not count as here if this machine's glibc refuses to load it, or if it lies in an environment
that belongs to programs which nobody asked for.

A program outside PyTorch is recommended where it works or is likely, and no stack is as good.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from packaging.version import Version

from wizard.advice.card import chosen_card, target_of, with_card
from wizard.advice.fit import Fit, answer_for_target, fit
from wizard.advice.floors import takes_torch
from wizard.advice.leftovers import torches_there
from wizard.core.amounts import capitalized, listed
from wizard.knowledge.applications import (
    PLAIN_TORCH,
    Application,
    applications_named,
    load_applications,
)
from wizard.knowledge.claims import Program, Verdict, Word, convolves, load_programs, verdict_on
from wizard.knowledge.stacks import Stack, load_stacks
from wizard.machine.facts import Machine

RANK = {
    Word.WORKS: 0,
    Word.LIKELY: 1,
    Word.POSSIBLE: 2,
    Word.NOT_TRIED: 3,
    Word.DISPUTED: 4,
    Word.UNLIKELY: 6,
    Word.NO: 7,
}
PROCESSOR = 5
"""The best rank of a stack that leaves the card unused: beside one that uses it."""


@dataclass(frozen=True, slots=True)
class OutsideProgram:
    """A program outside PyTorch that is as good for an application as any stack, or better."""

    application: str
    program: Program
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Recommendation:
    """What to take on a machine for some applications, and how everything else stands."""

    applications: tuple[str, ...]
    """Ids of what it is for; plain torch where nothing was named or found."""
    fits: tuple[Fit, ...]
    """Every stack, best first."""
    sentence: str
    """What to take, the verdict, and why."""
    reason: str
    """Why that stack comes first."""
    first: str
    """What must be done before the card can be used, ``""`` for nothing."""
    next_best: str
    """What to try where the recommended stack fails, ``""`` where nothing else is possible."""
    measure: str
    """What to measure before anything is installed, ``""`` for nothing."""
    outside: tuple[OutsideProgram, ...]
    """Programs outside PyTorch that come first for an application."""

    @property
    def stack(self) -> str:
        """Id of the stack to install."""
        return self.fits[0].stack

    @property
    def name(self) -> str:
        """What is recommended: a stack's id, or the program where one serves everything asked."""
        if self.program is not None:
            return self.program.title
        return self.stack

    @property
    def program(self) -> Program | None:
        """The program outside PyTorch that serves all that was asked for."""
        served = {each.application for each in self.outside}
        return self.outside[0].program if served == set(self.applications) else None

    def rank(self, stack: str) -> int:
        """The place of a stack, 1 for the recommended one."""
        return [fit.stack for fit in self.fits].index(stack) + 1


def recommend(
    machine: Machine,
    applications: Sequence[str] | None = None,
    gpu: str = "",
    *,
    preset: str = "",
) -> Recommendation:
    """What to take on this machine. Raises KeyError for an unknown application.

    ``applications``: what is to run; None for what detection found. ``gpu``: PCI address of the
    card, ``""`` for the first one. ``preset``: the set of variables that stacks are taken with.
    """
    machine = with_card(machine, gpu)
    ids = found_applications(machine) if applications is None else tuple(applications)
    asked = applications_named(ids or (PLAIN_TORCH,))
    stacks = {stack.id: stack for stack in load_stacks()}
    fits = tuple(fit(machine, asked, stack, preset=preset) for stack in stacks.values())
    order = in_order(fits, stacks)
    outside = _outside(target_of(chosen_card(machine)), order[0], stacks, asked)
    return Recommendation(
        applications=tuple(each.id for each in asked),
        fits=order,
        sentence=_sentence(machine, order, stacks, asked, outside),
        reason=_reason(order, stacks),
        first=order[0].card_closed,
        next_best=_next_best(order, stacks, asked),
        measure=_measure(machine, order, stacks, asked),
        outside=outside,
    )


def name_for_target(gfx: str, applications: Sequence[str] = ()) -> str:
    """What is recommended for a chip on a machine that rules nothing out and holds nothing yet."""
    asked = applications_named(tuple(applications) or (PLAIN_TORCH,))
    stacks = {stack.id: stack for stack in load_stacks()}
    fits = tuple(_fit_for_target(gfx, asked, stack) for stack in stacks.values())
    first = in_order(fits, stacks)[0]
    outside = _outside(gfx, first, stacks, asked)
    return outside[0].program.title if len(outside) == len(asked) else first.stack


def _fit_for_target(gfx: str, asked: tuple[Application, ...], stack: Stack) -> Fit:
    possible = not stack.gfx or gfx in stack.gfx
    answers = tuple(answer_for_target(gfx, each, stack) for each in asked)
    return Fit(stack.id, possible, (), (), answers, "", None, None)


def found_applications(machine: Machine) -> tuple[str, ...]:
    """Ids of the applications found on a machine, in the order in which they are offered.

    A library that lies in the environment of an application came with that application, and
    is nothing that was asked for.
    """
    programs = {one.environment for one in machine.applications if one.path != one.environment}
    found = {
        one.id
        for one in machine.applications
        if one.path != one.environment or one.environment not in programs
    }
    return tuple(each.id for each in load_applications() if each.id in found)


def in_order(fits: tuple[Fit, ...], stacks: dict[str, Stack]) -> tuple[Fit, ...]:
    """The fits, best first."""
    newest_first = sorted(stacks.values(), key=torch_version, reverse=True)
    by_torch = [stack.id for stack in newest_first]
    places = list(stacks)

    def key(each: Fit) -> tuple[object, ...]:
        if not each.possible:
            return (True, (), 0, False, places.index(each.stack))
        words = worst_first(each, stacks[each.stack])
        return (False, words, _back(each), not each.there, by_torch.index(each.stack))

    return tuple(sorted(fits, key=key))


def worst_first(each: Fit, stack: Stack) -> tuple[int, ...]:
    """The ranks of a stack's verdicts, the worst first."""
    best = RANK[Word.WORKS] if stack.gfx else PROCESSOR
    return tuple(sorted((max(RANK[a.word], best) for a in each.answers), reverse=True))


def torch_version(stack: Stack) -> Version:
    """Which torch it is, whatever it was built for."""
    return Version(Version(stack.torch).public)


def words(each: Fit, asked: Sequence[Application]) -> str:
    """The verdicts of a stack on what was asked for."""
    told = (f"{asked_for(a)}: {b.word.value}" for a, b in zip(asked, each.answers, strict=True))
    return ", ".join(told)


def asked_for(application: Application) -> str:
    """An application as a verdict names it; plain torch is nobody's title."""
    return "any torch program" if application.id == PLAIN_TORCH else application.title


def _outside(
    gfx: str, first: Fit, stacks: dict[str, Stack], asked: Sequence[Application]
) -> tuple[OutsideProgram, ...]:
    """The best program for each application where none of the stacks is as good."""
    found = []
    for application, answer in zip(asked, first.answers, strict=True):
        best = RANK[answer.word] if first.possible else RANK[Word.NO]
        if first.possible and not stacks[first.stack].gfx:
            best = max(best, PROCESSOR)
        for program in load_programs():
            verdict = verdict_on(application.purpose, program.id, gfx)
            if verdict is None or gfx not in program.gfx:
                continue
            if verdict.word in (Word.WORKS, Word.LIKELY) and RANK[verdict.word] < best:
                found.append(OutsideProgram(application.id, program, verdict))
                break
    return tuple(found)


def _sentence(
    machine: Machine,
    order: tuple[Fit, ...],
    stacks: dict[str, Stack],
    asked: Sequence[Application],
    outside: tuple[OutsideProgram, ...],
) -> str:
    first = order[0]
    stack = stacks[first.stack]
    if not first.possible:
        return f"No stack can be installed on this machine. {stack.title}: {first.obstacles[0]}."
    card = chosen_card(machine)
    purpose = f"For {listed([asked_for(each) for each in asked])}"
    if stack.gfx and card:
        purpose += f" on your {card.name.removeprefix('AMD ').removeprefix('Radeon ')}"
    programs = " ".join(_program_words(each, asked) for each in outside)
    told = _verdict_words(first, asked)
    if outside and len(outside) == len(asked):
        return f"{purpose}: {programs} With PyTorch: {stack.title} ({stack.id}). {told}"
    start = f"{purpose}: {stack.title} ({stack.id}). {told}"
    if not stack.gfx:
        ruled_out = next((f.obstacles[0] for f in order if f.obstacles), "")
        known = "" if card and card.rdna1 else "No RDNA1 card was found. "
        start = f"{known}{start}" + (
            f" The other stacks are ruled out: {ruled_out}." * bool(ruled_out)
        )
    return " ".join(filter(None, (start, programs)))


def _verdict_words(first: Fit, asked: Sequence[Application]) -> str:
    """Of one application its word and why, of several their words and why of the worst."""
    worst = max(first.answers, key=lambda answer: RANK[answer.word])
    if len(asked) == 1:
        return f"{capitalized(worst.word.value)}: {_stop(worst.why)}"
    title = next(each for each in asked if each.id == worst.application).title
    return f"{words(first, asked)}. {title}: {_stop(worst.why)}"


def _program_words(each: OutsideProgram, asked: Sequence[Application]) -> str:
    program, verdict = each.program, each.verdict
    title = next(one for one in asked if one.id == each.application).title
    lead = "" if len(asked) == 1 else f"For {title}: "
    return (
        f"{lead}{program.title}, a program without PyTorch. {capitalized(verdict.word.value)}: "
        f"{_stop(verdict.why)} This program does not install it: {program.link}"
    )


def _reason(order: tuple[Fit, ...], stacks: dict[str, Stack]) -> str:
    """Why the first stack comes before the next one that is of any use."""
    first = order[0]
    stack = stacks[first.stack]
    if not first.possible:
        return ""
    useful = [each for each in order[1:] if each.possible and _use(each)]
    if not stack.gfx:
        if any(stacks[each.stack].gfx for each in order[1:] if each.possible):
            return "no stack for the card is rated better than unlikely"
        return "no stack that uses a card is possible on this machine"
    second = next((each for each in useful if stacks[each.stack].gfx), None)
    if second is None:
        return "the only useful stack for the card"
    if worst_first(first, stack) < worst_first(second, stacks[second.stack]):
        better = "better verdicts" if len(first.answers) > 1 else "a better verdict"
        return f"{better} than {second.stack}, which comes next"
    return f"its verdicts are as good as those of {second.stack}, and {_tie(first, second, stacks)}"


def _tie(first: Fit, second: Fit, stacks: dict[str, Stack]) -> str:
    if _back(first) < _back(second):
        return "it supports newer releases"
    if first.there and not second.there:
        return "you already have it"
    if torch_version(stacks[first.stack]) > torch_version(stacks[second.stack]):
        return "its torch is newer"
    return "no known difference sets them apart"


def _next_best(
    order: tuple[Fit, ...], stacks: dict[str, Stack], asked: Sequence[Application]
) -> str:
    second = next((each for each in order[1:] if each.possible), None)
    return f"{stacks[second.stack].title} ({words(second, asked)})" if second else ""


def _measure(
    machine: Machine, order: tuple[Fit, ...], stacks: dict[str, Stack], asked: Sequence[Application]
) -> str:
    """The torch for ROCm that is there may need no more than a setting: where a card can tell.

    A torch that is too old for what was asked is not worth it: it would be replaced all the same.
    """
    there = next(
        (
            each
            for each in torches_there(machine)
            if each.build == "rocm" and all(takes_torch(one, each.torch) for one in asked)
        ),
        None,
    )
    if there is None or chosen_card(machine) is None:
        return ""
    closed = any(each.card_closed for each in order if stacks[each.stack].gfx)
    when = ", once the card can be used" if closed else ""
    what = "" if convolves([each.id for each in asked]) else " --operations"
    return (
        f"the torch you have ({there.torch} in {there.place}){when}: rdna1-setup conv2d --python "
        f"{shlex.quote(there.python)}{what}"
    )


def _use(each: Fit) -> bool:
    return all(answer.word is not Word.NO for answer in each.answers)


def _back(each: Fit) -> int:
    return sum(answer.back for answer in each.answers)


def _stop(text: str) -> str:
    return f"{text.rstrip('.')}."
