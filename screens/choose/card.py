"""What Choose says of a stack: the conclusion above, the rows of its card, and why."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from textual.content import Content

from screens.session import Session
from screens.widgets.verdict_table import COLOURS
from wizard.advice.card import chosen_card, target_of
from wizard.advice.comparison import RUN, Aspect, Column, LineSpeed, columns
from wizard.advice.fit import NOT_REVIEWED, Fit
from wizard.advice.leftovers import short_path
from wizard.advice.recommend import RANK, Recommendation
from wizard.core.amounts import capitalized, listed, size_text
from wizard.core.lines import shown
from wizard.diagnose.finding import Status
from wizard.knowledge.applications import Application, applications_named
from wizard.knowledge.claims import Claim, Word, evidence, load_purposes, verdict_on
from wizard.knowledge.stacks import Preset, Stack
from wizard.machine.facts import Machine
from wizard.plan.choice import Choice
from wizard.report.recommendation import cannot_run

if TYPE_CHECKING:
    from wizard.services import Services

VENV = "venv"
SYSTEM = "venv+system"
ANY = "any program"
"""What a verdict is about when nothing is ticked."""
TRAINING = "training"
TRAINS = "cnn"
"""The purpose whose verdict says whether a stack trains."""
LARGE = "large-conv2d"


@dataclass(frozen=True, slots=True)
class Choosing:
    """A session with the advice for it."""

    session: Session
    machine: Machine
    applications: tuple[Application, ...]
    stacks: dict[str, Stack]
    recommendation: Recommendation
    suggest_folder: Callable[[Machine, str], str]
    claims: tuple[Claim, ...] = ()
    speed: LineSpeed | None = None
    columns: tuple[Column, ...] = ()
    """Every stack with its aspects, best first, as ``compared`` gives them."""

    def compared(self) -> Choosing:
        """The same with the aspects of every stack: after a tick or another footprint."""
        found = columns(
            self.machine,
            self.recommendation,
            system=self.with_system,
            speed=self.speed,
            preset=self.session.preset,
        )
        return replace(self, columns=tuple(map(self._with_training, found)))

    def _with_training(self, column: Column) -> Column:
        """The column with a verdict on training behind those on convolutions."""
        stack = self.stacks[column.stack]
        gfx = target_of(chosen_card(self.machine)) if stack.gfx else ""
        purpose = next(each for each in load_purposes() if each.id == TRAINS)
        verdict = verdict_on(TRAINS, stack.id, gfx, self.session.preset)
        claims = tuple(claim.id for claim in evidence(purpose, stack.id, verdict))
        word = verdict.word if verdict else Word.NOT_TRIED
        why = verdict.why if verdict else NOT_REVIEWED
        told = (word.value, why, claims, purpose.meaning, purpose.topics)
        aspect = Aspect(TRAINING, "Training", *told)
        place = [each.id for each in column.aspects].index(LARGE) + 1
        aspects = (*column.aspects[:place], aspect, *column.aspects[place:])
        return replace(column, aspects=aspects)

    def column(self, stack: str) -> Column:
        """A stack with its aspects."""
        return next(column for column in self.columns if column.stack == stack)

    def aspect(self, stack: str, name: str) -> Aspect:
        """One aspect of a stack."""
        return next(each for each in self.column(stack).aspects if each.id == name)

    def word(self, stack: str, name: str) -> str:
        """The verdict on one aspect of a stack: no for all that this machine rules out."""
        fit = next(each for each in self.recommendation.fits if each.stack == stack)
        return self.aspect(stack, name).word if fit.possible else Word.NO.value

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The aspects whose verdicts stand in the table of stacks."""
        asked = tuple(f"{RUN}{each.id}" for each in self.asked)
        trained = any(each.purpose == TRAINS for each in self.ticked)
        return (*asked, LARGE, *(() if trained else (TRAINING,)))

    @property
    def suggested(self) -> Fit:
        """The stack that is suggested."""
        return self.recommendation.fits[0]

    @property
    def fit(self) -> Fit:
        """The selected stack on this machine: the suggested one until the user moves."""
        fits = self.recommendation.fits
        return next((each for each in fits if each.stack == self.session.stack), fits[0])

    @property
    def stack(self) -> Stack:
        """The selected stack."""
        return self.stacks[self.fit.stack]

    @property
    def preset(self) -> Preset | None:
        """The published variables that were chosen, where the selected stack has them."""
        name = self.session.preset
        return next((each for each in self.stack.presets if each.name == name), None)

    def next_preset(self) -> str:
        """The name of the next set of variables on offer; ``""`` after the last one."""
        names = ["", *(preset.name for preset in self.stack.presets)]
        place = names.index(self.preset.name if self.preset else "")
        return names[(place + 1) % len(names)]

    @property
    def ticked(self) -> tuple[Application, ...]:
        """What the user wants to run."""
        return tuple(a for a in self.applications if a.id in self.session.applications)

    @property
    def asked(self) -> tuple[Application, ...]:
        """What the verdicts are about: when nothing is ticked, any program."""
        found = applications_named(self.recommendation.applications)
        return self.ticked or tuple(replace(a, title=ANY) for a in found)

    @property
    def warning(self) -> str:
        """What the selected stack cannot run of what is wanted; ``""`` where it may run all."""
        return shown(cannot_run(self.recommendation, self.fit))

    @property
    def suggestion(self) -> str:
        """The folder that is taken when none was typed."""
        return self.suggest_folder(self.machine, self.stack.id)

    @property
    def folder(self) -> str:
        """The folder as it is shown."""
        return self.session.folder or self.suggestion

    @property
    def choice(self) -> Choice:
        """What a plan is made for."""
        typed, home = self.folder, self.machine.access.home
        folder = typed.replace("~", home, 1) if typed[:2] == "~/" else typed
        footprint = SYSTEM if self.with_system(self.stack.id) else VENV
        preset = self.preset.name if self.preset else ""
        return Choice(self.stack.id, footprint, folder, self.session.applications, preset)

    def with_system(self, stack: str) -> bool:
        """True when system packages would be installed for a stack."""
        return self.session.footprint == SYSTEM and bool(self.stacks[stack].system_release)


