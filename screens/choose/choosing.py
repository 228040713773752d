"""What is chosen on Choose, and what follows from it: plain values, no terminal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from screens.choose.road_sections import Section, sections_of, with_suggestion
from screens.session import Session
from screens.words import shown
from wizard.knowledge.applications import Application
from wizard.knowledge.claims import Claim
from wizard.knowledge.stacks import Stack
from wizard.machine.facts import Machine
from wizard.plan.advice import Advice, Road
from wizard.plan.aspect import Aspect, LineSpeed
from wizard.plan.aspect_costs import WITH_PACKAGES
from wizard.plan.choice import Choice
from wizard.report.side_by_side import Column, columns_of

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
    advice: Advice
    suggest_folder: Callable[[Machine, str], str]
    claims: tuple[Claim, ...] = ()
    speed: LineSpeed | None = None
    columns: tuple[Column, ...] = ()
    """Every stack with its aspects, as ``weighed`` gives them."""
    marked: str = FIRST_ASPECT
    """The aspect that is looked at."""

    def weighed(self) -> Choosing:
        """The same with the aspects of every stack: after a tick or another footprint."""
        columns = columns_of(
            self.machine,
            self.asked,
            self.stacks,
            self.advice,
            self.claims,
            system=self.with_system,
            speed=self.speed,
        )
        return replace(self, columns=columns)

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
    def road(self) -> Road:
        """The highlighted road; the suggested one when the session names none."""
        roads = self.advice.roads
        return next((r for r in roads if r.fit.stack == self.session.stack), roads[0])

    @property
    def stack(self) -> Stack:
        """The highlighted stack."""
        return self.stacks[self.road.fit.stack]

    @property
    def ticked(self) -> tuple[Application, ...]:
        """What the user wants to run."""
        return tuple(a for a in self.applications if a.id in self.session.applications)

    @property
    def asked(self) -> tuple[Application, ...]:
        """What the verdicts are about: when nothing is ticked, any program."""
        judged = {cell.application for cell in self.road.fit.cells}
        found = tuple(a for a in self.applications if a.id in judged)
        return found if self.ticked else tuple(replace(a, title=ANY) for a in found)

    @property
    def sections(self) -> tuple[Section, ...]:
        """All that is said of the highlighted stack."""
        system = self.with_system(self.stack.id)
        road = replace(self.road, undo=WITH_PACKAGES) if system else self.road
        found = sections_of(road, self.stack, self.ticked, self.aspect)
        return found if road.rank > 1 else with_suggestion(found, self.advice)

    @property
    def place_word(self) -> str:
        """Where the plan would put things, beside the folder."""
        release = self.stack.system_release
        system = f"+ ROCm {shown(release)} system packages (root)"
        if self.with_system(self.stack.id):
            return system
        return "this folder only" + (" (f changes that)" if release else "")

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
        return Choice(self.stack.id, footprint, folder, self.session.applications)

    def with_system(self, stack: str) -> bool:
        """True when system packages would be installed for a stack."""
        return self.session.footprint == SYSTEM and bool(self.stacks[stack].system_release)

    def moved(self, by: int) -> str:
        """The stack so many rows below the highlighted one."""
        roads = self.advice.roads
        place = min(max(roads.index(self.road) + by, 0), len(roads) - 1)
        return roads[place].fit.stack

    def toggled(self, application: Application) -> tuple[str, ...]:
        """What is ticked after this tick was changed, in the order of the screen."""
        ticked = set(self.session.applications) ^ {application.id}
        return tuple(a.id for a in self.applications if a.id in ticked)


def choosing_at(session: Session, services: Services) -> Choosing:
    """What Choose begins with: every stack weighed for what is ticked. Needs a machine."""
    if session.machine is None:
        raise ValueError("Choose needs a machine")
    return Choosing(
        session,
        session.machine,
        services.applications(),
        {stack.id: stack for stack in services.stacks()},
        services.advise(session.machine, session.applications),
        services.suggest_folder,
        services.claims(),
        services.line_speed(),
    ).weighed()
