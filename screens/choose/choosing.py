"""What is chosen on Choose, and what follows from it: plain values, no terminal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from screens.choose.road_sections import Section, sections_of, with_recommendation
from screens.session import Session
from screens.words import shown
from wizard.advice.comparison import Aspect, Column, LineSpeed, also, columns
from wizard.advice.fit import Fit
from wizard.advice.recommend import Recommendation
from wizard.knowledge.applications import Application, applications_named
from wizard.knowledge.claims import Claim
from wizard.knowledge.stacks import Preset, Stack
from wizard.machine.facts import Machine
from wizard.plan.choice import Choice
from wizard.report.warning import cannot_run

if TYPE_CHECKING:
    from screens.services import Services

VENV = "venv"
SYSTEM = "venv+system"
ANY = "any program"
"""The verdict column's head when nothing is ticked."""
FIRST_ASPECT = "large-conv2d"
"""What people come for: it is marked at the start."""


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
    """Every stack with its aspects, as ``compared`` gives them."""
    marked: str = FIRST_ASPECT
    """The aspect that is looked at."""

    def compared(self) -> Choosing:
        """The same with the aspects of every stack: after a tick or another footprint."""
        found = columns(
            self.machine,
            self.recommendation,
            system=self.with_system,
            speed=self.speed,
            preset=self.session.preset,
        )
        return replace(self, columns=found)

    @property
    def column(self) -> Column:
        """The highlighted stack with its aspects."""
        return next(column for column in self.columns if column.stack == self.stack.id)

    @property
    def aspect(self) -> Aspect:
        """The marked aspect of the highlighted stack."""
        found = self.column.aspects
        return next((each for each in found if each.id == self.marked), found[0])

    def mark_moved(self, by: int) -> str:
        """The aspect so many rows below the marked one; from the last one to the first."""
        found = self.column.aspects
        return found[(found.index(self.aspect) + by) % len(found)].id

    @property
    def fit(self) -> Fit:
        """The highlighted stack on this machine; the recommended one where none is named."""
        fits = self.recommendation.fits
        return next((each for each in fits if each.stack == self.session.stack), fits[0])

    @property
    def rank(self) -> int:
        """The place of the highlighted stack."""
        return self.recommendation.rank(self.fit.stack)

    @property
    def stack(self) -> Stack:
        """The highlighted stack."""
        return self.stacks[self.fit.stack]

    @property
    def preset(self) -> Preset | None:
        """The published variables that were chosen, where the highlighted stack has them."""
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
        """What the highlighted stack cannot run of what is wanted; ``""`` where it may run all."""
        return shown(cannot_run(self.recommendation, self.fit))

    @property
    def sections(self) -> tuple[Section, ...]:
        """All that is said of the highlighted stack."""
        mind = also(self.machine, self.stack, self.fit, self.asked)
        found = sections_of(self.fit, self.asked, self.aspect, (*self._needs, *mind))
        return found if self.rank > 1 else with_recommendation(found, self.recommendation)

    @property
    def _needs(self) -> tuple[str, ...]:
        if self.fit.missing_right is None:
            return self.fit.needs
        from wizard.plan.group_steps import told_need  # brings all steps along

        return tuple(told_need(need, self.fit.missing_right) for need in self.fit.needs)

    @property
    def place_word(self) -> str:
        """Where the plan would put things, beside the folder."""
        release = self.stack.system_release
        system = f"+ ROCm {shown(release)} system packages (root)"
        if self.with_system(self.stack.id):
            return system
        settings = f", {self.preset.name} (v)" if self.preset else ""
        return f"this folder only{settings}" + (" (f changes that)" if release else "")

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

    def moved(self, by: int) -> str:
        """The stack so many rows below the highlighted one."""
        fits = self.recommendation.fits
        place = min(max(fits.index(self.fit) + by, 0), len(fits) - 1)
        return fits[place].stack

    def toggled(self, application: Application) -> tuple[str, ...]:
        """What is ticked after this tick was changed, in the order of the screen."""
        ticked = set(self.session.applications) ^ {application.id}
        return tuple(a.id for a in self.applications if a.id in ticked)


def choosing_at(session: Session, services: Services) -> Choosing:
    """What Choose begins with: every stack ranked for what is ticked. Needs a machine."""
    if session.machine is None:
        raise ValueError("Choose needs a machine")
    return Choosing(
        session,
        session.machine,
        services.applications(),
        {stack.id: stack for stack in services.stacks()},
        services.recommend(session.machine, session.applications, session.preset),
        services.suggest_folder,
        services.claims(),
        services.line_speed(),
    ).compared()