def choosing_at(session: Session, services: Services) -> Choosing:
    """What Choose begins with: every stack ranked for what is ticked. Needs a machine."""
    if session.machine is None:
        raise ValueError("Choose needs a machine")
    return Choosing(
        session,
        session.machine,
        services.knowledge.applications(),
        {stack.id: stack for stack in services.knowledge.stacks()},
        services.knowledge.recommend(session.machine, session.applications, session.preset),
        services.knowledge.suggest_folder,
        services.knowledge.claims(),
        services.knowledge.line_speed(),
    ).compared()


LABEL_CELLS = 9
SOURCE = re.compile(r" \(https?://[^()]*(?:\([^()]*\)[^()]*)*\)")
NAMED = 3
"""So many programs are named in the first line."""
PHRASES = {
    Word.WORKS: "works",
    Word.LIKELY: "likely works",
    Word.POSSIBLE: "possibly works",
    Word.DISPUTED: "is disputed",
    Word.UNLIKELY: "is unlikely to work",
    Word.NO: "does not work",
    Word.NOT_TRIED: "was not tried",
}
"""Each verdict as the end of a sentence about the one program that was asked for."""
CLAIMS = 3
"""So many reports are shown on each side of why."""
STACK = "A stack is one matching set of ROCm and PyTorch"
NATIVE = "native is AMD's own build"
UNTESTED = "AMD does not test this stack on your card, so measure after installing."


def plain(text: str) -> str:
    """A reason without the address of its source, which the evidence shows."""
    return shown(SOURCE.sub("", text))


def sentence(text: str) -> str:
    """A reason as a sentence."""
    text = plain(text).rstrip(".")
    return f"{capitalized(text)}."


def kind_of(stack: Stack) -> str:
    """What a stack is, in a few words."""
    if not stack.gfx:
        return "PyTorch for the processor"
    if _is_native(stack):
        return "AMD's own build for this chip"
    torch, _, rocm = stack.torch.partition("+rocm")
    return f"PyTorch {torch} with ROCm {rocm}" if rocm else shown(stack.title)


def _is_native(stack: Stack) -> bool:
    return "{gfx}" in " ".join(stack.requirements)


