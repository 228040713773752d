"""What speaks against a stack that somebody chooses, in a sentence; light enough for any screen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from wizard.advice.card import with_card
from wizard.advice.comparison import RUN, Column, LineSpeed, also, columns, everything
from wizard.advice.fit import Fit
from wizard.advice.recommend import Recommendation, asked_for, name_for_target, words
from wizard.conv2d.cards.received import received_on
from wizard.core.amounts import capitalized
from wizard.core.json_form import to_json
from wizard.core.lines import wrapped
from wizard.knowledge.applications import PLAIN_TORCH, applications_named
from wizard.knowledge.claims import Word, load_approaches, load_claims, overdue
from wizard.knowledge.stacks import Stack, load_catalogue, load_stacks
from wizard.machine.facts import Machine
from wizard.plan.group_steps import told_need
from wizard.report.stacks import LONG_AGO, evidence_lines, verdict_lines


def cannot_run(found: Recommendation, fit: Fit) -> str:
    """What of the things asked for a stack cannot run, and which one can; ``""`` for none."""
    asked = dict(zip(found.applications, applications_named(found.applications), strict=True))
    lost = [answer for answer in fit.answers if answer.word is Word.NO]
    texts = [
        f"{fit.stack} cannot run {asked_for(asked[each.application])}: {each.why.rstrip('.')}."
        for each in lost
    ]
    first = found.fits[0]
    if lost and first.possible and all(each.word is not Word.NO for each in first.answers):
        texts.append(f"Suggested instead: {first.stack} ({words(first, tuple(asked.values()))}).")
    return " ".join(texts)


ASK = "To see sources and who disagrees: rdna1-setup plan --stack {0} --evidence"


@dataclass(frozen=True, slots=True)
class Compared:
    """A recommendation with every aspect of every stack."""

    machine: Machine
    recommendation: Recommendation
    columns: tuple[Column, ...]

    def column(self, stack: str) -> Column:
        """One stack with its aspects."""
        return next(column for column in self.columns if column.stack == stack)


def compared(
    machine: Machine,
    found: Recommendation,
    *,
    gpu: str = "",
    with_system: str = "",
    speed: LineSpeed | None = None,
    preset: str = "",
) -> Compared:
    """The stacks beside each other. ``with_system``: the one that is taken with its packages."""
    machine = with_card(machine, gpu)
    beside = columns(
        machine, found, system=lambda stack: stack == with_system, speed=speed, preset=preset
    )
    return Compared(machine, found, beside)


def short_text(found: Recommendation) -> str:
    """What is recommended, in a line."""
    asked = applications_named(found.applications)
    return (
        f"Recommended on this machine for {', '.join(map(asked_for, asked))}: {found.name} "
        "(to see why, run rdna1-setup plan)."
    )


def text_for_cards(targets: Iterable[str], applications: tuple[str, ...] = ()) -> str:
    """What is recommended for chips that a text names; ``""`` where no stack is for them."""
    names = {name_for_target(gfx, applications) for gfx in targets if gfx}
    asked = ", ".join(map(asked_for, applications_named(applications or (PLAIN_TORCH,))))
    if len(names) != 1:
        return ""
    return (
        f"Recommended for this kind of card and {asked}: {names.pop()} "
        "(to see why, run rdna1-setup plan on that machine)."
    )


def recommendation_lines(found: Recommendation) -> Iterator[str]:
    """What is recommended and why, what is to be done before, and what comes next."""
    yield from wrapped(found.sentence)
    yield from _listed("Why first", [found.reason])
    first = told_need(found.first, found.fits[0].missing_right)
    yield from _listed("First it needs", [first])
    yield from _listed("Measure first", [found.measure])
    yield from _listed("Next best", [found.next_best])
    for each in found.outside:
        yield from _listed(each.program.title, [each.program.install, each.program.note])


def chosen_lines(found: Recommendation, stack: str) -> Iterator[str]:
    """A stack that somebody chose: what it is good for, and what speaks against it."""
    fit = found.fits[found.rank(stack) - 1]
    asked = applications_named(found.applications)
    yield f"Your choice: {_stack(stack).title} ({stack})"
    for application, answer in zip(asked, fit.answers, strict=True):
        title = asked_for(application)
        if answer.word is not Word.NO:  # the warning says that, and why
            yield from _listed(f"{capitalized(title)}: {answer.word.value}", [answer.why])
    if warning := cannot_run(found, fit):
        yield from wrapped(warning)
    elif fit is not found.fits[0]:
        yield from wrapped(short_text(found))


def fit_lines(found: Compared, fit: Fit) -> Iterator[str]:
    """One stack: its verdicts here, what stands in the way, what it needs and what to mind."""
    rank = found.recommendation.rank(fit.stack)
    yield f"{rank}. {fit.stack}{'' if fit.possible else '  [not possible here]'}"
    asked = applications_named(found.recommendation.applications)
    for application, answer in zip(asked, fit.answers, strict=True):
        title = asked_for(application)
        head = f"   {capitalized(title)} ({answer.word.value})"
        yield from _listed(head, [answer.why])
    stack = _stack(fit.stack)
    yield from _listed("   Obstacles", fit.obstacles)
    needs = (*fit.needs, *filter(None, (fit.room,)))
    yield from _listed("   Needs", [told_need(need, fit.missing_right) for need in needs])
    yield from _listed("   Also", also(found.machine, stack, fit, asked))


def stack_lines(found: Compared, stack: str, evidence_on: date | None = None) -> Iterator[str]:
    """Every aspect of one stack with its reason; with ``evidence_on``, today, every claim."""
    yield f"== What is known about {stack}"
    for aspect in found.column(stack).aspects:
        yield from verdict_lines(aspect)
    yield ""
    if evidence_on:
        yield from _old_checks(_stack(stack), evidence_on)
        for aspect in found.column(stack).aspects:
            if aspect.id.startswith(RUN) and aspect.id != f"{RUN}{PLAIN_TORCH}":
                yield from evidence_lines(aspect, load_claims(), evidence_on, whole=True)
                yield ""
        about = everything(_stack(stack))
        measured = received_on(stack, about.id)
        yield from evidence_lines(about, load_claims(), evidence_on, whole=True, received=measured)
    else:
        yield ASK.format(stack)


def _old_checks(stack: Stack, day: date) -> Iterator[str]:
    """What of the installation itself nobody has looked at for long."""
    if overdue(stack.checked, day):
        yield f"The index, versions and sizes were checked on {stack.checked}, {LONG_AGO}."
    catalogue = load_catalogue()
    if stack.system_release and overdue(catalogue.checked, day):
        yield f"AMD's system packages were checked on {catalogue.checked}, {LONG_AGO}."


def recommendation_form(found: Recommendation) -> dict[str, Any]:
    """What is recommended and why, for programs."""
    return {
        "recommended": found.name,
        "sentence": found.sentence,
        "reason": found.reason,
        "next_best": found.next_best,
        "applications": list(found.applications),
    }


def comparison_form(found: Compared, stack: str = "") -> dict[str, Any]:
    """The JSON form; of one stack where one is named."""
    beside = [each for each in found.columns if stack in ("", each.stack)]
    names = {each.stack for each in beside}
    claims = [c for c in load_claims() if not stack or names & set(c.stacks)]
    first = found.recommendation
    fits = {fit.stack: fit for fit in first.fits}
    return {
        **recommendation_form(first),
        "outside": to_json(first.outside),
        "stacks": [
            {
                "stack": column.stack,
                "rank": first.rank(column.stack),
                "possible": fits[column.stack].possible,
                "torch": column.torch,
                "aspects": to_json(column.aspects),
            }
            for column in beside
        ],
        "claims": [{**to_json(claim), "side": claim.side} for claim in claims],
        "roads": to_json(load_approaches()),
    }


def _stack(name: str) -> Stack:
    return next(each for each in load_stacks() if each.id == name)


def _listed(title: str, sentences: Iterable[str]) -> Iterator[str]:
    for number, sentence in enumerate(filter(None, sentences)):
        head = f"{title}: " if number == 0 else " " * (len(title) + 2)
        indent = " " * min(len(head), 22)
        yield from wrapped(sentence, head=head, indent=indent)
