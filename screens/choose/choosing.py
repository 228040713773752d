"""What is chosen on Choose, and what follows from it: plain values, no terminal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from screens.session import Session
from screens.words import shown
from wizard.advice.card import chosen_card, target_of
from wizard.advice.comparison import RUN, Aspect, Column, LineSpeed, columns
from wizard.advice.fit import NOT_REVIEWED, Fit
from wizard.advice.recommend import Recommendation
from wizard.knowledge.applications import Application, applications_named
from wizard.knowledge.claims import Claim
from wizard.knowledge.stacks import Preset, Stack
from wizard.knowledge.verdicts import Word, evidence, load_purposes, verdict_on
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