def conclusion(choosing: Choosing) -> tuple[str, Status | None, str, Status | None]:
    """What to take, and what a stack is, each with its status; before that what else matters."""
    text, status, second, second_status = _suggestion(choosing)
    if second_status is None:
        other = next((each.id for each in choosing.stacks.values() if _is_native(each)), "")
        told = bool(other) and f" {other}," not in f"{text} {second}"
        second = f"{second} {STACK}{f'; {NATIVE}' * told}.".lstrip()
    return text, status, second, second_status


def _suggestion(choosing: Choosing) -> tuple[str, Status | None, str, Status | None]:
    found, first = choosing.recommendation, choosing.suggested
    stack = choosing.stacks[first.stack]
    if not first.possible:
        why = sentence(first.obstacles[0]) if first.obstacles else ""
        return "No stack can be installed on this machine.", Status.FAULT, why, None
    card = chosen_card(choosing.machine)
    purpose = f"For {listed([a.title for a in choosing.ticked], NAMED)}" if choosing.ticked else ""
    on_card = ""
    if card and stack.gfx:
        name = shown(card.name).removeprefix("AMD ").removeprefix("Radeon ")
        on_card = f" on your {name}" if purpose else f"For PyTorch on your {name}"
    take = f"{first.stack}, {kind_of(stack)}"
    if found.program is not None:
        better = f"{purpose}{on_card}: {found.program.title}, without PyTorch."
        return better, None, f"With PyTorch: {take}.", None
    if not stack.gfx:
        obstacle = next((each.obstacles[0] for each in found.fits if each.obstacles), "")
        why = sentence((obstacle or found.reason).partition(";")[0])
        return f"{purpose or 'For PyTorch on this machine'}: {take}.", None, why, Status.WARNING
    outside = [f"{each.program.title} ({each.verdict.word.value})" for each in found.outside]
    more = f"Or without PyTorch: {listed(outside, NAMED)}. Press o." if outside else ""
    return f"{purpose}{on_card}: {take}.", None, more, None


def card_rows(choosing: Choosing) -> Iterator[tuple[str, Content]]:
    """The rows of the card of the selected stack: label and text."""
    yield "Verdict", _verdict(choosing)
    yield "Cost", Content(cost(choosing))
    yield "Changes", Content(changes(choosing))
    if against := " ".join(_against(choosing)):
        yield "But", Content(against)


def _verdict(choosing: Choosing) -> Content:
    asked = list(zip(choosing.asked, choosing.fit.answers, strict=True))
    worst, why = max(asked, key=lambda each: RANK[each[1].word])
    parts: list[str | tuple[str, str]] = []
    for application, answer in asked:
        title, word = shown(application.title), answer.word
        said = f": {word.value}" if len(asked) > 1 else f" {PHRASES[word]}"
        parts.append(f", {title}" if parts else capitalized(title))
        parts.append((said, f"${COLOURS[word.value]}"))
    told = sentence(why.why)
    named = len(asked) == 1 or told.startswith(worst.title)
    return Content.assemble(*parts, ". " if named else f". {shown(worst.title)}: ", told)


def cost(choosing: Choosing) -> str:
    """Download, disk and root."""
    fit, stack = choosing.fit, choosing.stack
    size, _, time = choosing.aspect(stack.id, "download").word.partition(", ")
    told = "download of unknown size" if fit.download_bytes is None else f"{size} download"
    if time:
        told += f", about {time}"
    if fit.installed_bytes is not None:
        told += f", {size_text(fit.installed_bytes)} on disk"
    if choosing.with_system(stack.id):
        told += ", plus system packages (size not known yet)"
    return f"{told}, {root_words(choosing)}"


def root_words(choosing: Choosing) -> str:
    """Whether root is needed: for steps of the plan, once before it, or not at all."""
    word = choosing.aspect(choosing.stack.id, "root").word
    return {"yes": "needs root", "once": "needs root once"}.get(word, "no root")


def changes(choosing: Choosing) -> str:
    """What will be created or changed, and where."""
    fit, machine = choosing.fit, choosing.machine
    folder = short_path(shown(choosing.folder), machine)
    parts = [f"the folder {folder}" if choosing.session.folder else f"a new folder {folder}"]
    if fit.python.startswith("uv:"):
        parts.append(f"Python {fit.python.removeprefix('uv:')} from uv")
    if fit.missing_right is not None and fit.missing_right.groups:
        groups = fit.missing_right.groups
        word = "group" if len(groups) == 1 else "groups"
        parts.append(f"you join the {word} {' and '.join(groups)}")
    if choosing.with_system(fit.stack):
        parts.append(
            f"ROCm {choosing.stack.system_release} system packages (press u to leave them out)"
        )
    if choosing.preset:
        parts.append(f"settings {shown(choosing.preset.name)}")
    return f"{', '.join(parts)}{'' if len(parts) > 1 else ', nothing else'}"


def _against(choosing: Choosing) -> Iterator[str]:
    """What stands against the selected stack, the weightiest first."""
    fit, first, stack = choosing.fit, choosing.suggested, choosing.stack
    if not fit.possible:
        why = fit.obstacles[0] if fit.obstacles else "it does not suit this machine"
        yield f"Not possible here: {sentence(why)}"
        return
    answers = list(zip(choosing.asked, fit.answers, strict=True))
    lost = [shown(a.title) for a, answer in answers if answer.word is Word.NO]
    if lost:
        able = first.possible and all(each.word is not Word.NO for each in first.answers)
        yield f"It cannot run {listed(lost, NAMED)}{f'; {first.stack} can' * able}."
    elif fit is not first and first.possible and len(answers) == 1:
        yield f"The suggested stack is {first.stack} ({first.answers[0].word.value})."
    right = fit.missing_right
    if fit.card_closed and not (right and right.groups):
        yield f"First you need {sentence(fit.card_closed)}"
    for application, answer in answers:
        if answer.word is not Word.NO:
            yield from (f"{shown(application.title)} needs {plain(n)}." for n in answer.needs)
    if fit.room and not choosing.session.folder:
        yield f"It needs {plain(fit.room)}."
    if stack.gfx and choosing.aspect(stack.id, "support").word == Word.NONE.value:
        yield UNTESTED
    if choosing.preset:
        yield sentence(choosing.preset.caution)


def why_lines(choosing: Choosing) -> Content:
    """The strongest reports for and against what was asked for, and what nobody tried."""
    known = {claim.id: claim for claim in choosing.claims}
    column = choosing.column(choosing.stack.id)
    about = [each for each in column.aspects if each.id in choosing.verdicts]
    ids = dict.fromkeys(claim for each in about for claim in each.claims)
    claims = [known[each] for each in ids if each in known]
    untried = [each.title for each in column.aspects if each.word == Word.NOT_TRIED.value]
    runs = [each for each in about if each.id.startswith(RUN)]
    others = [claim for claim in claims if runs and all(each.is_other_use(claim) for each in runs)]
    claims = [claim for claim in claims if claim not in others]
    parts: list[Content] = []
    for label, side in (("For", "for"), ("Against", "against")):
        about_it = [claim for claim in claims if claim.side == side]
        parts += [_head(label), *_reports(about_it[:CLAIMS]), Content("")]
    if others:
        parts += [_head("About another use"), *_reports(others[:CLAIMS]), Content("")]
    if untried:
        parts += [_head("Not tried"), Content(shown(listed(untried, NAMED)))]
    return Content("\n").join(parts)


def _reports(claims: Sequence[Claim]) -> Iterator[Content]:
    if not claims:
        yield Content("We found no report.")
    for claim in claims:
        yield Content(shown(claim.text))
        card = "" if claim.card in ("", "none") else f"{shown(claim.card)}, "
        yield Content.styled(f"{card}{shown(claim.date)}", "$text-muted")


def _head(label: str) -> Content:
    return Content.styled(label, "bold $text-primary")


def grouped(choosing: Choosing, aspect: str, stacks: Sequence[str]) -> str:
    """Which of the stacks have which verdict, the best first."""
    words = [each.value for each in Word]
    held: dict[str, list[str]] = {}
    for stack in sorted(stacks, key=lambda each: words.index(choosing.word(each, aspect))):
        held.setdefault(choosing.word(stack, aspect), []).append(stack)
    return "; ".join(f"{word} with {listed(names, NAMED)}" for word, names in held.items())
